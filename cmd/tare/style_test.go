package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The limits of what a reader takes in at once, in lines.
const (
	longestFile     = 400
	longestFunction = 70
)

// source is one parsed Go file.
type source struct {
	path string
	test bool
	text []byte
	set  *token.FileSet
	file *ast.File
}

// sources parses every Go file of the module.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	for _, p := range goList(t, "./...") {
		paths, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(p.path(), filepath.Base(path))
			all = append(all, source{name, strings.HasSuffix(path, "_test.go"), text, set, file})
		}
	}
	return all
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if n := bytes.Count(s.text, []byte("\n")); n > longestFile {
			t.Errorf("%s has %d lines, at most %d", s.path, n, longestFile)
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				if n := s.lines(f) - s.tableLines(f); n > longestFunction {
					t.Errorf("%s: %s has %d lines, at most %d", s.path, f.Name.Name, n, longestFunction)
				}
			}
		}
	}
}

// lines is the length of a node.
func (s source) lines(n ast.Node) int {
	return s.set.Position(n.End()).Line - s.set.Position(n.Pos()).Line + 1
}

// tableLines is how many lines of a test are tables: those between the first
// and the last of a composite literal.
func (s source) tableLines(f *ast.FuncDecl) int {
	if !s.test {
		return 0
	}
	total := 0
	ast.Inspect(f, func(n ast.Node) bool {
		table, ok := n.(*ast.CompositeLit)
		if ok {
			total += s.lines(table) - 1
		}
		return !ok // one within another is counted already
	})
	return total
}

func TestEveryPackageHasADoc(t *testing.T) {
	for _, p := range goList(t, "./...") {
		if p.Doc == "" {
			t.Errorf("package %s has no doc comment", p.path())
		}
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no doc comment", s.path, name)
			}
		}
	}
}

// undocumented lists the exported names of a declaration that no comment
// stands at: neither before the name, nor behind it, nor before its group.
func undocumented(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && receiverIsExported(d) {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			return nil
		}
		var names []string
		for _, spec := range d.Specs {
			names = append(names, undocumentedIn(spec)...)
		}
		return names
	}
	return nil
}

func undocumentedIn(spec ast.Spec) []string {
	var idents []*ast.Ident
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Doc == nil && s.Comment == nil {
			idents = append(idents, s.Name)
		}
	case *ast.ValueSpec:
		if s.Doc == nil && s.Comment == nil {
			idents = s.Names
		}
	}
	var names []string
	for _, id := range idents {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	return names
}

// receiverIsExported is true for a function and for a method that others can
// call.
func receiverIsExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}
