package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes v, a summary or any other figures, as indented JSON with a final
// newline. Undefined figures are null.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
