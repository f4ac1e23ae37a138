package profiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

// campaign makes a campaign of n modes of a board in a folder, each at every batch size.
func campaign(t *testing.T, r *rig, dir string, n int, resume bool, batches ...int) *Campaign {
	t.Helper()
	modes := r.device.Space().Sample(n, 9)
	plan := record.PlanHeader{Kind: "sample", Modes: n * max(1, len(batches)), Digest: record.Digest(modes),
		Batches: batches}
	rec := must.Get(record.OpenOrCreate(dir, r.header(9, plan), resume))(t)
	t.Cleanup(func() { rec.Close() })
	return &Campaign{Bench: r.bench, Plan: listOf(modes, batches...), Record: rec}
}

func TestCampaignMeasuresItsModesAndRestores(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Seed: 2})
	dir := filepath.Join(t.TempDir(), "c")
	c := campaign(t, r, dir, 20, false)
	var done []int
	var lastETA time.Duration
	r.bench.Observe = func(p Progress) {
		if p.Phase == Finished && p.Row != nil {
			done = append(done, p.Done)
			lastETA = p.ETAHi
			if p.Total != 20 || p.ETALo > p.ETAHi {
				t.Errorf("progress %+v", p)
			}
		}
	}
	sum, err := c.Run(t.Context())
	if err != nil || sum.End != Complete || sum.New != 20 || sum.Failed != 0 || len(sum.Rows) != 20 {
		t.Fatalf("%s, %d new, %d failed, %v", sum.End, sum.New, sum.Failed, err)
	}
	if len(done) != 20 || done[0] != 1 || done[19] != 20 || lastETA != 0 {
		t.Errorf("modes done as told: %v, last ETA %s", done, lastETA)
	}
	raised := 0
	for i, row := range sum.Rows {
		if want := i > 0 && Raises(sum.Rows[i-1].Mode, row.Mode); row.Raise != want {
			t.Errorf("row %d: raise %v, want %v", i, row.Raise, want)
		}
		if row.Raise {
			raised++
		}
	}
	if raised == 0 {
		t.Error("no raise among 20 random modes")
	}
	now, err := r.device.Planner().Snapshot()
	if err != nil || r.applier.restored != 1 {
		t.Fatalf("restored %d times, %v", r.applier.restored, err)
	}
	for _, f := range r.applier.found.Files {
		if got, ok := now.Get(f.Path); ok && got != f.Value {
			t.Errorf("%s is %s after the campaign, was %s", f.Path, got, f.Value)
		}
	}
	for _, name := range []string{"samples.csv", "minibatches.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if n := bytes.Count(text, []byte("\n")); err != nil || n < 60 {
			t.Errorf("%s: %d lines, %v", name, n, err)
		}
	}
}

// A campaign that is interrupted in a mode, twice, has the rows of one that is not, at one batch size and at several.
func TestCampaignGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		workload string
		modes    int
		batches  []int
		parts    []int // rows at the end of each
	}{{"resnet", 12, nil, []int{4, 8, 12}}, {"lstm", 3, []int{4, 32}, []int{2, 4, 6}}} {
		start := func(dir string, resume bool) (*rig, *Campaign) {
			r := newRig(t, c.workload, virtual.Options{Noise: noNoise()})
			return r, campaign(t, r, dir, c.modes, resume, c.batches...)
		}
		_, once := start(filepath.Join(t.TempDir(), "whole"), false)
		whole := must.Get(once.Run(t.Context()))(t)
		dir, all := filepath.Join(t.TempDir(), "parts"), len(whole.Rows)
		for part, want := range c.parts {
			r, run := start(dir, part > 0)
			ctx, cancel := context.WithCancel(t.Context())
			r.bench.Observe = func(p Progress) { // Ctrl-C in the middle of a mode
				if p.Done == want && p.Minibatch == 10 {
					cancel()
				}
			}
			sum, err := run.Run(ctx)
			cancel()
			run.Record.Close()
			if err != nil || len(sum.Rows) != want || sum.New != c.parts[0] || r.applier.restored != 1 ||
				(sum.End == Complete) != (want == all) {
				t.Fatalf("%s, part %d: %s with %d rows, %d new, restored %d times, %v; want %d rows", c.workload, part,
					sum.End, len(sum.Rows), sum.New, r.applier.restored, err, want)
			}
		}
		_, rows, err := record.Read(dir)
		if err != nil || len(rows) != all {
			t.Fatal(len(rows), err)
		}
		for i := range rows {
			a, b := rows[i], whole.Rows[i]
			if a.Setting != b.Setting || a.Status != b.Status || math.Abs(a.TimeMS/b.TimeMS-1) > 1e-6 {
				t.Errorf("%s, row %d: %+v in parts, %+v at once", c.workload, i, a.Measured, b.Measured)
			}
		}
	}
}

