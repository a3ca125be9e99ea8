package main

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
)

//go:embed reproduce.html
var reproducePage string

// page is the report of several experiments: one file, without a script, that
// needs nothing from anywhere.
var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"outcome": outcome, "sentence": sentence,
}).Parse(reproducePage))

// section is one experiment in the report.
type section struct {
	reproduced
	Charts []chart
}

// chart is a figure of the report.
type chart struct {
	SVG     template.HTML
	Caption string
}

// newSection draws the charts; those without results are left out.
func newSection(r reproduced) (section, error) {
	s := section{reproduced: r}
	for _, c := range r.source.Charts {
		svg, err := drawChart(c, r.Groups)
		if err != nil {
			return s, err
		}
		if svg != "" {
			s.Charts = append(s.Charts, chart{svg, c.Title})
		}
	}
	return s, nil
}

// Head is the first row of the table.
func (s section) Head() []string { return s.rows()[0] }

// Body are its other rows.
func (s section) Body() [][]string { return s.rows()[1:] }

// Source is the experiment as data.
func (s section) Source() any { return s.source }

// Commands are the command lines of all cells that were to be run.
func (s section) Commands() []string { return s.commands }

// Conclusion counts the claims.
func (s section) Conclusion() string { return s.conclusion() }

// writeReproduceReport writes report.html into dir.
func writeReproduceReport(dir string, done []reproduced) error {
	var sections []section
	for _, r := range done {
		s, err := newSection(r)
		if err != nil {
			return err
		}
		sections = append(sections, s)
	}
	f, err := os.Create(filepath.Join(dir, "report.html"))
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	err = page.Execute(f, map[string]any{"Host": done[0].Host, "Version": version(), "Sections": sections})
	return errors.Join(err, f.Close())
}
