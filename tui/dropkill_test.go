package tui_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session/campaigns"
)

// A program that is killed while the question waits leaves no job behind, and keeps what was read.
func TestDropKilledLeavesNoJob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	job, pidFile := filepath.Join(dir, "job"), filepath.Join(dir, "pid")
	loop := fmt.Sprintf("#!/bin/sh\necho $$ > %s\nn=0\nwhile :; do n=$((n+1)); sleep 0.1; echo step $n; done\n",
		pidFile)
	config, data := filepath.Join(dir, "config.toml"), filepath.Join(dir, "data")
	for file, text := range map[string]string{job: loop, config: ""} {
		must.NoError(t, os.WriteFile(file, []byte(text), 0o755))
	}
	on := []string{"--device", "virtual:agx-orin", "--config", config, "--data-dir", data}
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	bin, err := program()
	must.NoError(t, err)
	for _, args := range [][]string{{"run", "--minibatches", "20", "--save", "mine"},
		{"tune", "mine", "--power-limit", "30", "--probes", "3", "--baseline", "none"}} {
		args = append(args, on...)
		if args[0] == "run" {
			args = append(args, "--", job)
		}
		if out, err := exec.Command(bin, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	s := inTmux(t, "", on...)
	s.sees("module total")
	s.press("3")
	s.sees("30 W →")
	s.press("Enter")
	s.sees("FITS 30 W")
	s.press("A")
	s.sees("keep? y / n", " in 1 reading")
	text := must.Read(t, pidFile)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || ended(pid) {
		t.Fatalf("no job %q runs: %v", text, err)
	}
	must.NoError(t, syscall.Kill(s.pid, syscall.SIGKILL))
	s.over()
	killed := terminal{t: t, pid: pid}
	killed.over()
	list, err := campaigns.CampaignsIn(filepath.Join(data, "campaigns"))
	if err != nil || len(list) != 3 || list[2].Header.Plan.Kind != campaigns.VerifyKind || list[2].Usable != 1 {
		t.Errorf("the list holds %+v, %v", list, err)
	}
}
