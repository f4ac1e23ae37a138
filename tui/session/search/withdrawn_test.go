package search

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// prepares is a program that prepares its data, with a bar of its own, until a file is there, and then trains: a busy
// machine is as late with the first reading as with the steps, whose times are six times as long then.
const prepares = `
import os, sys, time
def bar(name, n, each):
    t = time.monotonic()
    for i in range(n):
        t += each; time.sleep(max(0, t - time.monotonic()))
        sys.stderr.write(f"\r{name}: {100*(i+1)//n}%|##| {i+1}/{n} [00:01<00:02, 3.1it/s]"); sys.stderr.flush()
    sys.stderr.write("\n")
while not os.path.exists(sys.argv[1]):
    bar("Encoding", 1200, .01)
e = 0
while True:
    bar(f"Epoch {e}", 40, .06); e += 1
`

// A search that measured a preparation begins again once the training shows it: all its probes describe the training,
// and the earlier readings stay in a campaign that no later search uses.
func TestTuneBeginsAgainWhenWhatItMeasuredWasNotTheJob(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3: install it to run this test")
	}
	t.Parallel()
	file := filepath.Join(t.TempDir(), "job.py")
	must.NoError(t, os.WriteFile(file, []byte(prepares), 0o600))
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin", Speed: 1})
	seen := filepath.Join(t.TempDir(), "seen") // a reading of the preparation
	w := workloads.OnHost(s, workload.Own("job", []string{python, file, seen}))
	w.Patience = time.Minute // a busy machine may start Python for seconds; the preparation waits for a reading
	dir := filepath.Join(t.TempDir(), "c")
	ctx, enough := context.WithCancel(t.Context())
	var notes []string
	again, probes := false, 0
	const betweenMS = 25 // a step of the preparation and one of the training, also where some come late
	fast := record.Settings{Minibatches: 20, MinSamples: 2, SampleEvery: 100 * time.Millisecond, FixedWait: time.Second}
	out, err := Tune(ctx, s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w, Dir: dir,
		Settings: fast},
		Questions: metric.Question{Limit: metric.Watts(40)}.List(),
		Asked:     record.Asked{Reference: "none", Probes: 40, Strategy: optimize.Random}}, func(e measure.Event) {
		switch e := e.(type) {
		case measure.NoteEvent:
			notes = append(notes, string(e))
			again = again || strings.Contains(string(e), "The search begins again")
		case measure.ProbeEvent:
			if probes++; again && probes >= 3 {
				enough()
			} else if !again {
				probes = 0
				must.NoError(t, os.WriteFile(seen, nil, 0o600))
			}
		}
	})
	if !errors.Is(err, context.Canceled) || len(out.Probes) < 3 {
		t.Fatalf("%d probes, %v\n%s", len(out.Probes), err, strings.Join(notes, "\n"))
	}
	must.Contain(t, strings.Join(notes, "\n"), `"Encoding" was not the job`)
	for _, p := range out.Probes {
		if p.TimeMS < betweenMS {
			t.Errorf("%s: %.4g ms a step of the training, want 60", p.Mode, p.TimeMS)
		}
	}
	old, rows, err := record.Read(dir + "-withdrawn-1")
	if err != nil || len(rows) == 0 || rows[0].TimeMS > betweenMS ||
		record.Ended(dir+"-withdrawn-1") != record.Withdrawn {
		t.Errorf("what was withdrawn: %+v, %d rows, %v", old.Plan, len(rows), err)
	}
}
