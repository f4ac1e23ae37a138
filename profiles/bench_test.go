package profiles

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/virtual"
)

func TestBenchModeOfAReplayMeasuresExactlyItsFile(t *testing.T) {
	t.Parallel()
	table := sweeptest.MadeUp(t)
	r := newRig(t, "resnet", virtual.Options{Replay: table})
	for _, want := range table.Rows {
		got := r.mustMeasure(t, want.Mode)
		if got.Status != record.OK || got.TimeMS != want.TimeMS || got.PowerW != want.PowerW {
			t.Errorf("%s: got %v ms %v W, %s %q; want %v ms %v W exactly", want.Mode, got.TimeMS, got.PowerW,
				got.Status, got.Why, want.TimeMS, want.PowerW)
		}
		if got.Minibatches < 40 || got.PowerSamples < 3 || got.TimeIQRMS != 0 || got.PowerIQRW != 0 ||
			got.Applied != want.Mode {
			t.Errorf("%s: %+v; want 40 minibatches, 3 samples, no spread, the mode read back", want.Mode, got)
		}
		if e := want.EnergyJ(); math.Abs(got.EnergyJ-e) > 1e-9*e {
			t.Errorf("%s: %v J, want power times time %v", want.Mode, got.EnergyJ, e)
		}
		if got.SettleS < 2 || got.SettleS > 30 || got.TookS < got.SettleS+40*want.TimeMS/1000 {
			t.Errorf("%s: settled after %v s, took %v s", want.Mode, got.SettleS, got.TookS)
		}
	}
}

func TestBenchFastModeCollectsMoreMinibatchesForItsPower(t *testing.T) {
	t.Parallel()
	r := newRig(t, "lstm", virtual.Options{Noise: noNoise()})
	m, said := r.device.Space().Max(), 0
	r.bench.Observe = func(p Progress) {
		if strings.Contains(p.Line, "too fast for 3 power readings in 40 steps: measured longer") {
			said++
		}
	}
	got := r.mustMeasure(t, m)
	if again := r.mustMeasure(t, m); said != 1 || !strings.HasPrefix(again.Why, "note: ") ||
		!strings.Contains(again.Why, "minibatches in place of 40, in which there were 0 power readings, want 3") {
		t.Errorf("raised, said %d times, in the row: %q", said, again.Why)
	}
	timeMS, powerW := r.truth(t, "lstm", m)
	if got.Status != record.OK || got.PowerSamples < 3 || got.Minibatches < 150 {
		t.Errorf("%+v: want 3 power samples, which take about 2 s of 11 ms minibatches", got)
	}
	if math.Abs(got.TimeMS-timeMS) > 0.02*timeMS || math.Abs(got.PowerW-powerW) > 0.03*powerW {
		t.Errorf("got %v ms %v W, truth is %v ms %v W", got.TimeMS, got.PowerW, timeMS, powerW)
	}
}

func TestBenchRowsComeNearTheTruthOverTheSpace(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Seed: 5})
	for _, m := range r.device.Space().Sample(8, 3) {
		got := r.mustMeasure(t, m)
		timeMS, powerW := r.truth(t, "resnet18", m)
		if got.Status != record.OK || math.Abs(got.TimeMS/timeMS-1) > 0.06 || math.Abs(got.PowerW/powerW-1) > 0.06 {
			t.Errorf("%s: %s %q %v ms %v W; truth %v ms %v W", m, got.Status, got.Why, got.TimeMS, got.PowerW, timeMS,
				powerW)
		}
		if sum := got.StallMS.V + got.ComputeMS.V + got.OverheadMS.V; math.Abs(sum/got.TimeMS-1) > 0.1 {
			t.Errorf("%s: stall + compute + overhead are %v ms of %v", m, sum, got.TimeMS)
		}
	}
}

func TestBenchSettingsChangeWhatIsCollected(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	r.bench.Settings = record.Settings{Minibatches: 12, FixedWait: 20 * time.Second, MinSamples: 1}
	got := r.mustMeasure(t, r.device.Space().Max())
	if got.Minibatches < 12 || got.Minibatches > 40 || got.SettleS < 20 {
		t.Errorf("%d minibatches after %v s; want about 12 after 20 s", got.Minibatches, got.SettleS)
	}
}

