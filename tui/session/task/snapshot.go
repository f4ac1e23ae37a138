package task

import (
	"fmt"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra"
)

// IfStopped says what stopping the task now would mean.
func (s *Snapshot) IfStopped(spec Spec) string {
	kept := func(n int) string {
		if n == 1 {
			return ", which stays recorded; the board is restored"
		}
		return ", which stay recorded; the board is restored"
	}
	modes := len(record.Modes(s.Rows))
	done := text.Count(modes, "mode") + kept(modes)
	switch {
	case spec.Pair != nil: // of several campaigns
		done = text.Count(len(s.Watch.Rows), "measurement") + kept(len(s.Watch.Rows))
	case spec.Kind == Soaking:
		done = "what was seen, which stays recorded and can be continued; the board is restored"
	case spec.Kind == Training:
		done = text.Count(s.Progress.Minibatch, "minibatch")
	}
	return fmt.Sprintf("%s %s ends after %s", spec.Kind, spec.Subject(), done)
}

// Standing is where a setting stands against a limit, by the mean of its results so far.
func (s *Snapshot) Standing(at tegra.Setting, l optimize.Limit) optimize.Standing {
	for _, m := range tegra.MeansOf(s.Measured()) {
		if m.Setting == at {
			return l.Stand(optimize.MeasuredPrediction(m.Measured), m.N)
		}
	}
	return optimize.Standing{State: optimize.Unknown}
}
