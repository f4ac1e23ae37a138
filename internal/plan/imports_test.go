package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
)

// root is the module's folder.
const root = "../.."

// lower are the rooms below the session; all packages above may use their types and parsers.
var lower = []string{"tegra", "telemetry", "profiles", "learn", "optimize"}

// mayImport lists the rooms that each room may import besides itself and internal. Each page is a room: no other page
// is in its list.
var mayImport = map[string][]string{
	"main":         {"tui/cli"},
	"internal":     nil,
	"tegra":        nil,
	"telemetry":    {"tegra"},
	"profiles":     {"tegra", "telemetry"},
	"learn":        {"tegra"},
	"optimize":     {"tegra", "learn"},
	"tui/session":  lower,
	"tui/export":   {"tegra", "learn", "optimize"},
	"tui/widget":   nil,
	"tui/page":     append([]string{"tui/session", "tui/widget", "tui/export"}, lower...),
	"tui/page/...": append([]string{"tui/page", "tui/session", "tui/widget", "tui/export"}, lower...),
	"tui":          append([]string{"tui/page", "tui/page/...", "tui/session", "tui/widget"}, lower...),
	"tui/cli":      append([]string{"tui", "tui/session", "tui/widget", "tui/export"}, lower...),
}

// foreign are libraries that only some rooms may use.
var foreign = []struct {
	paths []string // prefixes
	rooms []string
}{
	{
		[]string{"charm.land/", "github.com/NimbleMarkets/ntcharts", "github.com/charmbracelet/"},
		[]string{"tui", "tui/page", "tui/page/...", "tui/widget"},
	},
	{
		[]string{"flag", "github.com/spf13/"},
		[]string{"tui/cli", "internal/tools"},
	},
}

// flagsToo are packages that may parse arguments: the guard, a separate process, those of its client, and testhome
// those of test programs.
var flagsToo = []string{"tegra/guard", "internal/testhome"}

// topLevel is the content of the module's folder.
var topLevel = []string{
	"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md",
	"docs", "go.mod", "go.sum", "internal", "learn", "main.go", "optimize", "packaging", "profiles",
	"tegra", "telemetry", "tui",
}

// ignored are build outputs there.
var ignored = []string{"jtune", "dist"}

// roomOf returns the room of a package, given its path below the module.
func roomOf(pkg string) string {
	switch parts := strings.Split(pkg, "/"); {
	case pkg == ".":
		return "main"
	case strings.HasPrefix(pkg, "internal/tools/"):
		return "internal/tools"
	case strings.HasPrefix(pkg, "tui/page/"):
		return "tui/page/..."
	case parts[0] == "tui" && len(parts) > 1:
		return path.Join(parts[:2]...)
	default:
		return parts[0]
	}
}

// ofTests reports whether a package is test support: tegra/tegratest.
func ofTests(pkg string) bool { return path.Base(pkg) == path.Base(path.Dir(pkg))+"test" }

// ofLaboratory reports whether a package holds the papers' figures and scores, which the product never needs.
func ofLaboratory(pkg string) bool { return slices.Contains(strings.Split(pkg, "/"), "lab") }

// fault returns how an import breaks the plan, or "".
func fault(from, to string) string {
	room := roomOf(from)
	if pkg, ours := strings.CutPrefix(to, "jtune/"); ours {
		there := roomOf(pkg)
		switch {
		case room == "internal/tools", from == pkg:
			return ""
		case there == "internal/tools":
			return "a developer's program"
		case room == "tui/page/..." && there == room:
			return "another page"
		case ofTests(pkg) && !ofTests(from):
			return "what tests share"
		case ofLaboratory(pkg) && !ofLaboratory(from) && room != "tui/cli":
			return "the laboratory"
		case there == room, there == "internal", slices.Contains(mayImport[room], there):
			return ""
		}
		return "not below " + room
	}
	for _, f := range foreign {
		for _, p := range f.paths {
			known := to == p || strings.HasSuffix(p, "/") && strings.HasPrefix(to, p) || strings.HasPrefix(to, p+"/")
			if known && !slices.Contains(f.rooms, room) && !(to == "flag" && slices.Contains(flagsToo, from)) {
				return "it belongs to " + strings.Join(f.rooms, ", ")
			}
		}
	}
	return ""
}