func TestBenchFloodOfMinibatchesIsNoTraining(t *testing.T) {
	t.Parallel()
	r := newRig(t, "lstm", virtual.Options{})
	told := 0
	r.bench.NewHarness = func(context.Context, int) (harness.Harness, error) {
		at := r.board.Clock().Now()
		return &scripted{next: func(context.Context) (harness.Event, error) {
			told++
			at += time.Microsecond
			return harness.Event{Kind: harness.Minibatch, T: at, TimeMS: 0.001}, nil
		}}, nil
	}
	if got := r.mustMeasure(t, r.device.Space().Max()); got.Status != record.Failed ||
		!strings.Contains(got.Why, "minibatches in 20 ms") ||
		told > 2*floodLen {
		t.Errorf("%s %q after %d minibatches", got.Status, got.Why, told)
	}
}

func TestBenchFanIsSetToMaximumUnlessKept(t *testing.T) {
	t.Parallel()
	if got := request(record.Settings{}, tegra.Mode{}); got.Fan != tegra.FanMax || got.DVFS {
		t.Errorf("default request: %+v", got)
	}
	if got := request(record.Settings{KeepFan: true, DVFS: true}, tegra.Mode{}); got.Fan != tegra.FanUntouched ||
		!got.DVFS {
		t.Errorf("kept fan, free clocks: %+v", got)
	}
}

func TestBenchPhasesComeInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	var seen []Phase
	most := 0
	r.bench.Observe = func(p Progress) {
		if len(seen) == 0 || seen[len(seen)-1] != p.Phase {
			seen = append(seen, p.Phase)
		}
		most = max(most, p.Minibatch)
		if p.Phase == Finished && p.Row == nil {
			t.Error("a finished mode without its row")
		}
	}
	r.mustMeasure(t, r.device.Space().Max())
	want := []Phase{Applying, Settling, WarmingUp, Measuring, Finished}
	if !slices.Equal(seen, want) || most < 40 {
		t.Errorf("phases %v with up to %d minibatches, want %v and 40", seen, most, want)
	}
}

func TestBenchFaultsBecomeRowsWithAReason(t *testing.T) {
	t.Parallel()
	ambient := func(c float64) virtual.Faults { return virtual.Faults{AmbientC: c, FanStuck: true} }
	for _, c := range []struct {
		name   string
		faults virtual.Faults
		set    record.Settings
		want   record.Status
		why    string
	}{
		{"a job that dies", virtual.Faults{DieAfter: 30}, record.Settings{}, record.Failed, "died"},
		{"a job that hangs", virtual.Faults{HangAfter: 30}, record.Settings{}, record.Failed,
			"prints nothing for 5 min"},
		{"a rail that vanished", virtual.Faults{MissingRails: []string{"VDD_GPU_SOC"}}, record.Settings{},
			record.Failed, "total power absent"},
		{"too little time", virtual.Faults{}, record.Settings{ModeTimeout: 4 * time.Second, Minibatches: 4000},
			record.TimedOut, "of 4000 clean minibatches in 4s"},
		{"a board in an oven", ambient(95), record.Settings{}, record.Throttled, "throttled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
			// From MAXN to a lower mode, so that a clock can stay behind.
			m := r.device.Space().Max()
			if c.want != record.Throttled {
				m.GPU = r.device.Space().GPU[6]
			}
			r.board.Inject(c.faults)
			if c.want == record.Throttled {
				r.board.Clock().Sleep(t.Context(), 3*time.Hour) // takes on the air's heat
			}
			r.bench.Settings = c.set
			got := r.mustMeasure(t, m)
			if got.Status != c.want || !strings.Contains(got.Why, c.why) {
				t.Errorf("got %s %q, want %s with %q", got.Status, got.Why, c.want, c.why)
			}
			if got.TimeMS != 0 || got.PowerW != 0 {
				t.Errorf("an unusable row holds %v ms and %v W", got.TimeMS, got.PowerW)
			}
			r.board.Inject(virtual.Faults{})
			if c.want == record.Throttled {
				return // the heat stays
			}
			r.bench.Settings = record.Settings{}
			if again := r.mustMeasure(t, m); again.Status != record.OK {
				t.Errorf("after the fault: %s %q, want a good row from a fresh job", again.Status, again.Why)
			}
		})
	}
}

