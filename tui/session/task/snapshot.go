package task

import (
	"fmt"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// IfStopped describes the effect of stopping the task now.
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
	case spec.Kind == Pairing: // of several campaigns
		done = text.Count(len(s.Watch.Rows), "measurement") + kept(len(s.Watch.Rows))
	case spec.Kind == Soaking:
		done = "the samples so far, which stay recorded and can be resumed; the board is restored"
	case spec.Kind == Training:
		done = text.Count(s.Progress.Minibatch, spec.Workload.Noun())
	}
	return fmt.Sprintf("%s %s ends after %s", spec.Kind, spec.Subject(), done)
}

// Standing returns how a setting relates to a limit, by the mean of its results so far.
func (s *Snapshot) Standing(at tegra.Setting, l metric.Goal) standing.Standing {
	for _, m := range tegra.MeansOf(s.Measured()) {
		if m.Setting == at {
			return standing.Stand(l, optimize.MeasuredPrediction(m.Measured), m.N)
		}
	}
	return standing.Standing{State: standing.Unknown}
}
