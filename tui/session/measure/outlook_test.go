package measure

import (
	"testing"

	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/sessiontest"
)

// What tuning found is the answer until its readings are over the limit: then another mode
// within is.
func TestAnswerMeasuredOverTheLimitGivesWayToTheBestWithin(t *testing.T) {
	o := sessiontest.LineOutlook(t)
	l := metric.Watts(36)
	found, other := o.Known[6].Setting, o.Known[8].Setting
	o = o.With(tegra.Measured{Setting: found, TimeMS: 70, PowerW: 35}).
		With(tegra.Measured{Setting: other, TimeMS: 75, PowerW: 33})
	r := &TuneResult{Result: optimize.Result{Answers: []optimize.Answer{
		{Measured: tegra.Measured{Setting: found, TimeMS: 70, PowerW: 35}, N: 1}}}}
	r.AnswerTo(TuneRequest{Questions: metric.Question{Limit: l}.List()}, tegra.Board{})
	o = o.Answering(l, r.Answers[0].About, nil)
	if at := o.Answer(l); at != 6 {
		t.Errorf("the answer is mode %d, tuning found mode 6", at)
	}
	o = o.With(tegra.Measured{Setting: found, TimeMS: 70, PowerW: 37.2})
	at := o.Answer(l)
	if s := o.Standing(at, l); at == 6 || !s.Within() {
		t.Errorf("with a mean of 36.1 W mode 6 is over 36 W: the answer is mode %d, %v", at, s)
	}
}
