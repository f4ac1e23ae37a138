package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"jtune/learn"
	"jtune/profiles"
	"jtune/tegra/figures"
	"jtune/tui/session"
)

// mostBudgets bounds what a person may mean.
const mostBudgets = 10000

// verification is what `front --verify` was told.
type verification struct {
	most            int // modes to measure; 0: no verification
	workload, refit string
	budgets         string
	request         session.VerifyRequest
}

// check finds flags that lack --verify, and what --verify itself lacks.
func (v verification) check(cmd *cobra.Command, model string) error {
	given := cmd.Flags().Changed
	if !given("verify") {
		for _, flag := range []string{"workload", "budgets", "out", "minibatches", "refit"} {
			if given(flag) {
				return usagef("--%s goes with --verify N", flag)
			}
		}
		return nil
	}
	if model == "" {
		return usagef("--verify measures along a predicted front: give --model MODEL")
	}
	if err := positiveIfGiven(cmd, "minibatches", v.request.Settings.Minibatches); err != nil {
		return err
	}
	return positiveIfGiven(cmd, "verify", v.most)
}

// verifyFront measures along a model's front; the result holds what was
// expected, what was found, and the model that has learnt it.
func (a *app) verifyFront(ctx context.Context, m *learn.Model, v verification) (session.VerifyResult, error) {
	var none session.VerifyResult
	s, err := a.session()
	if err != nil {
		return none, err
	}
	defer s.Close()
	if there := m.Provenance.Device; there != "" && there != s.Device.Board().Name {
		return none, usagef("the model speaks of %s, this is %s: measure on that device, or fit a model for this one", there, s.Device.Board().Name)
	}
	r := v.request
	from, to, step, err := parseBudgets(v.budgets)
	if err != nil {
		return none, err
	}
	if step > 0 && (to-from)/step > mostBudgets {
		return none, usagef("--budgets %q: more than %d limits", v.budgets, mostBudgets)
	}
	for k := 0.0; step > 0 && from+k*step <= to*(1+1e-12); k++ {
		r.BudgetsW = append(r.BudgetsW, from+k*step)
	}
	r.Model, r.Most, r.Margin = m, v.most, defaultMargin
	name := v.workload
	if name == "" {
		name = m.Provenance.Workload
	}
	if r.Workload, err = s.Workload(name); err != nil {
		return none, fmt.Errorf("%w; --workload NAME names the one to measure", err)
	}
	rep := a.reporter(s.Device)
	res, err := s.VerifyFront(ctx, r, rep.observe)
	rep.wipe()
	switch {
	case res.Dir == "" && err == nil:
		a.note("nothing to verify: every mode that these limits choose was measured")
	case res.Dir != "":
		a.note("%s measured along the front in %.0f s; recorded in %s", figures.Count(len(res.Measured), "mode"), res.Elapsed.Seconds(), res.Dir)
	}
	if err != nil {
		return none, err
	}
	if v.refit != "" {
		if err := res.Fitted.Save(v.refit); err != nil {
			return none, fmt.Errorf("%w: choose another file with --refit", err)
		}
		if err := profiles.Own(v.refit); err != nil {
			return none, err
		}
		a.note("%s: the corrected model, of %s", v.refit, figures.Count(len(res.Fitted.Samples), "measured mode"))
	}
	return res, nil
}

// printVerified compares what was expected of each mode with what it read.
func (a *app) printVerified(res session.VerifyResult) error {
	rows := [][]string{{"verified", "ms predicted", "measured", "", "W predicted", "measured", ""}}
	for i, got := range res.Measured {
		p := res.Before[i]
		rows = append(rows, []string{res.Fitted.Space.Format(got.Mode), figures.Of(p.TimeMS), figures.Of(got.TimeMS), deviation(got.TimeMS, p.TimeMS),
			figures.Of(p.PowerW), figures.Of(got.PowerW), deviation(got.PowerW, p.PowerW)})
	}
	return table(a.out, rows...)
}

// deviation is by how much a measurement differs from what was expected.
func deviation(got, expected float64) string { return change(100 * (got/expected - 1)) }