func TestImportsFollowThePlan(t *testing.T) {
	packages := map[string]bool{}
	for _, f := range sources(t, false, ".") {
		packages[f.pkg] = true
		for _, to := range f.imports() {
			if why := fault(f.pkg, to); why != "" {
				t.Errorf("%s/%s imports %s: %s", f.pkg, f.name, to, why)
			}
		}
	}
	for pkg := range packages {
		if _, planned := mayImport[roomOf(pkg)]; !planned && roomOf(pkg) != "internal/tools" {
			t.Errorf("package %s lies in no room of the plan", pkg)
		}
	}
	if len(packages) < 40 {
		t.Errorf("%d packages are looked at: that is not the whole module", len(packages))
	}
}

func TestImportsAgainstThePlanAreFound(t *testing.T) {
	for _, c := range []struct {
		from, to string
		bad      bool
	}{
		{"tegra", "jtune/telemetry", true},
		{"tegra/guard", "jtune/tegra", false},
		{"tui/session", "jtune/tui/page", true},
		{"tui/page", "jtune/tui/page/front", true},
		{"tui/page/front", "jtune/tui/page", false},
		{"tui/page/front", "jtune/tui/page/live", true},
		{"tui/page/front", "jtune/tui", true},
		{"tui/page/front", "jtune/tui/page/pagetest", true},
		{"tui/widget", "jtune/tegra", true},
		{"tui/widget/chart", "jtune/internal/axis", false},
		{"tui/cli", "jtune/tui/page", true},
		{"tui/session", "jtune/optimize/lab/bench", true},
		{"tui/session/lab/reproduce", "jtune/optimize/lab/bench", false},
		{"tui/cli", "jtune/optimize/lab/bench", false},
		{"internal/stats", "jtune/tegra", true},
		{"internal/tools/demo", "jtune/tui", false},
		{"tui/session", "charm.land/bubbletea/v2", true},
		{"tui/widget/chart", "github.com/NimbleMarkets/ntcharts/v2/canvas", false},
		{"tui/session", "flag", true},
	} {
		if why := fault(c.from, c.to); (why != "") != c.bad {
			t.Errorf("%s imports %s: %q, a fault %v", c.from, c.to, why, c.bad)
		}
	}
}

func TestPlanNamesTheTopLevel(t *testing.T) {
	list := must.Get(os.ReadDir(root))(t)
	for _, e := range list {
		name := e.Name()
		if slices.Contains(topLevel, name) || slices.Contains(ignored, name) || strings.HasPrefix(name, ".") {
			continue
		}
		if built := filepath.Ext(name); built != ".test" && built != ".prof" && built != ".out" {
			t.Errorf("%s lies at the top of the module", name)
		}
	}
}

// source is a Go file of the tree.
type source struct {
	pkg, name string // its folder below the root and its name there
	text      string
	tree      *ast.File
}

// all are the Go files outside testdata and hidden folders, parsed once for all tests.
var all = sync.OnceValues(func() (list []source, err error) {
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (d.Name()[0] == '.' || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		pkg := path.Dir(strings.TrimPrefix(filepath.ToSlash(file), root+"/"))
		list = append(list, source{pkg, d.Name(), string(text), tree})
		return err
	})
	return list, err
})

// sources returns the files of the given folders and of those below: those of tests, or the others.
func sources(t *testing.T, ofTests bool, folders ...string) (list []source) {
	t.Helper()
	files := must.Get(all())(t)
	for _, f := range files {
		for _, folder := range folders {
			below := folder == "." || f.pkg == folder || strings.HasPrefix(f.pkg, folder+"/")
			if below && strings.HasSuffix(f.name, "_test.go") == ofTests {
				list = append(list, f)
			}
		}
	}
	return list
}

// functions returns the functions and methods that a file declares.
func (s source) functions() (list []*ast.FuncDecl) {
	for _, d := range s.tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			list = append(list, f)
		}
	}
	return list
}

// imports returns what a file imports.
func (s source) imports() (list []string) {
	for _, i := range s.tree.Imports {
		list = append(list, strings.Trim(i.Path.Value, `"`))
	}
	return list
}
