package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// passagesOf returns the texts of a checkout: pages and comments by paragraph, and texts of the program. It skips
// records of the past (decisions, changes).
func passagesOf(folder string) (list []Passage, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != folder && (strings.HasPrefix(name, ".") || name == "testdata" || name == "decisions" ||
				name == "dist" || name == "shared") {
				return filepath.SkipDir
			}
			return nil
		}
		more, err := passagesIn(path)
		rel, _ := filepath.Rel(folder, path)
		for i := range more {
			more[i].file = rel
		}
		list = append(list, more...)
		return err
	})
	return list, err
}

// passagesIn returns the texts of one file.
func passagesIn(path string) ([]Passage, error) {
	page := strings.HasSuffix(path, ".md") && filepath.Base(path) != "CHANGELOG.md"
	source := strings.HasSuffix(path, ".go")
	table := slices.Contains([]string{"commands.txt", "fields.txt", "numbers.txt"}, filepath.Base(path))
	if !page && !source && !table {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	switch {
	case page:
		return paragraphs(string(data)), nil
	case table:
		return tableTexts(string(data)), nil
	}
	return sourceTexts(path, data)
}

// item matches the start of a line that does not continue the previous one.
var item = regexp.MustCompile(`^\s*(?:[-*|#>]|\d+\.\s)`)

// paragraphs returns the prose of a page: each paragraph, list item or table row; without fenced blocks.
func paragraphs(page string) (list []Passage) {
	var text []string
	line, first, fenced := 0, 0, false
	end := func() {
		if len(text) > 0 {
			list = append(list, Passage{line: first, text: strings.Join(text, " ")})
		}
		text = nil
	}
	for l := range strings.SplitSeq(page, "\n") {
		line++
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			fenced = !fenced
			end()
			continue
		}
		if fenced || strings.TrimSpace(l) == "" || strings.HasPrefix(l, "\t") ||
			strings.HasPrefix(l, "    ") && len(text) == 0 {
			end()
			continue
		}
		if item.MatchString(l) {
			end()
		}
		if len(text) == 0 {
			first = line
		}
		text = append(text, strings.TrimLeft(strings.TrimSpace(l), "-*|# "))
	}
	end()
	return list
}

// tableTexts returns the texts of a table, such as the command line's: what follows a colon, and paragraphs of help, also in
// further lines.
func tableTexts(table string) (list []Passage) {
	lines := strings.Split(table, "\n")
	for n, l := range lines {
		if l == "" || l[0] == '#' || strings.HasPrefix(l, "   ") || strings.HasPrefix(l, "  $") {
			continue
		}
		for _, more := range lines[n+1:] {
			if !strings.HasPrefix(more, "   ") {
				break
			}
			l += " " + strings.TrimSpace(more)
		}
		text, help := strings.CutPrefix(l, "  > ")
		if !help {
			_, text, help = strings.Cut(l, ": ")
		}
		if help {
			list = append(list, Passage{line: n + 1, text: text, message: true})
		}
	}
	return list
}

// sourceTexts returns the comments of a source file and its texts of three words and more.
func sourceTexts(path string, data []byte) (list []Passage, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, data, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Comments { // the text is without directives; drawings and code in it are indented
		for _, p := range paragraphs(group.Text()) {
			p.line += files.Position(group.Pos()).Line - 1
			list = append(list, p)
		}
	}
	inTags := map[*ast.BasicLit]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				inTags[n.Tag] = true
			}
		case *ast.ImportSpec:
			inTags[n.Path] = true
		case *ast.BinaryExpr: // concatenated texts
			if text, ok := joined(n); ok {
				list = append(list, textPassage(files, n, text)...)
				return false
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && !inTags[n] {
				text, err := strconv.Unquote(n.Value)
				if err == nil {
					list = append(list, textPassage(files, n, text)...)
				}
			}
		}
		return true
	})
	return list, nil
}

// joined returns the text of concatenated strings.
func joined(n ast.Expr) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return text, n.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		a, okA := joined(n.X)
		b, okB := joined(n.Y)
		return a + b, n.Op == token.ADD && okA && okB
	}
	return "", false
}

func textPassage(files *token.FileSet, n ast.Node, text string) []Passage {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\n", " "))
	if strings.Count(text, " ") < 2 || strings.Contains(text, "(?P<") || strings.Contains(text, `\b`) {
		return nil
	}
	return []Passage{{line: files.Position(n.Pos()).Line, text: text, message: true}}
}
