package cli

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"jtune/internal/must"
)

// Programs that measure at the same time in one data directory, one of which is killed, lose none of each other's rows:
// the model includes every row on disk.
func TestProgramsOnOneDataDirectoryLoseNothingOfEachOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func(args ...string) *exec.Cmd {
		t.Helper()
		log := filepath.Join(t.TempDir(), "log")
		at := []string{"--device", "virtual:agx-orin", "--data-dir", dir, "--log-file", log}
		cmd := child(slices.Concat(args, at)...)
		must.NoError(t, cmd.Start())
		return cmd
	}
	list := func() []map[string]any {
		t.Helper()
		return array(t, jtune(t, "campaigns", "--json", "--data-dir", dir).done(t).out)
	}
	rows := func() (n int) {
		t.Helper()
		for _, c := range list() {
			n += int(c["usable"].(float64))
		}
		return n
	}
	killed := start("profile", "lstm", "--sample", "50", "--seed", "9", "--speed", "40")
	must.Until(t, "a row is on disk", func() bool { return rows() > 0 })
	if c := list()[0]; c["state"] != "running" {
		t.Errorf("a campaign in progress is %v", c["state"])
	}
	running := list()[0]["name"].(string)
	jtune(t, "campaigns", "delete", running, "--data-dir", dir).fails(t, exitFailed, "in use")
	fast := []string{"profile", "lstm", "--sample", "3", "--minibatches", "5", "--speed", "max", "--seed"}
	all := []*exec.Cmd{start(with(fast, "1")...), start(with(fast, "2")...)}
	must.NoError(t, killed.Process.Kill())
	_ = killed.Wait()
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	states := map[any]int{}
	for _, c := range list() {
		states[c["state"]]++
	}
	if states["finished"] != 2 || states["interrupted"] != 1 {
		t.Errorf("campaigns in states %v, want two finished and one interrupted", states)
	}
	jtune(t, "profile", "lstm", "--sample", "1", "--minibatches", "5", "--seed", "3", "--device", "virtual:agx-orin",
		"--speed", "max", "--data-dir", dir).done(t)
	models := array(t, jtune(t, "models", "list", "--json", "--data-dir", dir).done(t).out)
	if m := models[len(models)-1]; len(models) != shippedModels+1 ||
		int(m["modes"].(float64)) != rows() || m["campaigns"] != 4.0 {
		t.Errorf("models %v; want one of 4 campaigns that knows %d modes", models, rows())
	}
}
