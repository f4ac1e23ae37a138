package cli

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestRevisionComesFromTheBuild(t *testing.T) {
	t.Parallel()
	set := func(pairs ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		for i := 0; i < len(pairs); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return info
	}
	for _, c := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"of a clean tree", set("vcs.revision", "0123456789abcdef0123", "vcs.time", "2026-11-20T10:00:00Z",
			"vcs.modified", "false"), "0123456789ab of 2026-11-20"},
		{"of a changed tree", set("vcs.revision", "0123456789abcdef0123", "vcs.modified", "true"),
			"0123456789ab+changes"},
		{"of no repository", set(), "revision unknown"},
	} {
		if got := revisionOf(c.info); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestManualNamesEveryCommandAndExitCode(t *testing.T) {
	t.Parallel()
	page := jtune(t, "man").done(t).out
	for _, want := range []string{".TH JTUNE 1", ".SS tune (WORKLOAD", ".SS lab convert export MODE",
		`\-\-power\-limit`,
		"130 interrupted"} {
		if !strings.Contains(page, want) {
			t.Errorf("the manual lacks %q", want)
		}
	}
	if strings.Contains(page, ".SS guard") {
		t.Error("the manual names the internal guard")
	}
}

func TestCompletionKnowsTheShells(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if o := jtune(t, "completion", shell).done(t); !strings.Contains(o.out, "jtune") {
			t.Errorf("%s: no script", shell)
		}
	}
}

func TestUnknownDevicesExitWithFour(t *testing.T) {
	t.Parallel()
	t.Run("a sysroot without a board", func(t *testing.T) {
		dir := t.TempDir()
		jtune(t, "device", "--sysroot", dir).fails(t, exitNoDevice)
	})
}
