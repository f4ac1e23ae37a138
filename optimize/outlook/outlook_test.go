package outlook

import (
	"math"
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// line predicts one mode after the other as slower by a tenth and thriftier by a
// watt from 40 W down, each with a tenth of deviation.
type line struct{}

func (line) Predict(modes []tegra.Mode) []learn.Prediction {
	out := make([]learn.Prediction, len(modes))
	for i, m := range modes {
		t, w := 50*(1+0.1*float64(i)), 40-float64(i)
		out[i] = learn.Prediction{Measured: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: t, PowerW: w},
			LnTimeSD: 0.1, LnPowerSD: 0.1}
	}
	return out
}

func lineOutlook(t *testing.T, samples ...tegra.Measured) *Outlook {
	t.Helper()
	cores := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	space, err := tegra.NewSpace(cores, []tegra.Freq{tegra.GHz}, []tegra.Freq{tegra.GHz}, []tegra.Freq{tegra.GHz})
	must.NoError(t, err)
	return By(line{}, "w", &learn.Model{Space: space, Samples: samples}, samples, space)
}

func TestOutlookAnswersWithTheMarginThatChooseKeeps(t *testing.T) {
	o, l := lineOutlook(t), metric.Watts(36)
	at := o.Answer(l)
	if want, err := o.Choose(l); err != nil || at != want {
		t.Errorf("the answer is mode %d, the choice with margin %d (%v)", at, want, err)
	}
	if p := o.Known[at]; p.PowerW*math.Exp(metric.UsualMargin.Z()*0.1) > 36 || p.PowerW < 32 {
		t.Errorf("36 W are answered by a mode of %g W ± 10 %%", p.PowerW)
	}
}

func TestOutlookAnswersByTheNearestModeWhereNoneMeetsTheLimit(t *testing.T) {
	o := lineOutlook(t)
	if at := o.Answer(metric.Watts(1)); at != len(o.Known)-1 {
		t.Errorf("mode %d, want the thriftiest", at)
	}
}

func TestOutlookTakesTheMeanOfItsReadings(t *testing.T) {
	o := lineOutlook(t)
	m := o.Known[3].Mode
	one := o.With(tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 60, PowerW: 30})
	two := one.With(tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 70, PowerW: 34})
	if r := two.About(m).Reading; r.N != 2 || r.TimeMS != 65 || r.PowerW != 32 || two.Known[3].TimeMS != 65 {
		t.Errorf("got %+v, want the mean of two", r)
	}
	if o.About(m).Measured() || one.About(m).Reading.N != 1 {
		t.Error("an outlook was changed by a reading that came later")
	}
}

func TestOutlooksHandReadingsToTheirOwnSubjectAlone(t *testing.T) {
	var s Outlooks
	board := tegra.Board{Name: "AGX Orin"}
	mine, other := SubjectOf("w", board), SubjectOf("v", board)
	virtual := SubjectOf("w", tegra.Board{Name: board.Name, Virtual: true})
	m := s.Put(mine, lineOutlook(t)).Known[3].Mode
	s.Put(other, lineOutlook(t))
	s.Put(virtual, lineOutlook(t))
	s.Add(mine, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 60, PowerW: 30})
	has := func(subject Subject) bool { return s.Get(subject, 0).About(m).Measured() }
	if !has(mine) || has(other) || has(virtual) {
		t.Error("the reading is not where it belongs, or elsewhere too")
	}
	if !s.Put(mine, lineOutlook(t)).About(m).Measured() {
		t.Error("another model of the workload does not know the reading")
	}
	learned := lineOutlook(t, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 61, PowerW: 31})
	if r := s.Put(mine, learned).About(m).Reading; r.N != 1 || r.TimeMS != 61 {
		t.Errorf("a model that learned from the mode has %+v: the reading counts twice", r)
	}
}