// Whatever another program or the hardware does to a clock while a mode is measured, its row is not ok.
func TestBenchASettingThatChangesFailsTheMode(t *testing.T) {
	t.Parallel()
	write := func(path, value string) func(r *rig) error {
		return func(r *rig) error { return r.board.FS().WriteFile(path, []byte(value)) }
	}
	reads := func(path, value string) func(r *rig) error {
		return func(r *rig) error {
			r.board.Inject(virtual.Faults{Files: []virtual.FileFault{{Pattern: path, Garbage: value}}})
			return nil
		}
	}
	const cpu, gpu, emc = "/sys/devices/system/cpu/", "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b/",
		"/sys/kernel/debug/bpmp/debug/clk/emc/"
	for name, c := range map[string]struct {
		disturb func(r *rig) error
		status  record.Status
		why     string
	}{
		"another mode": {func(r *rig) error {
			other := r.device.Space().Max()
			other.GPU = r.device.Space().GPU[3]
			_, err := r.applier.Apply(t.Context(), tegra.Request{Mode: other})
			return err
		}, record.Failed, "min_freq was changed from 1300500000 to 420750000"},
		"a capped cluster": {write(cpu+"cpu4/cpufreq/scaling_min_freq", "499200"), record.Failed,
			"cpu4/cpufreq/scaling_min_freq was changed from 2201600 to 499200"},
		"a core put offline": {write(cpu+"cpu5/online", "0"), record.Failed, "cpu5/online was changed from 1 to 0"},
		"freed clocks": {func(r *rig) error {
			for _, core := range []string{"0", "4", "8"} {
				if err := write(cpu+"cpu"+core+"/cpufreq/scaling_min_freq", "115200")(r); err != nil {
					return err
				}
			}
			return nil
		}, record.Failed, "cpu0/cpufreq/scaling_min_freq was changed from 2201600 to 115200"},
		"a capped GPU": {write(gpu+"min_freq", "306000000"), record.Failed,
			"min_freq was changed from 1300500000 to 318750000"},
		"an unlocked memory": {write(emc+"mrq_rate_locked", "0"), record.Failed,
			"mrq_rate_locked was changed from 1 to 0"},
		"a slow cluster": {reads(cpu+"cpu4/cpufreq/scaling_cur_freq", "499200"), record.Misset,
			"CPU core 4 clock reads 499.2 MHz where 2.20 GHz is set"},
		"a slow GPU": {reads(gpu+"cur_freq", "306000000"), record.Misset,
			"GPU clock reads 306 MHz where 1.30 GHz is set"},
		"a slow memory": {reads(emc+"rate", "204000000"), record.Failed,
			"rate was changed from 3199000000 to 204000000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
			begun := false
			r.bench.Observe = func(p Progress) {
				if p.Minibatch == 1 && !begun {
					begun = true
					if err := c.disturb(r); err != nil {
						t.Error(err)
					}
				}
			}
			if got := r.mustMeasure(t, r.device.Space().Max()); got.Status != c.status ||
				!strings.Contains(got.Why, c.why) {
				t.Errorf("%s %q", got.Status, got.Why)
			}
		})
	}
}

func TestBenchModeTheBoardDoesNotTakeIsRejected(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	max := r.device.Space().Max()
	r.applier.fail = func(tegra.Mode) error { return errTest }
	if got := r.mustMeasure(t, max); got.Status != record.Rejected || !strings.Contains(got.Why, errTest.Error()) {
		t.Errorf("refused: %s %q", got.Status, got.Why)
	}
	r.applier.fail = nil
	r.applier.after = func(a *tegra.Applied) {
		a.Files = append(a.Files, tegra.KnobFile{Knob: "GPU max", Path: "/sys/x", Asked: "5", Actual: "4"})
	}
	got, err := r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: max}, Raise: true})
	if err != nil || got.Status != record.Rejected || !strings.Contains(got.Why, "requested 5, reads back 4") ||
		!strings.Contains(got.Why, "reboot") {
		t.Errorf("read back otherwise: %s %q, %v", got.Status, got.Why, err)
	}
	r.applier.fail = func(tegra.Mode) error { return tegra.ErrPermission }
	_, err = r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: max}})
	if !errors.Is(err, tegra.ErrPermission) {
		t.Errorf("no rights: %v, want it to end the campaign", err)
	}
	r.applier.fail = func(tegra.Mode) error { return tegra.ErrGone }
	if _, err := r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: max}}); !errors.Is(err, tegra.ErrGone) {
		t.Errorf("guard gone: %v, want it to end the campaign", err)
	}
}

