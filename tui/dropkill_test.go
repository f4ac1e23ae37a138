package tui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/search"
	"jtune/tui/session/workloads"
)

// A program that is killed while the question waits leaves no job behind, and keeps what was read.
func TestDropKilledLeavesNoJob(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	dir := t.TempDir()
	job, pidFile := filepath.Join(dir, "job"), filepath.Join(dir, "pid")
	loop := fmt.Sprintf("#!/bin/sh\necho $$ > %s\nn=0\nwhile :; do n=$((n+1)); sleep 0.1; echo step $n; done\n",
		pidFile)
	settings, data := filepath.Join(dir, "config.toml"), filepath.Join(dir, "data")
	for file, text := range map[string]string{job: loop,
		settings: fmt.Sprintf("[workload.mine]\ncommand = [%q]\n", job)} {
		must.NoError(t, os.WriteFile(file, []byte(text), 0o755))
	}
	searched(t, settings, data)
	on := []string{"--device", "virtual:agx-orin", "--config", settings, "--data-dir", data}
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
	if err != nil || len(list) != 2 || list[1].Header.Plan.Kind != campaigns.VerifyKind || list[1].Usable != 1 {
		t.Errorf("the list holds %+v, %v", list, err)
	}
}

// searched measures two modes of the configured job within 30 W, for a second each.
func searched(t *testing.T, settings, data string) {
	t.Helper()
	s := must.Get(session.Open(session.Options{Device: "virtual:agx-orin", Speed: 1,
		Paths: config.Paths{Config: settings, DataDir: data}}))(t)
	defer s.Close()
	w, err := workloads.Find(s, "mine")
	must.NoError(t, err)
	_, err = search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w,
		Settings: record.Settings{Minibatches: 8, SampleEvery: 200 * time.Millisecond, FixedWait: time.Millisecond}},
		Questions: metric.Question{Limit: metric.Watts(30)}.List(),
		Asked:     record.Asked{Reference: "none", Baseline: measure.NoBaseline, Probes: 2}, Keep: true}, nil)
	must.NoError(t, err)
}