// The guard has read memory rates that the first predictions lacked.
func TestOutlooksPredictACompletedSpaceWithTheReadingsSoFar(t *testing.T) {
	cores, clocks := []int{1, 2, 3, 4}, []tegra.Freq{tegra.GHz, 2 * tegra.GHz}
	part := must.Get(tegra.NewSpace(cores, clocks, clocks, clocks[1:]))(t)
	full := must.Get(tegra.NewSpace(cores, clocks, clocks, clocks))(t)
	var rows []tegra.Measured
	for i, p := range (line{}).Predict(part.Modes()[:12]) {
		p.Measured.Batch = 8 + 8*(i%2)
		rows = append(rows, p.Measured)
	}
	m := must.Get(learn.Fit(t.Context(), rows, learn.Options{Space: part, SkipCV: true}))(t)
	var s Outlooks
	mine := SubjectOf("w", tegra.Board{Name: "AGX Orin"})
	first := s.Put(mine, New("w", m, part))
	s.Put(mine, first.AtBatch(8))
	read := tegra.Measured{Setting: tegra.Setting{Mode: part.Max(), Batch: 16}, TimeMS: 60, PowerW: 30}
	s.Add(mine, read)
	whole := s.Get(mine, 16).Whole(nil)
	if r := whole.Readings()[read.Setting]; r.N != 1 || r.TimeMS != 60 {
		t.Errorf("of all batch sizes the reading is %+v", r)
	}
	next := s.Put(mine, first.Renewed(m, full))
	if len(next.Known) != full.Len() || next.Batch != 16 || !next.Space().Equal(full) {
		t.Errorf("%d of %d modes at batch size %d", len(next.Known), full.Len(), next.Batch)
	}
	if r := next.About(read.Mode).Reading; r.N != 1 || r.TimeMS != 60 {
		t.Errorf("the reading became %+v", r)
	}
	if s.Get(mine, 8) != nil {
		t.Error("the other batch size still has the former modes")
	}
	if got := next.Whole(whole); len(got.Known) != 2*full.Len() {
		t.Errorf("%d settings of all batch sizes, want %d", len(got.Known), 2*full.Len())
	}
}

func TestStandingsAgreeWithTheAnswer(t *testing.T) {
	o, l := lineOutlook(t), metric.Watts(36)
	if s := o.Standing(o.Answer(l), l); s.State != standing.Likely {
		t.Errorf("the fastest mode that keeps the margin is %v", s)
	}
	all := o.Standings(l)
	for i, p := range o.Known {
		keeps := p.PowerW*math.Exp(metric.UsualMargin.Z()*0.1) <= 36
		if s := all[i]; s.Within() != keeps || (s.State == standing.Over) != (p.PowerW > 36) {
			t.Errorf("%g W ± 10 %% is %v within 36 W", p.PowerW, s)
		}
	}
	m := tegra.Measured{Setting: o.Known[4].Setting, TimeMS: 70, PowerW: 35}
	if s := o.With(m).Standing(4, l); s.State != standing.Measured || s.N != 1 {
		t.Errorf("35 W were measured: %v within 36 W", s)
	}
	m.PowerW = 35.9
	if s := o.With(m).Standing(4, l); s.State != standing.Doubtful || !(s.ChanceOver.V > 0.3) {
		t.Errorf("35.9 W were measured once: %v within 36 W", s)
	}
	o.Found = map[metric.Question]Answered{{Limit: l}: {Setting: m.Setting, Over: tegra.Some(0.03)}}
	if s := o.With(m).Standing(4, l); s.State != standing.Measured || s.ChanceOver.V != 0.03 {
		t.Errorf("a search knows better: %v within 36 W", s)
	}
	if s := (*Outlook)(nil).StandingOf(m.Mode, l); s.State != standing.Unknown {
		t.Errorf("%v where there is no model", s)
	}
}

func TestIndexOfAModeWithoutPredictionIsNone(t *testing.T) {
	o := lineOutlook(t)
	for i := range o.Predicted {
		if at, ok := o.Index(o.Predicted[i].Mode); !ok || at != i {
			t.Errorf("mode %d has index %d, %v", i, at, ok)
		}
	}
	strange := o.Predicted[0].Mode
	strange.Cores = 13
	if at, ok := o.Index(strange); ok {
		t.Errorf("a mode that the board does not have has index %d", at)
	}
	last := o.Predicted[len(o.Predicted)-1].Mode
	o.Predicted = o.Predicted[:len(o.Predicted)-1]
	if at, ok := o.Index(last); ok {
		t.Errorf("a mode without a prediction has index %d", at)
	}
}

// clampedLine is line with an impossible time of the first mode, replaced by a small one.
type clampedLine struct{}

func (clampedLine) Predict(modes []tegra.Mode) []learn.Prediction {
	out := line{}.Predict(modes)
	out[0].TimeMS, out[0].PowerW, out[0].Clamped = 1, 1, true
	return out
}

// An impossible prediction is never chosen, and so it is not on the Pareto front, unless the mode was measured.
func TestOutlookFrontHasNoClampedPrediction(t *testing.T) {
	o := lineOutlook(t)
	all := make([]int, len(o.Known))
	for i := range all {
		all[i] = i
	}
	o = By(clampedLine{}, "w", o.Model, nil, o.Space())
	for plane := range Planes {
		front, among := o.Front(plane), o.FrontAmong(plane, all)
		if len(front) == 0 || slices.Contains(front, 0) || !slices.Equal(front, among) {
			t.Errorf("plane %d: front %v, among all modes %v; mode 0 is clamped", plane, front, among)
		}
	}
	if read := o.With(o.Known[0].Measured); !slices.Contains(read.Front(0), 0) {
		t.Error("a measured mode is not on the front")
	}
}