func TestBenchPowerThatNeverSettlesMakesAnUnstableRow(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	r.use(&restless{Device: r.device}, r.bench.Clock)
	got := r.mustMeasure(t, r.device.Space().Max())
	if got.Status != record.Unstable || got.SettleS < 30 || !(got.TimeMS > 0) ||
		!strings.Contains(got.Why, "not steady within 30s") {
		t.Errorf("got %+v; want an unstable row with numbers", got)
	}
}

// restless is a device whose power jumps.
type restless struct {
	tegra.Device
	n int
}

func (d *restless) Read() (tegra.Reading, error) {
	r, err := d.Device.Read()
	d.n++
	r.TotalW.V *= 1 + 0.2*float64(d.n%2)
	return r, err
}

func TestBenchCancellingEndsAtOnceWithoutARow(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	r.bench.Observe = func(p Progress) {
		if p.Minibatch == 5 {
			cancel()
		}
	}
	_, err := r.bench.Measure(ctx, Step{Setting: tegra.Setting{Mode: r.device.Space().Max()}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestBenchCommandThatNeverWorksEndsTheCampaign(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{})
	r.runs("echo no module named torch >&2; exit 1", nil)
	m := r.device.Space().Max()
	for range maxEmptyRuns - 1 {
		if got := r.mustMeasure(t, m); got.Status != record.Failed ||
			!strings.Contains(got.Why, "no module named torch") {
			t.Errorf("%s %q", got.Status, got.Why)
		}
	}
	if _, err := r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: m}}); err == nil ||
		!strings.Contains(err.Error(), "3 times without a minibatch") {
		t.Errorf("third time: %v", err)
	}
	r.bench.NewHarness = func(context.Context, int) (harness.Harness, error) { return nil, errTest }
	if _, err := r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: m}}); !errors.Is(err, errTest) {
		t.Errorf("a job that cannot start: %v", err)
	}
}

// No other mode makes a command print other lines: the first one ends the campaign.
func TestBenchCommandThatIsNotUnderstoodEndsTheCampaign(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{})
	r.runs("echo all is well", &harness.Detect{})
	_, err := r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: r.device.Space().Max()}})
	if !errors.Is(err, harness.ErrNotUnderstood) {
		t.Errorf("%v", err)
	}
}

func TestBenchJobThatEndsByItselfIsStartedAgainThenTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	starts, length := 0, 20
	r.bench.NewHarness = func(ctx context.Context, batch int) (harness.Harness, error) {
		starts++
		n := length
		length = 1000 // the second run is long enough
		inner, err := r.bench.Workload.NewHarness(workload.HarnessOptions{Virtual: r.board})(ctx, batch)
		return &scripted{next: func(ctx context.Context) (harness.Event, error) {
			if n--; n < 0 {
				return harness.Event{}, io.EOF
			}
			return inner.Next(ctx)
		}}, err
	}
	if got := r.mustMeasure(t, r.device.Space().Max()); got.Status != record.OK || starts != 2 {
		t.Errorf("%s %q after %d starts; want ok after 2", got.Status, got.Why, starts)
	}
	r.bench.Close()
	starts = 0
	inner := r.bench.NewHarness
	r.bench.NewHarness = func(ctx context.Context, batch int) (harness.Harness, error) {
		length = 20
		return inner(ctx, batch)
	}
	if got := r.mustMeasure(t, r.device.Space().Max()); got.Status != record.Failed ||
		!strings.Contains(got.Why, "JTUNE_EPOCHS=0") ||
		starts != restarts+1 {
		t.Errorf("%s %q after %d starts; want the advice after %d", got.Status, got.Why, starts, restarts+1)
	}
}

