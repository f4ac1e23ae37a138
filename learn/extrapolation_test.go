package learn

import "testing"

func TestModelWarnsOfExtrapolatedValues(t *testing.T) {
	t.Parallel()
	space := smallSpace(t) // CPU 300 to 2000 MHz, GPU 200 to 1300 MHz, memory 204 to 3200 MHz
	for name, c := range map[string]struct{ filter, words string }{
		"only high CPU clocks": {"cpu>=1100MHz", "CPU was measured from 1.10 GHz to 2.00 GHz: predictions for the " +
			"2 settings far below are guesses"},
		"only low GPU clocks": {"gpu<=500MHz", "GPU was measured from 200 MHz to 500 MHz: predictions for the 2 " +
			"settings far above are guesses"},
		"only many cores": {"cores>=6", "cores was measured from 6 to 8: predictions for the 3 settings far " +
			"below are guesses"},
		"a knob that is covered": {"cores>=1", ""},
	} {
		m := mustFit(t, truths(space.Filter(mustFilter(t, space, c.filter)).Sample(25, 1)),
			Options{Space: space, SkipCV: true})
		if !hasWarning(m, c.words) || c.words == "" && hasWarning(m, "guesses") {
			t.Errorf("%s: warnings %q, want %q", name, m.Warnings, c.words)
		}
	}
}
