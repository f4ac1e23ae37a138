package measure

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/tegratest"
	"jtune/tui/session"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestSessionVerifyOfAHotBoardIsNoMeasurement(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.HotSession(t)
	rows, err := Verify(t.Context(), s, ModeRequest{Workload: w, Mode: s.Device.Space().Modes()[0]}, nil)
	if err != nil || len(rows) != 1 || rows[0].Status != record.Hot && rows[0].Status != record.Throttled {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestSessionFanThatCannotBeSetIsSaid(t *testing.T) {
	t.Parallel()
	with := sessiontest.Open(t, session.Options{Sysroot: tegratest.AGXOrin35(t)})
	tr := tegratest.NewAGXOrin35()
	tr.Remove("/sys/devices/platform/pwm-fan")
	without := sessiontest.Open(t, session.Options{Sysroot: tr.Write(t)})
	for _, c := range []struct {
		s    *session.Session
		keep bool
		want bool
	}{{with, false, false}, {without, false, true}, {without, true, false}} {
		must.Equal(t, strings.HasPrefix(workloads.FanWarning(c.s, c.keep), "warning: jtune cannot set a fan"), c.want)
	}
	lenet, _ := workloads.Find(without, "lenet5")
	lenet.Command = []string{"true"}
	r := ProfileRequest{Measuring: Measuring{Workload: lenet}, Sample: 1}
	if _, err := Profile(t.Context(), without, r, nil); !errors.Is(err, tegra.ErrUnsupported) ||
		!strings.Contains(err.Error(), "“keep the fan”, or “force”") {
		t.Errorf("a start without a fan: %v", err)
	}
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1)})
	w, _ := workloads.Find(s, "lenet5")
	var notes []string
	observe := func(e Event) {
		note, _ := e.(NoteEvent)
		notes = append(notes, string(note))
	}
	r = ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 1}
	if _, err := Profile(t.Context(), s, r, observe); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "fan") }) {
		t.Errorf("a board with a fan: %q", notes)
	}
}