func TestCampaignWhoseRecordWasCutMeasuresTheLostModesAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	r := newRig(t, "lstm", virtual.Options{Noise: noNoise()})
	first := campaign(t, r, dir, 4, false)
	want := must.Get(first.Run(t.Context()))(t)
	first.Record.Close()
	path := filepath.Join(dir, "modes.csv")
	text, _ := os.ReadFile(path)
	header := bytes.IndexByte(text, '\n')
	for cut := range len(text) {
		lacksNewline := text[cut] == '\n' && cut > header // and nothing else: the row is whole
		if !long && !lacksNewline && cut%97 != 0 {
			continue
		}
		os.WriteFile(path, text[:cut], 0o600)
		left := max(0, bytes.Count(text[:cut], []byte("\n"))-1)
		if lacksNewline {
			left++
		}
		c := campaign(t, r, dir, 4, true)
		sum, err := c.Run(t.Context())
		c.Record.Close()
		if err != nil || len(sum.Rows) != 4 || sum.New != 4-left || sum.Rows[3].Mode != want.Rows[3].Mode {
			t.Errorf("cut at %d, %d rows left: %d rows, %d new, %v", cut, left, len(sum.Rows), sum.New, err)
		}
	}
}

func TestCampaignFailedModesAreTriedAgainThenRecordedWithTheirReason(t *testing.T) {
	t.Parallel()
	r := newRig(t, "lstm", virtual.Options{})
	dir := filepath.Join(t.TempDir(), "c")
	c := campaign(t, r, dir, 5, false)
	bad := r.device.Space().Sample(5, 9)[2]
	tries := 0
	r.applier.fail = func(m tegra.Mode) error {
		if m == bad {
			tries++
			return syscall.EINVAL
		}
		return nil
	}
	sum, err := c.Run(t.Context())
	c.Record.Close()
	if err != nil || sum.End != Complete || sum.Failed != 1 || tries != 2 {
		t.Fatalf("%s, %d failed, %d tries, %v", sum.End, sum.Failed, tries, err)
	}
	i := slices.IndexFunc(sum.Rows, func(row record.Row) bool { return row.Mode == bad })
	if got := sum.Rows[i]; got.Status != record.Rejected || !strings.Contains(got.Why, "invalid argument") ||
		!strings.HasSuffix(got.Why, "(2 tries)") {
		t.Errorf("got %s %q", got.Status, got.Why)
	}

	r.applier.fail = nil
	c = campaign(t, r, dir, 5, true)
	if sum, err = c.Run(t.Context()); err != nil || sum.New != 0 {
		t.Errorf("resuming: %d new, %v; a failed mode is done", sum.New, err)
	}
	c.Record.Close()
	c = campaign(t, r, dir, 5, true)
	c.RedoFailed = true
	if sum, err = c.Run(t.Context()); err != nil || sum.New != 1 || sum.Rows[5].Mode != bad ||
		sum.Rows[5].Status != record.OK {
		t.Errorf("redoing failed modes: %d new, %v", sum.New, err)
	}
}

