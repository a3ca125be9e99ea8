package worker

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// A request may be cut off while it still dials. The connection that it then
// gets must be ended at once: nobody would cut it off again.
func TestCutWhileDialling(t *testing.T) {
	for why, cut := range map[string]func(*deadlines){
		"by the end of the run": func(d *deadlines) { d.cancel() },
		"by its deadline":       func(d *deadlines) { d.expire(int64(2*time.Hour), 0) },
	} {
		t.Run(why, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer ours.Close()
			defer theirs.Close()
			var d deadlines
			d.arm(0, time.Hour, time.Hour)
			cut(&d)
			d.on(ours, true)
			read := make(chan error, 1)
			go func() {
				_, err := ours.Read(make([]byte, 1))
				read <- err
			}()
			select {
			case err := <-read:
				if !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("read ended with %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Error("the read goes on")
			}
			if d.poke() {
				t.Error("the cut was taken for a poke")
			}
		})
	}
}
