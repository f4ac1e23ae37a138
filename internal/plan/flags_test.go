package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// flagless are the folders in which no text may name a jtune flag: texts mention a usage.Field, whose flag the command
// line knows.
var flagless = []string{"tegra", "telemetry", "learn", "optimize", "profiles", "tui"}

// flagsOfOthers are files below a folder with arguments for other programs.
var flagsOfOthers = []struct{ below, file, of string }{
	{"tegra/boot", "boot.go", "the command of a systemd unit, and what marks the unit"},
	{"tegra/boot", "staged.go", "the command of a systemd unit, and what marks the unit"},
	{"tui", "guard.go", "the command of a systemd unit"},
	{"profiles/harness", "container.go", "docker and podman"},
	{"profiles/harness/engine", "engine.go", "docker and podman"},
	{"profiles/harness", "harness.go", "a shell's hint among what a job prints"},
	{"profiles/harness", "reports.go", "the tools whose reports are read"},
	{"profiles/harness", "tools.go", "the tools whose output is read"},
	{"profiles/harness/torch", "torch.go", "our trainer"},
	{"profiles/serve", "live.go", "llama-server"},
	{"tui/session/fleet", "install.go", "apt-get"},
	{"tui/session/fleet", "model.go", "jtune on another board, over ssh"},
	{"tui/session/fleet", "shards.go", "jtune on another board, over ssh"},
	{"tui/session", "hostgpu.go", "nvidia-smi"},
	{"tui/session", "readiness.go", "rsync"},
}

var namesFlag = regexp.MustCompile(`(^|[^A-Za-z0-9-])--[a-z]`)

func TestFlagsAreNamedByNoTextBelowTheCommandLine(t *testing.T) {
	used := map[string]bool{}
	check := func(file string) error {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || !namesFlag.MatchString(lit.Value) {
				return true
			}
			for _, o := range flagsOfOthers {
				if strings.HasPrefix(file, o.below+"/") && path.Base(file) == o.file {
					used[o.below+"/"+o.file] = true
					return true
				}
			}
			t.Errorf("%s: %s names a flag: mention a usage.Field", file, lit.Value)
			return true
		})
		return nil
	}
	for _, dir := range flagless {
		err := filepath.WalkDir(filepath.Join(root, dir), func(file string, d fs.DirEntry, err error) error {
			name, _ := filepath.Rel(root, file)
			name = filepath.ToSlash(name)
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"testdata", "cli"}, d.Name()):
				return filepath.SkipDir
			case filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
				return check(name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range flagsOfOthers {
		if !used[o.below+"/"+o.file] {
			t.Errorf("%s below %s names no flag of %s any more", o.file, o.below, o.of)
		}
	}
}