// However a campaign ends, it tells how, with the modes measured until then, and has restored the board once. Two jobs
// never run beside each other: one that does not end ends the campaign. A gate comes before each mode.
func TestCampaignEndsAndRestoresTheBoard(t *testing.T) {
	t.Parallel()
	shut := errors.New("shut")
	for name, c := range map[string]struct {
		faults virtual.Faults
		change func(r *rig, c *Campaign, cancel func())
		end    End
		modes  int
		says   string // in the error; "": none
	}{
		"a job that dies now and then costs no mode": {virtual.Faults{DieAfter: 2500},
			func(*rig, *Campaign, func()) {}, Complete, 12, ""},
		"many failures in a row": {virtual.Faults{}, func(r *rig, _ *Campaign, _ func()) {
			r.applier.fail = func(tegra.Mode) error { return syscall.EIO }
		}, Broken, maxFailures, "input/output error"},
		"a record that cannot be written": {virtual.Faults{}, func(_ *rig, c *Campaign, _ func()) {
			c.Record.Close()
		}, Broken, 0, "record is closed"},
		"a context that has ended": {virtual.Faults{}, func(_ *rig, _ *Campaign, cancel func()) { cancel() },
			Interrupted, 0, ""},
		"a job that does not end": {virtual.Faults{}, func(r *rig, _ *Campaign, _ func()) {
			hung := &scripted{failure: errTest, next: func(context.Context) (harness.Event, error) {
				return harness.Event{}, &harness.SilenceError{Command: "sudo"}
			}}
			started := 0
			r.bench.NewHarness = func(context.Context, int) (harness.Harness, error) {
				if started++; started > 1 {
					t.Error("a second job is started beside one that has not ended")
				}
				return hung, nil
			}
		}, Broken, 0, errTest.Error()},
		"a gate that is shut after three modes": {virtual.Faults{}, func(_ *rig, c *Campaign, _ func()) {
			asked := 0
			c.Gate = func(context.Context) error {
				if asked++; asked > 3 {
					return shut
				}
				return nil
			}
		}, Broken, 3, shut.Error()},
		"an interruption while paused": {virtual.Faults{}, func(_ *rig, c *Campaign, cancel func()) {
			c.Gate = func(ctx context.Context) error {
				cancel()
				<-ctx.Done()
				return ctx.Err()
			}
		}, Interrupted, 0, ""},
	} {
		r := newRig(t, "lstm", virtual.Options{Faults: c.faults})
		run := campaign(t, r, filepath.Join(t.TempDir(), "c"), 12, false)
		ctx, cancel := context.WithCancel(t.Context())
		c.change(r, run, cancel)
		sum, err := run.Run(ctx)
		cancel()
		if sum.End != c.end || sum.New != c.modes || sum.Failed > 0 && c.end == Complete || r.applier.restored != 1 ||
			(err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %s with %d modes, %d failed, restored %d times, %v", name, sum.End, sum.New, sum.Failed,
				r.applier.restored, err)
		}
	}
}

func TestCampaignEachModeHasAFolderOfLogs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	r := newRig(t, "lstm", virtual.Options{})
	c := campaign(t, r, dir, 3, false)
	said := 0
	r.through(func(e harness.Event, err error) (harness.Event, error) {
		if said++; said <= 2 { // later modes print steps alone
			f := must.Get(os.OpenFile(c.Record.Log(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644))(t)
			fmt.Fprintf(f, "step %d\n", said)
			f.Close()
		}
		return e, err
	})
	sum, all := must.Get(c.Run(t.Context()))(t), ""
	for _, row := range sum.Rows {
		folder := filepath.Join(dir, "logs",
			fmt.Sprintf("pm_%d_%d_%d_%d", row.Mode.Cores, row.Mode.CPU.KHz(), int64(row.Mode.GPU), int64(row.Mode.EMC)))
		knobs, err := os.ReadFile(filepath.Join(folder, "knobs.csv"))
		if err != nil || !strings.HasPrefix(string(knobs), "knob,path,asked,actual,virtual\n") ||
			!strings.Contains(string(knobs), fmt.Sprint(row.Mode.CPU.KHz())) {
			t.Errorf("%s: %v: %s", folder, err, knobs)
		}
		log, err := os.ReadFile(filepath.Join(folder, "log.txt"))
		if err != nil || len(log) == 0 {
			t.Errorf("%s: log of %d bytes, %v", folder, len(log), err)
		}
		_, printed, _ := strings.Cut(string(log), "\n") // below the line that says where the steps are
		all += printed
		result, err := os.ReadFile(filepath.Join(folder, "result.csv"))
		whole, _ := os.ReadFile(filepath.Join(dir, "modes.csv"))
		head, line, _ := strings.Cut(string(result), "\n")
		if err != nil || !strings.HasPrefix(string(whole), head+"\n") || !strings.Contains(string(whole), "\n"+line) {
			t.Errorf("%s: its result is not its line of modes.csv: %v\n%s", folder, err, result)
		}
	}
	if whole, err := os.ReadFile(c.Record.Log()); err != nil || !strings.HasPrefix(string(whole), all) {
		t.Errorf("the modes' logs are not the parts of the whole: %v", err)
	}
}

