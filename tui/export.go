package tui

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/profiles"
)

// exportFile is one form in which a page is written: the ending of its name,
// and what it holds.
type exportFile struct{ ending, text string }

// export writes the view as text, and what the page has besides.
func (r *root) export() {
	p := r.pages[r.active]
	files := []exportFile{{"txt", ansi.Strip(r.draw()) + "\n"}}
	if more, ok := p.(interface{ files() ([]exportFile, error) }); ok {
		list, err := more.files()
		if err != nil {
			r.sh.fail("export", err)
			return
		}
		files = append(files, list...)
	}
	r.sh.export(r.sh.now().Format("20060102-150405-")+strings.ToLower(p.title()), files...)
}

// export writes files of one name below the data directory and says where.
func (sh *shared) export(name string, files ...exportFile) {
	dir := filepath.Join(sh.DataDir(), "exports")
	err := profiles.MakeDir(dir)
	var endings []string
	for _, f := range files {
		if err == nil {
			err = profiles.WriteFile(filepath.Join(dir, name+"."+f.ending), []byte(f.text))
		}
		endings = append(endings, f.ending)
	}
	if err != nil {
		sh.fail("export", err)
		return
	}
	ending := strings.Join(endings, ",")
	if len(endings) > 1 {
		ending = "{" + ending + "}"
	}
	sh.say("written: %s.%s", fromHome(filepath.Join(dir, name)), ending)
}

// fromHome shortens a path below the user's home as shells do.
func fromHome(path string) string {
	home, err := os.UserHomeDir()
	if rest, below := strings.CutPrefix(path, home+"/"); err == nil && below && home != "/" {
		return "~/" + rest
	}
	return path
}
