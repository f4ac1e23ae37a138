package cli

import (
	"strings"
	"testing"

	"jtune/optimize/advice"
)

func TestAdviceWithoutAModelTellsTheApproaches(t *testing.T) {
	t.Parallel()
	out := jtune(t, "advice").done(t).out
	for _, a := range advice.Approaches() {
		if !strings.Contains(out, a.Scenario) || !strings.Contains(out, a.Paper) || !strings.Contains(out, a.Jtune) {
			t.Errorf("%q is not printed in full:\n%s", a.Scenario, out)
		}
	}
}

func TestAdviceOfAModel(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	out := jtune(t, "advice", "--model", model, "--minibatches", "1000000").done(t).out
	for _, word := range []string{"halving one setting of ",
		"a whole training of 1,000,000 minibatches takes", "for a training of that length"} {
		if !strings.Contains(out, word) {
			t.Errorf("the advice does not say %q:\n%s", word, out)
		}
	}
	one := jtune(t, "advice", "--model", model, "--mode", "2c/0.73C/0.73G/0.67M").done(t).out
	if !strings.HasPrefix(one, "halving one setting of 2c/0.73C/0.73G/0.67M: ") {
		t.Errorf("the advice is not about the mode of --mode:\n%s", one)
	}
}
