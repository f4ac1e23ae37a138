package tui

import (
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/safefile"
	"jtune/tui/page"
)

// exportedMsg says where files were written, or why not.
type exportedMsg struct {
	path string
	err  error
}

func (m exportedMsg) fold(r *root) tea.Cmd {
	if r.sh.fail("export", m.err); m.err == nil {
		r.sh.say("written: %s", m.path)
	}
	return nil
}

// export writes the view as text, and the page's own data if it has any.
func (r *root) export() tea.Cmd {
	p := r.shown()
	files := []page.File{{Ending: "txt", Text: ansi.Strip(r.draw()) + "\n"}}
	if more, ok := p.(page.Exporter); ok {
		list, err := more.Files()
		if err != nil {
			r.sh.fail("export", err)
			return nil
		}
		files = append(files, list...)
	}
	name := r.sh.now().Format("20060102-150405-") + string(p.Name())
	return r.sh.export(page.Export{Name: name, Files: files})
}

// export writes files with one base name below the data directory and reports where.
func (sh *shared) export(i page.Export) tea.Cmd {
	dir := filepath.Join(sh.DataPath(), "exports")
	return func() tea.Msg {
		err := os.MkdirAll(dir, 0o755)
		var endings []string
		for _, f := range i.Files {
			if err == nil {
				err = safefile.Replace(filepath.Join(dir, i.Name+"."+f.Ending), []byte(f.Text))
			}
			endings = append(endings, f.Ending)
		}
		ending := strings.Join(endings, ",")
		if len(endings) > 1 {
			ending = "{" + ending + "}"
		}
		return exportedMsg{page.FromHome(filepath.Join(dir, i.Name)) + "." + ending, err}
	}
}

// clipMsg carries text for the clipboard.
type clipMsg string

func (r *root) copy() tea.Cmd {
	text := r.shown().Copied()
	if text == "" {
		text = ansi.Strip(r.draw())
		r.sh.say("copied the screen as text")
	} else {
		r.sh.say("copied: %s", firstLine(text))
	}
	return func() tea.Msg { return clipMsg(text) }
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}
