package optimize

import (
	"math"
	"strings"
	"testing"

	"jtune/learn"
	"jtune/tegra/sweep/sweeptest"
)

// Workloads as far apart as the published ones are told apart, by measured
// modes and by networks; a reference that knows the sweep already is told.
func TestAReferenceThatIsTheSweepsOwnWorkloadIsTold(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	own := &learn.Reference{Name: "itself", Samples: b.all()}
	for _, m := range []*learn.Reference{own, toyReference(t, b, false)} {
		r, err := Evaluate(t.Context(), EvaluateOptions{Truth: b.all(), Reference: m, Sizes: []int{8}, Seeds: 1, BudgetFrom: 20, BudgetTo: 20, Methods: []string{EvalGPRef}})
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(strings.Join(r.Notes, "\n"), "own workload"); told != (m == own) {
			t.Errorf("reference %s: notes %q", m.Name, r.Notes)
		}
	}
	for _, name := range []string{sweeptest.ResNet, sweeptest.MobileNet, sweeptest.LSTM} {
		f, err := newField(&EvaluateOptions{Truth: sweeptest.Load(t, name), BudgetFrom: 30, BudgetTo: 30, BudgetStep: 1})
		if err != nil {
			t.Fatal(err)
		}
		if told := f.ownWorkload(learn.ShippedReference()) != ""; told != (name == sweeptest.ResNet) {
			t.Errorf("%s: the shipped networks, of ResNet-18, are %.2f off in the median", name, f.apart(learn.ShippedReference()))
		}
	}
}

// A reduced reference holds no times: it is known by what it says of the board,
// where the sweep has power as the reference has.
func TestAReducedReferenceOfTheSweepsOwnWorkloadIsTold(t *testing.T) {
	t.Parallel()
	note := learn.ReferenceNote{Name: "lstm", Version: 1, Workload: "lstm", Device: "AGX Orin", Source: "test", Licence: "test", Command: "test"}
	c, err := learn.NewCompact(note, sweeptest.Load(t, sweeptest.LSTM))
	if err != nil {
		t.Fatal(err)
	}
	for _, power := range []bool{true, false} {
		for _, name := range []string{sweeptest.MobileNet, sweeptest.LSTM} {
			truth := sweeptest.Load(t, name)
			for i := range truth {
				if !power {
					truth[i].PowerW = math.NaN()
				}
			}
			f, err := newField(&EvaluateOptions{Truth: truth, BudgetFrom: 30, BudgetTo: 30, BudgetStep: 1})
			if err != nil {
				t.Fatal(err)
			}
			if told := f.ownWorkload(&learn.Reference{Name: "lstm", Compact: c}); (told != "") != (power && name == sweeptest.LSTM) {
				t.Errorf("%s, power %v: of the reduced reference of LSTM it is told: %q", name, power, told)
			}
		}
	}
}
