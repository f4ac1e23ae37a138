package plan

import (
	"go/ast"
	"go/token"
	"regexp"
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
	for _, f := range sources(t, false, flagless...) {
		if f.pkg == "tui/cli" {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || !namesFlag.MatchString(lit.Value) {
				return true
			}
			for _, o := range flagsOfOthers {
				if (f.pkg == o.below || strings.HasPrefix(f.pkg, o.below+"/")) && f.name == o.file {
					used[o.below+"/"+o.file] = true
					return true
				}
			}
			t.Errorf("%s/%s: %s names a flag: mention a usage.Field", f.pkg, f.name, lit.Value)
			return true
		})
	}
	for _, o := range flagsOfOthers {
		if !used[o.below+"/"+o.file] {
			t.Errorf("%s below %s names no flag of %s any more", o.file, o.below, o.of)
		}
	}
}
