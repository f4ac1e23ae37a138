package handover

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
	"jtune/tui/export"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/models"
	"jtune/tui/session/soak"
)

var update = flag.Bool("update", false, "write the golden report")

func mode(cores int, cpu, gpu, emc float64) tegra.Mode {
	return tegra.Mode{Cores: cores, CPU: tegra.Freq(cpu * 1e9), GPU: tegra.Freq(gpu * 1e9), EMC: tegra.Freq(emc * 1e9)}
}

func measured(m tegra.Mode, ms, w float64) tegra.Measured {
	return tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: w}
}

// searched is a report on a search whose answer was soaked.
func searched(t *testing.T) Report {
	t.Helper()
	space := must.Get(tegra.NewSpace([]int{2, 4}, []tegra.Freq{tegra.GHz, 2 * tegra.GHz},
		[]tegra.Freq{tegra.GHz / 2, tegra.GHz},
		[]tegra.Freq{2 * tegra.GHz}))(t)
	found, before, preset := mode(4, 1, 1, 2), mode(4, 2, 1, 2), mode(2, 2, 0.5, 2)
	a := answers.Answer{Setting: tegra.Setting{Mode: found}, Limit: metric.Watts(15), Feasible: true,
		Verified: true, Standing: standing.Standing{N: 2, Limited: true},
		About: outlook.About{Reading: tegra.Mean{Measured: measured(found, 80, 14.2), N: 2},
			Predicted: learn.Prediction{Measured: measured(found, 82, 14.0), TimeLoMS: 74, TimeHiMS: 90, PowerLoW: 13,
				PowerHiW: 15}},
		Before: &answers.Baseline{Name: "present", Mean: tegra.Mean{Measured: measured(before, 60, 21), N: 1}},
		Preset: &answers.Baseline{Name: "15W", Mean: tegra.Mean{Measured: measured(preset, 110, 14.5), N: 1}},
		Versus: outlook.Comparisons{Presets: []outlook.Comparison{{Name: "10W",
			Other: learn.Prediction{Measured: measured(mode(2, 1, 0.5, 2), 190, 9.4)}}}}}
	a.Compared()
	at := time.Date(2026, 1, 5, 10, 15, 0, 0, time.UTC)
	head := record.Header{Jtune: "1.2", Created: at, Seed: 7,
		Device: record.DeviceHeader{Name: "Orin NX", Model: "NVIDIA Orin NX", SoC: "tegra234", L4T: "36.4",
			Total: "VDD_IN", Rails: []string{"VDD_IN"}},
		Workload: workload.Workload{Name: "resnet18", Batch: 16, Workers: 4},
		Plan:     record.PlanHeader{Kind: "tune"}}
	rows := []record.Row{
		{Measured: measured(before, 60, 21), Status: record.OK, Minibatches: 40},
		{Measured: measured(preset, 110, 14.5), Status: record.OK, Minibatches: 40},
		{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode(2, 1, 1, 2)}}, Status: record.TimedOut,
			Why: "4 minibatches in 60 s"},
		{Measured: measured(found, 80, 14.2), Status: record.OK, Minibatches: 41}}
	return Report{Name: "20260105-101500-resnet18-tune", Header: head, Software: []string{"torch 2.8.0"}, Space: space,
		Rows: rows, Answers: Answers{Since: []tegra.Setting{{}}, Soaks: []*soak.Kept{proved(head, found)},
			Kept: &answers.Kept{Answers: []answers.Answer{a}, Warnings: []string{"one mode was too slow"}}},
		Jtune: "1.2", Made: at.Add(time.Hour),
		Commands: Commands{Set: func(mode string) []string { return []string{"jtune apply " + mode} },
			SetSays: "apply reads it back.",
			Prove:   func(job, mode string) string { return "jtune soak " + job + " " + mode }}}
}

