package cli

import (
	"runtime/debug"
	"testing"

	"jtune/internal/must"
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
		must.Equal(t, revisionOf(c.info), c.want, c.name)
	}
}

func TestManualNamesEveryCommandAndExitCode(t *testing.T) {
	t.Parallel()
	page := jtune(t, "man").done(t).out
	must.Contain(t, page, ".TH JTUNE 1", ".SS tune (WORKLOAD", ".SS lab convert export MODE", `\-\-power\-limit`,
		"130 interrupted")
	must.Lack(t, page, ".SS guard")
}

func TestCompletionKnowsTheShells(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		must.Contain(t, jtune(t, "completion", shell).done(t).out, "jtune")
	}
}

func TestUnknownDevicesExitWithFour(t *testing.T) {
	t.Parallel()
	t.Run("a sysroot without a board", func(t *testing.T) {
		dir := t.TempDir()
		jtune(t, "device", "--sysroot", dir).fails(t, exitNoDevice)
	})
}
