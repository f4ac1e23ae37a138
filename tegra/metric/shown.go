package metric

import (
	"fmt"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/tegra"
)

// shows reports whether a board reports the metric. The time of a job needs no sensor.
func (m *Metric) shows(r tegra.Reading) bool {
	switch {
	case m.Rail != nil:
		return slices.ContainsFunc(r.Rails, func(x tegra.RailReading) bool { return m.Rail(x).OK })
	case m.Board != nil:
		return m.Board(r).OK
	}
	return m.InPower == 0 || r.TotalW.OK
}

// Shown returns an error when a board does not report the metric or the rail of a bound, with what it reports: an
// errors.Is of tegra.ErrUnsupported.
func (l Limits) Shown(board tegra.Board, r tegra.Reading) error {
	for b := range l.Each() {
		var rails, others []string
		for _, x := range r.Rails {
			if b.Rail == nil || b.Rail(x).OK {
				rails = append(rails, x.Name)
			}
		}
		for _, m := range All {
			if m.shows(r) {
				others = append(others, m.Title)
			}
		}
		switch {
		case !b.shows(r):
			return fmt.Errorf("a limit in %s: %w: it shows no %s, but %s", b.Unit, tegra.ErrUnsupported, b.Title,
				strings.Join(others, ", "))
		case b.On != "" && !slices.Contains(rails, b.On):
			return fmt.Errorf("rail %s: %w: give one of %s", text.Clip(b.On), tegra.ErrUnsupported,
				strings.Join(rails, ", "))
		case b.Least && b.On == "" && board.TotalRule == "":
			return fmt.Errorf("a limit in %s without a rail: %w: no rail is known to feed the module: give one of %s",
				b.Unit, tegra.ErrUnsupported, strings.Join(rails, ", "))
		}
	}
	return nil
}