// proved is a soak of 45 minutes.
func proved(head record.Header, m tegra.Mode) *soak.Kept {
	some := tegra.Some[float64]
	k := soak.Kept{Header: head, Ended: true, Limits: metric.Current.Max(5), Result: hold.Result{
		Verdict: hold.Holds, Reason: "held for 45 min, peak 2.90 A of 5 A; steady at 71 °C", Mode: tegra.Some(m),
		DurationS: 2700, State: hold.State{
			Steady:  hold.Steady{TjC: some(71), LoC: some(70.2), HiC: some(71.9), Reached: true},
			Peak:    hold.Peak{PowerW: some(14.9), Amperes: some(2.9), TjC: some(71.2), Rail: tegra.Some("VDD_IN")},
			Least:   hold.Least{Volts: some(5.04), Rail: tegra.Some("VDD_IN")},
			Margins: hold.Margins{Amperes: some(2.1), TjC: some(27.8)}},
		Events: []hold.Event{{AtS: 0, What: "idle before the load: tj 38.0 °C, taken as the air temperature"}}}}
	for s := range 2700 {
		k.Course = append(k.Course, soak.Seen{AtS: float64(s), Reading: tegra.Reading{TotalW: some(14.5),
			Temps: []tegra.TempReading{{Name: "tj", C: 71 - 33*math.Exp(-float64(s)/300)}},
			Rails: []tegra.RailReading{{Name: "VDD_IN", Amperes: some(2.8), Volts: some(5.05)}}}})
	}
	return &k
}

// The words of a report, as Markdown.
func TestReportSays(t *testing.T) {
	t.Parallel()
	got := export.DocumentMarkdown(searched(t).Document())
	path := filepath.Join("testdata", "report.md")
	if *update {
		must.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want := must.Read(t, path)
	must.Equal(t, got, string(want))
}

// A page without a mark describes a real board; any other says in large letters what it is.
func TestReportSaysWhatIsNoMeasurement(t *testing.T) {
	t.Parallel()
	r := searched(t)
	must.Equal(t, r.Document().Mark, "")
	r.Header.Device.Virtual = true
	must.Contain(t, export.DocumentHTML(r.Document()), `<p class="mark">SIMULATED`)
	r.Header.Device.Replay = "sweep.csv"
	must.Contain(t, export.DocumentHTML(r.Document()), `<p class="mark">REPLAYED`)
}

// Whatever names a folder holds, they are text on the page.
func TestReportOfHostileNames(t *testing.T) {
	t.Parallel()
	const evil = `"><script>alert(1)</script><img src=http://x.example/a onerror=b()>'|*[l](http://x.example)` + "\n# h\n"
	r := searched(t)
	r.Name, r.Header.Workload.Name, r.Software = evil, evil, []string{evil}
	r.Header.Device.Name, r.Header.Device.Model, r.Header.Device.Rails = evil, evil, []string{evil}
	r.Header.Plan.Source, r.Notes, r.Kept.Warnings = evil, []string{evil}, []string{evil}
	r.Rows[2].Why, r.Kept.Answers[0].Preset.Name, r.Kept.Answers[0].Gain.Against = evil, evil, evil
	r.Kept.Answers[0].Versus.Presets[0].Name = evil
	s := r.Soaks[0]
	s.Header, s.Result.Reason, s.Result.Peak.Rail, s.Result.Events[0].What = r.Header, evil, tegra.Some(evil), evil
	page := export.DocumentHTML(r.Document())
	must.Lack(t, strings.ReplaceAll(page, "&lt;img src=http", ""), "<script", "<img", "src=", "href=",
		"http://www.w3.org")
	must.Lack(t, page, "jtune soak \"")
	if n := strings.Count(page, "&lt;script&gt;"); n < 12 {
		t.Errorf("only %d of the names are on the page", n)
	}
	if len(page) > 400_000 {
		t.Errorf("%d bytes", len(page))
	}
	for line := range strings.Lines(export.DocumentMarkdown(r.Document())) {
		bare := strings.NewReplacer(`\]`, "", `\<`, "").Replace(line)
		if strings.HasPrefix(line, "# h") || strings.Contains(bare, "](") || strings.Contains(bare, "<") {
			t.Errorf("markup of a name: %s", line)
		}
	}
}

// A model of several batch sizes predicts the modes of a report at its answer's size; without an answer at none.
func TestReportOfSeveralSizesNeedsTheAnswersSize(t *testing.T) {
	t.Parallel()
	of := searched(t)
	o := session.Options{Paths: config.Paths{DataDir: t.TempDir()}}
	head := record.Header{Workload: workload.Workload{Name: "own"}}
	c := campaigns.Campaign{Header: &head}
	c.Board = "Orin NX"
	var rows []tegra.Measured
	for _, m := range of.Space.All() {
		for _, batch := range []int{8, 32} {
			rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: batch},
				TimeMS: float64(batch) * 5 / m.GPU.GHz(), PowerW: 5 + 5*m.GPU.GHz()})
		}
	}
	m := must.Get(learn.Fit(t.Context(), rows, learn.Options{Space: of.Space, SkipCV: true,
		Provenance: learn.Provenance{Pool: models.NamePool(nil, head.Workload, c.Board, nil).String()}}))(t)
	must.NoError(t, os.MkdirAll(o.Paths.ModelsDir(), 0o700))
	must.NoError(t, m.Save(filepath.Join(o.Paths.ModelsDir(), "own.model")))
	for batch, want := range map[int]bool{0: false, 32: true} {
		r := Report{Answers: Answers{Kept: &answers.Kept{Batches: []int{8, 32},
			Answers: []answers.Answer{{Setting: tegra.Setting{Batch: batch}}}}}}
		if batch == 0 {
			r.Kept = nil
		}
		if got := r.known(o, nil, c); (got != nil) != want || len(r.Notes) > 0 {
			t.Errorf("batch size %d: predictions %v, notes %q, want predictions: %v", batch, got != nil, r.Notes, want)
		}
	}
}

