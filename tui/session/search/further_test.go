package search_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/further"
	"jtune/tui/session/measure"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/soak"
	"jtune/tui/session/workloads"
)

// searched makes a search for a line of limits on resnet18.
func searched(t *testing.T, s *session.Session, line string) (measure.TuneResult, error) {
	t.Helper()
	q := must.Get(metric.Parse(line))(t)
	w := must.Get(workloads.Find(s, "resnet18"))(t)
	return search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: q.List(),
		Keep:      true}, nil)
}

func TestTuneKeepsACurrentOfTheSimulatedRail(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:orin-nano", Speed: math.Inf(1)})
	amps := must.Get(searched(t, s, "2.2 A VDD_IN"))(t)
	a := amps.Answers[0]
	read := a.Reading.Value(metric.Current.Key, "VDD_IN")
	if !a.Feasible || !read.OK || read.V > 2.2 {
		t.Errorf("the answer %v reads %v A of VDD_IN, at most 2.2 wanted", a.Mode, read)
	}
	if volts := a.Reading.PowerW / read.V; volts < 4.7 || volts > 5.1 { // the simulated supply sags from 5 V
		t.Errorf("%.2f W and %.3f A are %.2f V of a 5 V rail", a.Reading.PowerW, read.V, volts)
	}
	watts, err := searched(t, s, "10.8 W") // as much at the rail's volts
	must.NoError(t, err)
	if gap := a.Reading.TimeMS/watts.Answers[0].Reading.TimeMS - 1; math.Abs(gap) > 0.06 {
		t.Errorf("2.2 A of the supply at 4.9 V give %.1f ms, 10.8 W %.1f", a.Reading.TimeMS,
			watts.Answers[0].Reading.TimeMS)
	}
	list := must.Get(campaigns.List(s.Options.Paths))(t)
	_, kept, err := savedanswers.Find(list, list[0])
	if err != nil || kept == nil || kept.Answers[0].Limit.String() != "2.2 A VDD_IN" ||
		math.Abs(kept.Answers[0].Reading.Value(metric.Current.Key, "VDD_IN").V-read.V) > 1e-9 {
		t.Errorf("the answer is kept as %+v, %v", kept, err)
	}
	onDisk := record.WithFurther(amps.Dir, amps.Rows, 0)
	for i, r := range amps.Rows { // as a later search reads them
		was, is := r.Value(metric.Current.Key, "VDD_IN"), onDisk[i].Value(metric.Current.Key, "VDD_IN")
		if r.Status.Usable() && (!is.OK || math.Abs(is.V/was.V-1) > 0.02) {
			t.Errorf("%v was read with %v A, its samples say %v", r.Mode, was, is)
		}
	}
	stripRails(t, amps.Dir)
	must.Equal(t, record.WithFurther(amps.Dir, amps.Rows[:1], 0)[0].Measured, amps.Rows[0].Measured)
}

// stripRails makes a campaign's samples those of an older jtune, which had no rails.
func stripRails(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "samples.csv")
	text := must.Read(t, path)
	lines := strings.Split(string(text), "\n")
	n := strings.Count(lines[0], "_v,")
	for i, l := range lines {
		if f := strings.Split(l, ","); len(f) > 2*n+1 {
			lines[i] = strings.Join(append(f[:len(f)-2*n-1:len(f)-2*n-1], f[len(f)-1]), ",")
		}
	}
	must.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
}

