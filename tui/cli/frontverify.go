package cli

import (
	"cmp"
	"context"
	"fmt"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tui/session/control"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
)

// mostBudgets is the maximum number of power limits.
const mostBudgets = 10000

// verification holds the flags of `front --verify`.
type verification struct {
	Verify          int // modes to measure; 0: no verification
	Workload, Refit string
	Budgets         string
	request         measure.VerifyRequest
}

// verifyFront measures modes along a model's front; the result holds predictions, measurements and the updated model.
func (a onModels) verifyFront(ctx context.Context, m *learn.Model, v verification) (measure.VerifyResult, error) {
	var none measure.VerifyResult
	s, err := a.session()
	if err != nil {
		return none, err
	}
	defer s.Close()
	r := v.request
	from, to, step, err := parseBudgets(v.Budgets)
	if err != nil {
		return none, err
	}
	if step > 0 && (to-from)/step > mostBudgets {
		return none, usagef("--budgets %q: more than %d limits", v.Budgets, mostBudgets)
	}
	for k := 0.0; step > 0 && from+k*step <= to*(1+1e-12); k++ {
		r.BudgetsW = append(r.BudgetsW, from+k*step)
	}
	r.Model, r.Most = m, v.Verify
	if r.Workload, err = workloads.Find(s, cmp.Or(v.Workload, m.Provenance.Workload)); err != nil {
		return none, fmt.Errorf("%w; --workload NAME names the one to measure", err)
	}
	rep := a.reporter(s.Device)
	ctx, orders := control.Obey(ctx, s, task.Spec{Kind: task.Verifying, Workload: r.Workload}, r.Dir != "", rep.line)
	defer orders.End()
	r.Gate = orders.Gate
	res, err := measure.VerifyFront(ctx, s, r, orders.Observing(rep.observe))
	rep.wipe()
	switch {
	case res.Dir == "" && err == nil:
		a.note("nothing to verify: every mode that these limits choose was measured")
	case res.Dir != "":
		a.note("%s measured along the front in %.0f s; recorded in %s", text.Count(len(res.Measured), "mode"),
			res.Elapsed.Seconds(), res.Dir)
	}
	if err == nil && ctx.Err() != nil { // stopped by an order
		err = context.Cause(ctx)
	}
	if err != nil {
		return none, err
	}
	if v.Refit != "" {
		if err := res.Fitted.Save(v.Refit); err != nil {
			return none, fmt.Errorf("%w: choose another file with --refit", err)
		}
		a.note("%s: the updated model, of %s", v.Refit, text.Count(len(res.Fitted.Samples), "measured mode"))
	}
	return res, nil
}

// verifiedTable compares predictions with measurements, mode by mode.
func verifiedTable(res measure.VerifyResult) document.Table {
	t := document.Table{Head: []string{"verified", "ms predicted", "measured", "", "W predicted", "measured", ""}}
	for i, got := range res.Measured {
		p := res.Before[i]
		off := outlook.Against(got, p.Measured)
		t.Rows = append(t.Rows, []string{res.Fitted.Space.Format(got.Mode), text.Of(p.TimeMS), text.Of(got.TimeMS),
			change(off.TimePct), text.Of(p.PowerW), text.Of(got.PowerW), change(off.PowerPct)})
	}
	return t
}
