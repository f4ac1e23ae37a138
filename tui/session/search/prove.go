package search

import (
	"context"

	"jtune/internal/stats"
	"jtune/optimize/standing"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/measure"
	"jtune/tui/session/soak"
)

// prove soaks the answers that keep their limits, a mode that answers twice once: for as long as the request says, or
// until the board is steady where a limit on temperature is to be decided, which readings of seconds do not show.
// changed: the answers or their warnings are others now.
func prove(ctx context.Context, s *session.Session, r measure.TuneRequest, out *measure.TuneResult,
	observe measure.Observer) (changed bool) {
	done := map[tegra.Setting]*hold.Result{}
	for i := range out.Answers {
		a := &out.Answers[i]
		hot, limited := a.Limit.Limits.On(metric.Temperature)
		if !a.Feasible || r.Soak == 0 && !limited {
			continue
		}
		if r.Workload.Elsewhere != nil {
			observe.Note("the temperature stays predicted: the job was started elsewhere, so no soak of it can start")
			continue
		}
		if done[a.Setting] == nil {
			q := soak.Proving(r.Workload, a.Setting, r.Soak)
			if limited {
				q.Limits = q.Limits.With(hot)
			}
			proof, err := soak.Run(ctx, s, q, telling(a.Setting, observe))
			if err != nil {
				out.Unproven, out.Warnings = true, append(out.Warnings, "the soak of the answer: "+err.Error())
				return true
			}
			done[a.Setting] = &proof.Result
		}
		if a.Soak = done[a.Setting]; limited {
			decide(a, r.Risk, hot)
			changed = true
		}
	}
	return changed
}

// decide takes the temperature of an answer from its soak: one that held shows where the board is steady, with the
// error of that, and one that did not, that the limit is broken. An interrupted one decides nothing. The search decided
// the other limits.
func decide(a *answers.Answer, risk float64, limit metric.Bound) {
	const band = 2 * 1.645 // deviations in a 90 % band
	steady := a.Soak.Steady
	at, sd := steady.TjC.V, max(steady.HiC.V-steady.LoC.V, 1e-9)/band
	over := stats.NormalCDF((at - limit.Value) / sd)
	switch peak := a.Soak.Peak.TjC.V; {
	case a.Soak.Verdict == hold.DoesNotHold && peak > limit.Value: // where it would have ended is a guess
		a.Feasible, at, sd, over = false, peak, 0, 1
	case a.Soak.Verdict != hold.Holds || !steady.TjC.OK:
		return
	}
	soaked := tegra.Value{Metric: metric.Temperature.Key, V: at}
	a.Reading.Measured = a.Reading.With(soaked)
	soaked.LnSD = sd / soaked.V
	a.True.V.Measured = a.True.V.With(soaked)
	goal := a.Limit
	goal.Risk = risk
	a.Standing, a.Chance = standing.Believe(goal, a.Reading.N, over), tegra.Some(1-over)
}

// telling notes where the soak of a setting is recorded, and from time to time what it shows.
func telling(at tegra.Setting, observe measure.Observer) func(soak.Status) {
	return func(st soak.Status) {
		if st.Begins() {
			observe.Note("a soak of the answer begins, recorded in " + st.Dir)
		}
		observe.Progress(profiles.Progress{Phase: profiles.Soaking, Step: profiles.Step{Setting: at},
			PowerW: st.PowerW})
		if st.Due {
			observe.Note(st.Line())
		}
	}
}