// A limit in °C is kept by what the board's soaks show of its heat; a soak of the answer confirms it.
func TestTuneKeepsATemperatureThatASoakReaches(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:orin-nano", Speed: math.Inf(1)})
	w := must.Get(workloads.Find(s, "resnet18"))(t)
	steady := func(mode *tegra.Request) float64 {
		got, err := soak.Run(t.Context(), s, soak.Request{Workload: w, Mode: mode, UntilSteady: true}, nil)
		if err != nil || !got.Steady.TjC.OK {
			t.Fatalf("%+v, %v", got.Steady, err)
		}
		return got.Steady.TjC.V
	}
	top := steady(nil)
	limit := math.Round(top - 4)
	out := must.Get(searched(t, s, metric.Temperature.Max(limit).String()))(t)
	a := out.Answers[0]
	none := tegra.Val[tegra.Measured]{}
	values := further.Of(a.Limit, a.Predicted, tegra.Val[learn.Prediction]{}, none)
	if len(values) != 1 || !(values[0].Lo < values[0].V && values[0].V < values[0].Hi) {
		t.Fatalf("%+v", values)
	}
	proved := further.Of(a.Limit, a.Predicted, a.True, a.Read())[0]
	got := steady(&tegra.Request{Mode: a.Mode})
	t.Logf("at most %.0f °C: predicted %.1f (%.1f to %.1f), its soak %.1f, another reaches %.1f; the fastest mode %.1f",
		limit, values[0].V, values[0].Lo, values[0].Hi, proved.V, got, top)
	if !a.Feasible || a.Soak == nil || a.Soak.Verdict != hold.Holds || proved.V > limit || proved.Lo != proved.V ||
		math.Abs(got-proved.V) > 1 || proved.V < values[0].Lo || proved.V > values[0].Hi {
		t.Errorf("its soak: %+v, %+v", a.Soak, proved)
	}
}

// The first answer relies on a guess of the board's heat. When its soak ends above the limit, the search goes on and
// finds one that holds. The given folder holds its first campaign.
func TestTuneGoesOnWhenASoakRefutesItsAnswer(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:orin-nano", Speed: math.Inf(1)})
	w := must.Get(workloads.Find(s, "resnet18"))(t)
	q := must.Get(metric.Parse("58 C"))(t)
	dir, notes := filepath.Join(t.TempDir(), "asked"), ""
	out, err := search.Tune(t.Context(), s, measure.TuneRequest{
		Measuring: measure.Measuring{Workload: w, Dir: dir}, Questions: q.List(), Keep: true},
		func(e measure.Event) {
			if n, ok := e.(measure.NoteEvent); ok {
				notes += string(n) + "\n"
			}
		})
	a := out.Answers[0]
	if err != nil || !a.Feasible || a.Soak == nil || a.Soak.Verdict != hold.Holds || a.Soak.Steady.TjC.V > 58 {
		t.Errorf("%v: %+v, %v", a.Setting, a.Soak, err)
	}
	if !strings.Contains(notes, "over 58 °C. The search goes on") {
		t.Fatalf("no soak refutes an answer:\n%s", notes)
	}
	list := must.Get(campaigns.List(s.Options.Paths))(t)
	at := slices.IndexFunc(list, func(c campaigns.Campaign) bool { return c.Header.Plan.PartOf != "" })
	_, last, err := record.Read(out.Dir)
	must.NoError(t, err)
	if out.Home != dir || out.Dir == dir || at < 0 || list[at].Header.Plan.PartOf != out.Began ||
		len(out.Rows) <= len(last) {
		t.Errorf("home %s, last %s, %d rows", out.Home, out.Dir, len(out.Rows))
	}
}

func TestTuneRefusesALimitOnWhatTheBoardLacksBeforeItMeasures(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:orin-nano", Speed: math.Inf(1)})
	for line, names := range map[string]string{"5 A VDD_FOO": "VDD_IN, VDD_CPU_GPU_CV, VDD_SOC",
		"9 W VDD_FOO": "VDD_IN, VDD_CPU_GPU_CV, VDD_SOC", "4.7 V": "jtune soak"} {
		_, err := searched(t, s, line)
		if !errors.Is(err, tegra.ErrUnsupported) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if list, err := campaigns.List(s.Options.Paths); err != nil || len(list) > 0 {
		t.Errorf("%d campaigns were begun, %v", len(list), err)
	}
}

func TestTuneSaysBeforeItMeasuresThatALimitIsAboveAllThatIsKnown(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "resnet18"))(t)
	for watts, want := range map[float64]string{300: "reaches the limit of 300 W: 60 W", 30: ""} {
		ctx, stop := context.WithCancel(t.Context())
		said := ""
		_, _ = search.Tune(ctx, s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
			Questions: metric.Question{Limit: metric.Watts(watts)}.List()}, func(e measure.Event) {
			switch note, is := e.(measure.NoteEvent); {
			case ctx.Err() != nil:
			case is:
				said += string(note) + "\n"
			default:
				stop()
			}
		})
		stop()
		must.Equal(t, strings.Contains(said, "reaches the limit"), want != "", watts, want)
		must.Contain(t, said, want)
	}
}