func TestBenchPowerBeforeTheJobTrainsDoesNotCount(t *testing.T) {
	t.Parallel()
	// The job needs 20 s to load, at idle power: steady, but not the mode's.
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	starter := r.bench.NewHarness
	r.bench.NewHarness = func(ctx context.Context, batch int) (harness.Harness, error) {
		if err := r.bench.Clock.Sleep(ctx, 20*time.Second); err != nil {
			return nil, err
		}
		return starter(ctx, batch)
	}
	m := r.device.Space().Max()
	got := r.mustMeasure(t, m)
	_, powerW := r.truth(t, "resnet18", m)
	if math.Abs(got.PowerW/powerW-1) > 0.03 || got.SettleS < 2 {
		t.Errorf("got %v W after settling for %v s; the truth is %v W", got.PowerW, got.SettleS, powerW)
	}
}

func TestBenchMinibatchesOfTheModeBeforeDoNotCount(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	high := r.device.Space().Max()
	low := high
	low.GPU = r.device.Space().GPU[2]
	r.mustMeasure(t, high)
	// The job's queue holds what it did before the change.
	job, old := r.bench.job, 5
	stale := harness.Event{Kind: harness.Minibatch, T: r.board.Clock().Now(), TimeMS: 1}
	r.bench.job = &scripted{next: func(ctx context.Context) (harness.Event, error) {
		if old--; old >= 0 {
			return stale, nil
		}
		return job.Next(ctx)
	}}
	got := r.mustMeasure(t, low)
	timeMS, _ := r.truth(t, "resnet18", low)
	if got.Status != record.OK || math.Abs(got.TimeMS/timeMS-1) > 0.02 || got.TimeIQRMS > 0.01*timeMS {
		t.Errorf("%+v; the truth is %v ms", got, timeMS)
	}
}

// lined is a job that prints a line every some steps: these all have the mean time since the line before.
type lined struct {
	harness.Harness
	every int
	held  []harness.Event // since the last line
	out   []harness.Event // of the last line
}

// work does steps; a full line of them is read.
func (l *lined) work(ctx context.Context, n int) error {
	for range n {
		e, err := l.Harness.Next(ctx)
		if err != nil || !e.Timed() {
			return err
		}
		if l.held = append(l.held, e); len(l.held) < l.every {
			continue
		}
		since := l.held[0].Began()
		each := (e.T - since) / time.Duration(l.every)
		for i, e := range l.held {
			e.T, e.Shared, e.TimeMS = since+each*time.Duration(i+1), since, float64(each)/float64(time.Millisecond)
			l.out = append(l.out, e)
		}
		l.held = nil
	}
	return nil
}

func (l *lined) Next(ctx context.Context) (e harness.Event, err error) {
	for len(l.out) == 0 {
		if err := l.work(ctx, 1); err != nil {
			return e, err
		}
	}
	e, l.out = l.out[0], l.out[1:]
	return e, nil
}

// A line that a job prints some time after a change of mode tells the mean of both modes.
func TestBenchStepsOfALineThatBeganInTheModeBeforeDoNotCount(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	r.bench.Settings.Precision = 0.01
	high := r.device.Space().Max()
	low := high
	low.GPU = r.device.Space().GPU[2]
	starter, job := r.bench.NewHarness, &lined{every: 200}
	r.bench.NewHarness = func(ctx context.Context, batch int) (_ harness.Harness, err error) {
		job.Harness, err = starter(ctx, batch)
		return job, err
	}
	r.mustMeasure(t, high)
	job.out = nil
	if err := job.work(t.Context(), 70); err != nil { // before the next mode is set
		t.Fatal(err)
	}
	got := r.mustMeasure(t, low)
	timeMS, _ := r.truth(t, "resnet18", low)
	if got.Status != record.OK || math.Abs(got.TimeMS/timeMS-1) > 0.02 {
		t.Errorf("%+v; the truth is %v ms", got, timeMS)
	}
}