// Each minibatch and sample that does not count says why, and each epoch has a line.
func TestCampaignFilesMarkWhatDoesNotCount(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	r := newRig(t, "mobilenet", virtual.Options{})
	var lines []string
	var left, dropped int
	r.bench.Observe = func(p Progress) {
		lines = append(lines, p.Line)
		if p.Phase == Measuring && p.Settled.OK {
			left, dropped = p.LeftOut, p.Dropped
		}
	}
	sum, err := campaign(t, r, dir, 1, false).Run(t.Context())
	if err != nil || len(sum.Rows) != 1 {
		t.Fatalf("%v, %v", sum.Rows, err)
	}
	if !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "confirmed by reading back") &&
			strings.HasSuffix(l, "fan at maximum, clocks locked (DVFS off)")
	}) {
		t.Errorf("nothing confirms fan and clocks: %q", lines)
	}
	count := func(name, mark string) (n int) {
		text := must.Read(t, filepath.Join(dir, name))
		return strings.Count(string(text), mark)
	}
	marked := count("minibatches.csv", ",false,first minibatch,") + count("minibatches.csv", ",false,power settling,")
	if n := count("minibatches.csv", ",false,first minibatch,"); n != 1 || marked != left {
		t.Errorf("%d first minibatches, %d marked of %d left out", n, marked, left)
	}
	if n := count("minibatches.csv", ",true,,"); n != sum.Rows[0].Minibatches {
		t.Errorf("%d minibatches count, the row has %d", n, sum.Rows[0].Minibatches)
	}
	if n := count("samples.csv", ",false,power settling,"); n != dropped || n < 3 {
		t.Errorf("%d samples before power settled, %d said", n, dropped)
	}
	if n := count("epochs.csv", "\n"); n != 2 {
		t.Errorf("%d lines of epochs, want the header and one", n)
	}
}

func TestCampaignPreloadedDataAreSaidBeforeTheyCount(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	r := newRig(t, "mobilenet", virtual.Options{})
	r.bench.Workload.Torch.Cache = "preload"
	r.bench.NewHarness = r.bench.Workload.NewHarness(workload.HarnessOptions{Virtual: r.board})
	var said, before []string
	r.bench.Observe = func(p Progress) {
		if strings.Contains(p.Line, "data preloaded: 100 % of them are in the page cache") {
			said = append(said, p.Line)
		}
		if p.Minibatch == 0 {
			before = said
		}
	}
	_, err := campaign(t, r, dir, 2, false).Run(t.Context())
	must.NoError(t, err)
	if len(said) != 1 || len(before) != 1 {
		t.Errorf("said %q, %q of them before the first minibatch that counts", said, before)
	}
	runs, _, err := record.ReadRuns(dir)
	if err != nil || len(runs) != 2 || runs[0].Character.CacheReady != tegra.Some(1.0) {
		t.Errorf("%+v, %v", runs, err)
	}
}

// jumpyClock is a device's clock on a machine whose calendar is set again and
// again, backwards too, as a board without a battery has it.
type jumpyClock struct {
	tegra.Clock
	n int
}

func (c *jumpyClock) Wall() time.Time {
	c.n++
	return time.Date([]int{1970, 2026, 2019, 2038}[c.n%4], 1, 1, 0, 0, c.n, 0, time.UTC)
}

