package task

import (
	"errors"
	"fmt"
	"strings"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tui/session"
)

// Ending describes in a line how a task ended.
func (s *Spec) Ending(now Snapshot) string {
	what, restored := s.Kind.String()+" "+s.Subject(), ": the board is restored"
	if s.Present {
		restored = ""
	}
	switch {
	case errors.Is(now.Err, optimize.ErrInfeasible) && s.Kind == Pairing:
		return what + ": no measured pair meets the limits"
	case errors.Is(now.Err, optimize.ErrInfeasible) && len(now.Rows)+len(now.Probes) > 0:
		return what + ": no measured mode meets the limit"
	case now.Err != nil:
		return what + ": " + now.Err.Error()
	case now.Stopped && len(now.Readings) == 0:
		return what + " stopped" + now.by() + restored
	}
	if now.Proof != nil {
		return what + ": " + now.Proof.Sentence() + restored
	}
	if s.Kind == Verifying && len(now.Readings) > 0 {
		m := tegra.MeansOf(now.Readings)[0]
		at := m.Mode.String() + text.IfAny(" batch %d", m.Batch)
		says := fmt.Sprintf("measured %s: %s ms%s, %s W", at, text.Of(m.TimeMS), m.PerBatch(), text.Of(m.PowerW))
		if v := standing.VerdictOf(s.Limits[0], now.Readings); v != standing.NoVerdict {
			says += fmt.Sprintf(", %s in %s", v, text.Count(m.N, "reading"))
		}
		return says + strings.Replace(restored, ": the board is", "; board", 1)
	}
	return what + " finished" + restored
}

// by names the user of another program who gave the last command; "" for nobody.
func (s *Snapshot) by() string {
	if s.By == "" {
		return ""
	}
	return " by " + s.By
}

// Farewell returns the line printed at exit: the mode that was kept or restored, and how to resume an interrupted
// campaign (nil: none). "" if there is nothing to say.
func Farewell(a session.Applied, cut *Interrupted, d tegra.Device) string {
	var parts []string
	switch mode := d.Space().Format(a.Mode.V); {
	case !a.Mode.OK:
	case !a.Kept:
		parts = append(parts, mode+" was not kept: the state before it is restored")
	case d.Board().Virtual:
		parts = append(parts, "kept "+mode+" until now: a virtual board ends with the program")
	default:
		parts = append(parts, "kept "+mode)
	}
	if cut != nil {
		parts = append(parts, "cut off: "+cut.String()+"; to continue: jtune, then 3 and r")
	}
	return strings.Join(parts, "; ")
}