func TestBenchMinibatchesThatTheJobCallsUncleanDoNotCount(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet", virtual.Options{Noise: noNoise()})
	n := 0
	r.through(func(e harness.Event, err error) (harness.Event, error) {
		if n++; n%2 == 0 { // every second one writes a checkpoint
			e.TimeMS, e.Unclean = 10*e.TimeMS, true
		}
		return e, err
	})
	m := r.device.Space().Max()
	timeMS, _ := r.truth(t, "resnet18", m)
	if got := r.mustMeasure(t, m); got.Status != record.OK || math.Abs(got.TimeMS/timeMS-1) > 0.02 ||
		got.TimeIQRMS > 0.01*timeMS {
		t.Errorf("%s %q: %v ms ± %v; the truth is %v ms", got.Status, got.Why, got.TimeMS, got.TimeIQRMS, timeMS)
	}
}

// A minibatch of BERT at a TX2's lowest clocks takes longer than a job may be silent: a bench that has measured a fast
// mode knows better than to end it.
func TestBenchWaitsForAMinibatchThatTheClocksMakeSlow(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bert", virtual.Options{Name: "tx2", Noise: noNoise()})
	r.bench.Settings.Minibatches, r.bench.Settings.ModeTimeout = 2, 24*time.Hour
	space := r.device.Space()
	r.bench.NewHarness = r.bench.Workload.NewHarness(workload.HarnessOptions{Virtual: r.board, Clock: r.board.Clock(),
		Silence: harness.DefaultSilence})
	slow, fast := space.Grid().At(0), space.Max()
	var took []float64
	for _, m := range []tegra.Mode{fast, slow} {
		row, err := r.bench.Measure(t.Context(), Step{Setting: tegra.Setting{Mode: m}})
		if err != nil || !row.Status.Usable() {
			t.Fatalf("%s: %s, %s, %v", m, row.Status, row.Why, err)
		}
		took = append(took, row.TimeMS)
	}
	if fresh := harness.DefaultSilence.Seconds() * 1000; took[1] < fresh {
		t.Fatalf("%.0f ms in the slow mode, want more than the %.0f that a job may be silent", took[1], fresh)
	}
	if most := took[0] * r.bench.slowdown(tegra.Setting{Mode: fast}, tegra.Setting{Mode: slow}); most < took[1] {
		t.Errorf("at most %.0f ms expected, %.0f ms taken", most, took[1])
	}
}

// With patience for so long, ten minibatches of a slow mode are enough; a quicker one gets all forty.
func TestBenchEndsASlowModeWhenItsPatienceDoes(t *testing.T) {
	t.Parallel()
	r := newRig(t, "resnet18", virtual.Options{Name: "tx2", Noise: noNoise()})
	r.bench.Settings.Patience = 30 * time.Second
	for _, c := range []struct {
		at          int // of the modes that are profiled, slowest first
		least, most int
	}{{0, record.FewestOfSlow, record.FewestOfSlow}, {r.device.Space().Grid().Len() - 1, 40, 40}} {
		m := r.device.Space().Grid().At(c.at)
		got := r.mustMeasure(t, m)
		timeMS, _ := r.truth(t, "resnet18", m)
		slow := c.most < 40
		if got.Status != record.OK || got.Minibatches < c.least || got.Minibatches > c.most ||
			math.Abs(got.TimeMS/timeMS-1) > 0.01 || strings.Contains(got.Why, "in place of 40, which took") != slow {
			t.Errorf("%s: %+v, want %d minibatches of %.0f ms", m, got, c.most, timeMS)
		}
	}
}

// What a slow mode shows in the time that it may take is a measurement: half an hour of minibatches says how long they
// take, also where forty take hours.
func TestBenchCountsWhatASlowModeShowsInItsTime(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bert", virtual.Options{Name: "tx2", Noise: noNoise()})
	m := r.device.Space().Grid().At(0)
	m.EMC = 204 * tegra.MHz
	got := r.mustMeasure(t, m)
	timeMS, powerW := r.truth(t, "bert", m)
	if got.Status != record.OK || got.Minibatches < fewestClean || got.Minibatches >= 40 ||
		math.Abs(got.TimeMS/timeMS-1) > 0.01 || math.Abs(got.PowerW/powerW-1) > 0.02 ||
		!strings.Contains(got.Why, "of 40 clean minibatches in 20m0s") {
		t.Errorf("%+v, want %.0f ms and %.2f W", got, timeMS, powerW)
	}
}
