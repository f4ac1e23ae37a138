package session

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/tegratest"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

// hotSession is a virtual board in hot air, close to its trip points.
func hotSession(t *testing.T) (*Session, workload.Workload) {
	t.Helper()
	s := fast(t)
	s.Virtual.Inject(virtual.Faults{AmbientC: 92, FanStuck: true})
	s.Virtual.Heat(97)
	w, err := s.Workload("lenet5")
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

func TestSessionHotBoardEndsACampaignAfterTheModeInProgress(t *testing.T) {
	t.Parallel()
	s, w := hotSession(t)
	res, err := s.Profile(t.Context(), ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 4}, nil)
	var hot *profiles.HotError
	if !errors.As(err, &hot) || len(res.Rows) != 1 || res.Rows[0].Status.Usable() {
		t.Errorf("%d rows, %v", len(res.Rows), err)
	}
	for _, r := range []TuneRequest{{}, {Coverage: CoverFront}, {Strategy: optimize.Binary}} {
		r.Workload, r.Limit = w, optimize.Limit{PowerW: 30}
		found, err := s.Tune(t.Context(), r, nil)
		if !errors.As(err, &hot) || found.Feasible || found.Fitted != nil {
			t.Errorf("tune %s %s: feasible %v, model %v, %v", r.Coverage, r.Strategy, found.Feasible,
				found.Fitted != nil, err)
		}
	}
}

func TestSessionRunSaysThatTheBoardIsHot(t *testing.T) {
	t.Parallel()
	s, w := hotSession(t)
	for _, n := range []int{0, 10} { // ten take less than the time between two samples
		res, err := s.Run(t.Context(), RunRequest{Workload: w, Minibatches: n}, nil)
		if err != nil || res.Hot == "" {
			t.Errorf("%d minibatches: hot %q, %v", n, res.Hot, err)
		}
	}
	cool := fast(t)
	if res, err := cool.Run(t.Context(), RunRequest{Workload: w}, nil); err != nil || res.Hot != "" {
		t.Errorf("a cool board: %q, %v", res.Hot, err)
	}
}

func TestSessionVerifyOfAHotBoardIsNoMeasurement(t *testing.T) {
	t.Parallel()
	s, w := hotSession(t)
	row, err := s.Verify(t.Context(), w, s.Device.Space().Modes()[0], nil)
	if err != nil || row.Status != record.Hot && row.Status != record.Throttled {
		t.Errorf("%s %q, %v", row.Status, row.Why, err)
	}
}

func TestSessionFanThatCannotBeSetIsSaid(t *testing.T) {
	t.Parallel()
	with := open(t, Options{Sysroot: tegratest.AGXOrin35(t)})
	tr := tegratest.NewAGXOrin35()
	tr.Remove("/sys/devices/platform/pwm-fan")
	without := open(t, Options{Sysroot: tr.Write(t)})
	for _, c := range []struct {
		s    *Session
		keep bool
		want bool
	}{{with, false, false}, {without, false, true}, {without, true, false}} {
		if got := c.s.fanWarning(c.keep); strings.HasPrefix(got, "warning: jtune cannot set a fan") != c.want {
			t.Errorf("keep %v: %q, want a warning %v", c.keep, got, c.want)
		}
	}
	lenet, _ := without.Workload("lenet5")
	lenet.Command = []string{"true"}
	r := ProfileRequest{Measuring: Measuring{Workload: lenet}, Sample: 1}
	if _, err := without.Profile(t.Context(), r, nil); !errors.Is(err, tegra.ErrUnsupported) ||
		!strings.Contains(err.Error(), "“keep the fan”, or “force”") {
		t.Errorf("a start without a fan: %v", err)
	}
	s := open(t, Options{Device: "virtual:agx-orin", Speed: math.Inf(1)})
	w, _ := s.Workload("lenet5")
	var notes []string
	observe := func(e Event) {
		note, _ := e.(NoteEvent)
		notes = append(notes, string(note))
	}
	r = ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 1}
	if _, err := s.Profile(t.Context(), r, observe); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "fan") }) {
		t.Errorf("a board with a fan: %q", notes)
	}
}

func TestSessionRunDoubtsItsPower(t *testing.T) {
	t.Parallel()
	power := tegra.Some(30.0)
	for _, c := range []struct {
		name string
		of   RunResult
		want []string
	}{
		{"steady", RunResult{PowerW: power, Settled: telemetry.Settled}, nil},
		{"no figure for the module", RunResult{}, nil},
		{"too short", RunResult{PowerW: power}, []string{"when the run ended"}},
		{"restless", RunResult{PowerW: power, Settled: telemetry.Unstable, SettleS: tegra.Some(30.0)},
			[]string{"within 30 s"}},
		{"hot", RunResult{PowerW: power, Settled: telemetry.Settled, Hot: "tj at 97 °C"}, []string{"hot: tj at 97 °C"}},
	} {
		got := c.of.Doubts()
		if len(got) != len(c.want) || len(got) > 0 && !strings.Contains(got[0], c.want[0]) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