func TestCampaignCalendarThatJumpsChangesNoMeasurement(t *testing.T) {
	t.Parallel()
	r := newRig(t, "lstm", virtual.Options{Noise: noNoise()})
	dir := filepath.Join(t.TempDir(), "c")
	want := must.Get((&Campaign{Bench: newRig(t, "lstm", virtual.Options{Noise: noNoise()}).bench,
		Plan: listOf(r.device.Space().Sample(4, 3))}).Run(t.Context()))(t)
	r.use(r.device, &jumpyClock{Clock: r.bench.Clock})
	for _, upTo := range []int{2, 4} {
		rec := must.Get(record.OpenOrCreate(dir, r.header(3, record.PlanHeader{Kind: "list"}), upTo > 2))(t)
		sum, err := (&Campaign{Bench: r.bench, Plan: listOf(r.device.Space().Sample(4, 3)), Record: rec,
			Gate: func(context.Context) error {
				if upTo == 2 && len(rec.Rows()) == 2 {
					return context.Canceled
				}
				return nil
			}}).Run(t.Context())
		if rec.Close(); len(sum.Rows) != upTo || len(rec.Notes()) > 0 {
			t.Fatalf("%d rows, %v, notes %v", len(sum.Rows), err, rec.Notes())
		}
	}
	_, rows, notes, err := record.ReadNoted(dir)
	if err != nil || len(rows) != 4 || len(notes) > 0 {
		t.Fatalf("%d rows, %v, notes %v", len(rows), err, notes)
	}
	for i, row := range rows {
		if w := want.Rows[i]; row.Mode != w.Mode || row.Status != record.OK || math.Abs(row.TimeMS/w.TimeMS-1) > 1e-6 {
			t.Errorf("row %d: %+v, want %+v", i, row, w)
		}
	}
}

// choosy is a plan that looks at the numbers so far.
type choosy struct{ space *tegra.Space }

func (p choosy) Len() (int, bool) { return 0, false }

func (p choosy) Next(done []record.Row) (Step, bool) {
	if len(done) > 0 && done[len(done)-1].PowerW < 20 {
		return Step{}, false
	}
	m := p.space.Max()
	m.GPU = p.space.GPU[len(p.space.GPU)-1-len(done)]
	return Step{Setting: tegra.Setting{Mode: m}}, true
}

func TestCampaignPlanThatChoosesSeesTheRowsSoFar(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	r.bench.Observe = func(p Progress) {
		if p.Total != 0 || p.ETAHi != 0 {
			t.Errorf("a plan of unknown length: total %d, ETA %s", p.Total, p.ETAHi)
		}
	}
	sum, err := (&Campaign{Bench: r.bench, Plan: choosy{r.device.Space()}}).Run(t.Context())
	if n := len(sum.Rows); err != nil || n < 2 || sum.Rows[n-1].PowerW >= 20 || sum.Rows[n-2].PowerW < 20 {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestCampaignTimeLeftIsARangeAroundTheMean(t *testing.T) {
	t.Parallel()
	took := func(s ...float64) []record.Row {
		var rows []record.Row
		for _, v := range s {
			rows = append(rows, record.Row{TookS: v})
		}
		return rows
	}
	for left, rows := range map[int][]record.Row{5: nil, 0: took(10, 20)} {
		if lo, hi := Remaining(rows, left); lo != 0 || hi != 0 {
			t.Errorf("%d left after %d rows: got %s to %s, want none", left, len(rows), lo, hi)
		}
	}
	width := func(rows []record.Row) time.Duration {
		lo, hi := Remaining(rows, 10)
		if !(lo > 0 && lo < 100*time.Second && hi > 100*time.Second) {
			t.Errorf("%d rows of 10 s, 10 left: %s to %s, want a range around 100 s", len(rows), lo, hi)
		}
		return hi - lo
	}
	six := []float64{8, 10, 12, 10, 9, 11}
	first, sixth, last := width(took(10)), width(took(six...)), width(took(slices.Repeat(six, 5)...))
	if !(first > sixth && sixth > last && last < 30*time.Second) {
		t.Errorf("widths %s, %s, %s after 1, 6 and 30 rows: want them to shrink", first, sixth, last)
	}
}

var _ harness.Harness = (*scripted)(nil)