func TestReportWithoutASoakSaysHowToGetOne(t *testing.T) {
	t.Parallel()
	r := searched(t)
	r.Soaks[0] = nil
	page := export.DocumentHTML(r.Document())
	r.Header.Workload.Name = "$(reboot)"
	must.Lack(t, export.DocumentMarkdown(r.Document()), "soak $(")
	must.Contain(t, page, "jtune soak resnet18 4c/1.00C/1.00G/2.00M")
	must.Lack(t, page, "It holds")
}

func TestVerifyDriftIsMoreThanReadingsDifferBy(t *testing.T) {
	t.Parallel()
	a := searched(t).Kept.Answers[0]
	a.Limit = metric.LeastEnergy
	for _, c := range []struct {
		ms, w   float64
		drifted bool
	}{{80, 14.2, false}, {80.6, 14.3, false}, {70, 13, false}, {86, 14.2, true}, {80, 15.3, true},
		{80, math.NaN(), false}, {86, math.NaN(), true}} {
		var v Verification
		v.judge(a, []tegra.Measured{measured(a.Mode, c.ms, c.w)})
		if v.Drifted != c.drifted || v.Holds() == c.drifted || v.Verdict != standing.NoVerdict ||
			(v.TimePct.V > 0) != (c.ms > 80) {
			t.Errorf("%g ms, %g W: %+v", c.ms, c.w, v)
		} else if v.PowerPct.OK == math.IsNaN(c.w) || strings.Contains(v.Says, "NaN") {
			t.Errorf("%g ms, %g W: %+v", c.ms, c.w, v)
		}
		must.Contain(t, string(must.Get(json.Marshal(&v))(t)), `"verdict":null`)
	}
}

// A reading with a hiccup has a mean that is higher and known less well: that is no drift.
func TestVerifyDriftKnowsTheErrorOfTheNewReading(t *testing.T) {
	t.Parallel()
	a := searched(t).Kept.Answers[0]
	a.Limit = metric.LeastEnergy
	for errPct, drifted := range map[float64]bool{0.3: true, 3: false} {
		m := measured(a.Mode, 1.035*a.Reading.TimeMS, a.Reading.PowerW)
		m.Errors = tegra.Errors{Time: tegra.Some(errPct / 100), Power: tegra.Some(0.005)}
		var v Verification
		if v.judge(a, []tegra.Measured{m}); v.Drifted != drifted {
			t.Errorf("an error of %g %%: %+v", errPct, v)
		}
	}
}

// A mode holds if its readings keep the limit, or there is none; near it, it is undecided.
func TestVerificationHoldsByItsVerdict(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[standing.Verdict][2]bool{standing.NoVerdict: {true, false},
		standing.Keeps: {true, false}, standing.AtLimit: {false, true}, standing.Exceeds: {}} {
		for _, off := range []Verification{{}, {Drifted: true}, {Slowed: true}} {
			sound := !off.Drifted && !off.Slowed
			off.Verdict = verdict
			must.Equal(t, [2]bool{off.Holds(), off.Undecided()}, [2]bool{want[0] && sound, want[1] && sound}, off)
		}
	}
}
