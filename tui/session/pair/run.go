package pair

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/preflight"
)

// PairProfiled is how many settings of each job are measured before mixes are predicted, unless as many are known.
const PairProfiled = 10

// PairBatches are the default batch sizes of inference to choose among.
var PairBatches = []int{1, 4, 16, 32, 64}

// Request asks for the best setting in which two jobs share this board's GPU, measured as a pair.
type Request struct {
	Train, Infer workload.Workload
	Batches      []int // of inference, ascending; nil: its own
	metric.Question
	record.PairAsked
	At         *tegra.Setting // measure only this setting; nil: search
	Mixes      bool           // also predict all mixes
	Dir        string         // new campaign folder; "" creates one in the data directory
	Before     time.Time      // predict from what was known then, for a repetition; zero: from everything
	Resume     bool           // continue the campaign in Dir: its pairs count
	RedoFailed bool           // measure its failed pairs again
	Settings   record.Settings
	Gate       profiles.Gate
}

// measuresAlone reports whether the search makes no predictions.
func (r *Request) measuresAlone() bool { return r.Strategy != "" && r.Strategy != optimize.Auto }

// Search finds the best setting for two jobs on one GPU. It takes what is known of each job from its pool, measures
// some settings of each if that is too little, predicts all mixes, and runs the best ones as pairs until the best is
// measured. The device is restored. The error is an *optimize.NoSettingError if no measured pair meets the limits.
func Search(ctx context.Context, s *session.Session, r Request, observe func(measure.Event)) (Answer, error) {
	if err := mayPair(s, r); err != nil {
		return Answer{}, err
	}
	if err := preflight.MayMeasure(ctx, s, r.Limit.Of(metric.Power)); err != nil {
		return Answer{}, err
	}
	if above := preflight.AboveMost(s, r.Limit.Of(metric.Power), 0); above != "" {
		measure.Observer(observe).Note("note: " + above)
	}
	release, err := preflight.Claim(s, "search for a pair", true)
	if err != nil {
		return Answer{}, err
	}
	defer release()
	asked := r
	r.fitting(s)
	ask, err := r.Ask(s.Seed)
	if err != nil {
		return Answer{}, err
	}
	if q := ask.Quantile; (record.Latency{}).At(q).Share < q {
		return Answer{}, usage.Errorf("p%.4g of a pair is not measured: ask for p99 or less", 100*q)
	}
	if math.IsNaN(ask.IdleW) {
		if idle := s.IdleW(ctx, false); idle.OK {
			ask.IdleW = idle.V
		}
	}
	if err := ask.Check(); err != nil {
		return Answer{}, usage.Of(err)
	}
	board := s.Device.Board()
	found := Answer{Train: r.Train.Name, Infer: r.Infer.Name, Device: board.Name, Virtual: board.Virtual}
	if r.Dir != "" {
		if err := record.Check(r.Dir, pairHeader(s, asked), r.Resume); err != nil {
			return found, err
		}
	}
	train, infer, err := pairRows(ctx, s, r, observe)
	if err != nil {
		return found, err
	}
	if err := pairFits(s, r); err != nil { // the memory needs may be known by now
		return found, err
	}
	measure.Observer(observe).Send(measure.PairStage{Doing: measure.PairPredicts})
	search := &pairSearch{s: s, r: r, ask: ask, train: train, infer: infer, found: &found,
		observe: measure.Observer(observe)}
	head := pairHeader(s, asked)
	plan := newPairPlan(ctx, search)
	res, err := measure.RunPlan(ctx, s, measure.ProfileRequest{Measuring: measure.Measuring{Workload: r.Infer,
		Batches: r.sizes(), Dir: r.Dir,
		Resume: r.Resume, Settings: r.Settings, Gate: r.Gate}, RedoFailed: r.RedoFailed, Retries: -1}, plan, head,
		observe)
	plan.End(res.Summary)
	found.Dir, found.Took = res.Dir, res.Elapsed
	if errors.Is(plan.err, context.Canceled) && ctx.Err() == nil && err != nil {
		plan.err = nil // the job, the device or the record failed
	}
	if r.Separate && err == nil && found.Row != nil && ctx.Err() == nil {
		err = search.separate(ctx)
	}
	if r.Mixes && ctx.Err() == nil {
		found.Mixes = search.mixes()
	}
	return found, errors.Join(err, plan.err)
}

// sizes returns the batch sizes of inference, even if there is only one.
func (r *Request) sizes() []int {
	if r.At != nil && !slices.Contains(r.Batches, r.At.Batch) {
		return []int{max(1, r.At.Batch)}
	}
	if r.Batches == nil {
		return []int{max(1, r.Infer.Batch)}
	}
	return r.Batches
}

// pairRows returns what is known of both jobs, after measuring more if that is too little.
func pairRows(ctx context.Context, s *session.Session, r Request, observe func(measure.Event)) (train,
	infer []tegra.Measured,
	err error) {
	if r.At != nil || r.measuresAlone() {
		return nil, nil, nil
	}
	before := r.knownBefore()
	rows := func(w workload.Workload, batches []int) ([]tegra.Measured, error) {
		pool, err := models.PoolOf(s, w, batches)
		if err != nil {
			return nil, err
		}
		known, _ := pool.Before(before).Aligned()
		known = slices.DeleteFunc(tegra.OncePerSetting(known), func(m tegra.Measured) bool {
			return !slices.Contains(tegra.Sizes(batches...), m.Batch)
		})
		if len(known) >= PairProfiled {
			measure.Observer(observe).Note(fmt.Sprintf("%s: %d settings are known", w.Name, len(known)))
			return known, nil
		}
		measure.Observer(observe).Send(measure.PairStage{Workload: w.Name, Known: len(known)})
		measure.Observer(observe).Note(fmt.Sprintf("%s: %s known, measuring %d first; "+
			"they serve every later question too",
			w.Name, text.Count(len(known), "setting"), PairProfiled))
		res, err := measure.Profile(ctx, s, measure.ProfileRequest{Measuring: measure.Measuring{Workload: w,
			Batches:  batches,
			Settings: r.Settings, Gate: r.Gate}, Choose: PairProfiled}, observe)
		if err == nil {
			err = ctx.Err()
		}
		return tegra.OncePerSetting(slices.Concat(known, record.Usable(res.Rows))), err
	}
	if train, err = rows(r.Train, nil); err != nil {
		return nil, nil, err
	}
	infer, err = rows(r.Infer, r.sizes())
	return train, infer, err
}

// pairSearch is the search for a pair, on a separate goroutine.
type pairSearch struct {
	s            *session.Session
	r            Request
	ask          mix.Ask
	train, infer []tegra.Measured
	found        *Answer
	observe      measure.Observer
	measure      func(a tegra.Setting, policy string) (record.Row, error)
	phases       mix.Result // of the search, with what it predicts at last
}

// run measures pairs until there is an answer.
func (p *pairSearch) run(ctx context.Context) error {
	err := p.search(ctx)
	if p.found.Row == nil || err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	at := p.found.Row.Setting
	p.stage(measure.PairAlone, p.found.Ask)
	p.observe.Note("the answer's inference alone, to compare")
	if row, aloneErr := p.measure(at, record.Alone); aloneErr == nil {
		p.found.AloneRow = &row
	}
	if p.r.Compare && ctx.Err() == nil {
		p.stage(measure.PairUnordered, p.found.Ask)
		p.observe.Note("both without turns, to compare")
		if row, freeErr := p.measure(at, record.Free); freeErr == nil {
			p.found.FreeRow = &row
		}
	}
	p.compare()
	return err
}

func (p *pairSearch) options(ask mix.Ask) mix.Options {
	return mix.Options{Ask: ask, Space: p.s.Device.Space(), Batches: p.r.sizes(), Infer: p.infer, Train: p.train,
		Most: p.r.Pairs, Strategy: p.r.Strategy}
}

// search measures pairs until there is an answer.
func (p *pairSearch) search(ctx context.Context) error {
	ask := p.ask
	ask.Policy = p.r.Policy
	o, at := p.options(ask), p.r.At
	if at == nil && !p.r.measuresAlone() {
		if len(p.train) == 0 || len(p.infer) == 0 {
			return errors.New("no setting of the two jobs could be measured")
		}
		if ask.Policy == mix.Free {
			var err error
			if at, err = bestFilling(o); err != nil {
				return err
			}
		}
	}
	if at != nil {
		o.Strategy, o.Only = optimize.Random, []tegra.Setting{*at}
	}
	verify := func(_ context.Context, best mix.Outcome) (mix.Reading, error) {
		ask.Policy = best.Policy
		stage := measure.PairStage{Doing: measure.PairVerifies, N: len(p.found.Probes) + 1, Ask: ask}
		if best.TimeMS > 0 {
			stage.Predicted = &best
		}
		p.observe.Send(stage)
		row, err := p.measure(best.Setting, best.Policy)
		p.tell(measure.PairProbe{Ask: ask, Predicted: best, Row: row, Err: err})
		if err != nil {
			return mix.Reading{}, err
		}
		return readingOf(row, ask), nil
	}
	found, err := mix.Search(ctx, verify, o)
	p.took(found, ask)
	return err
}

// bestFilling returns the setting that is best with turns: jobs without turns cannot be predicted.
func bestFilling(o mix.Options) (*tegra.Setting, error) {
	o.Ask.Policy = mix.Fill
	infer, train, err := mix.Phases(o)
	if err != nil {
		return nil, err
	}
	list, err := o.Ask.Choose(o.Settings(), infer, train)
	if none, infeasible := errors.AsType[*mix.NoSettingError](err); infeasible {
		return &none.Nearest.Setting, nil
	} else if err != nil {
		return nil, err
	}
	return &list[0].Setting, nil
}

// tell stores and reports a pair that was run.
func (p *pairSearch) tell(v measure.PairProbe) {
	line := fmt.Sprintf("pair %d: %s batch %d, %s: ", len(p.found.Probes)+1, p.s.Device.Space().Format(v.Row.Mode),
		v.Row.Batch, v.Ask.Policy)
	if v.Err == nil {
		v.Outcome = v.Ask.Read(v.Row.Setting, readingOf(v.Row, v.Ask))
		line += fmt.Sprintf("%s minibatches/s, %v %s ms, %s W peak", text.Of(v.TrainPerS),
			v.Row.Pair.Latency.At(v.Ask.Quantile), text.Of(v.LatencyMS), text.Of(v.PeakW))
		if why := v.Why(); why != "" {
			line += " (" + why + ")"
		}
	} else {
		line += v.Err.Error()
	}
	p.observe.Note(line)
	p.found.Probes = append(p.found.Probes, v)
	p.observe.Send(v)
}

// stage reports what is measured next.
func (p *pairSearch) stage(doing measure.PairDoing, ask mix.Ask) {
	p.observe.Send(measure.PairStage{Doing: doing, N: len(p.found.Probes) + 1, Ask: ask})
}

// took adopts the result of a search.
func (p *pairSearch) took(found mix.Result, ask mix.Ask) {
	p.phases = found
	if found.Best.TimeMS == 0 {
		return
	}
	p.found.Outcome, p.found.Ask, p.found.Feasible = found.Best, ask, found.Feasible
	p.found.Ask.Policy = found.Best.Policy
	for i, probe := range p.found.Probes {
		if probe.Err == nil && probe.Row.Setting == found.Best.Setting && probe.Ask.Policy == found.Best.Policy {
			p.found.Row = &p.found.Probes[i].Row
		}
	}
}

// readingOf converts a row to a reading for the search.
func readingOf(row record.Row, ask mix.Ask) mix.Reading {
	p := row.Pair
	watts := func(own tegra.Val[float64]) float64 { return own.Or(p.MeanW) }
	ms := func(list ...tegra.Val[float64]) float64 {
		for _, v := range list {
			if v.OK {
				return v.V
			}
		}
		return math.NaN()
	}
	seen := mix.Seen{LatencyMS: p.Latency.At(ask.Quantile).MS.V, ServedPerS: p.ServedPerS,
		TrainPerS: p.TrainPerS, MeanW: p.MeanW, IdleShare: math.NaN()}
	if p.IdleShare.OK {
		seen.IdleShare = p.IdleShare.V
	}
	return mix.Reading{
		Infer: tegra.Measured{Setting: row.Setting, TimeMS: ms(p.InferMS, p.InferAloneMS),
			PowerW: watts(p.InferAloneW)},
		Train: tegra.Measured{Setting: tegra.Setting{Mode: row.Mode}, TimeMS: ms(p.TrainMS, p.TrainAloneMS),
			PowerW: watts(p.TrainAloneW)},
		Seen: &seen,
	}
}

// compare fills in what each job does without the other.
func (p *pairSearch) compare() {
	f, row := p.found, p.found.Row.Pair
	if row.TrainAloneMS.OK {
		f.TrainAlonePerS, f.TrainAloneW = 1000/row.TrainAloneMS.V, row.TrainAloneW.V
	}
	alone := f.Ask
	alone.Policy, alone.Tau = "", 0
	if f.AloneRow != nil {
		read := readingOf(*f.AloneRow, alone)
		if row.InferAloneW.OK {
			read.Infer.PowerW = row.InferAloneW.V
		}
		f.Alone = alone.Read(f.AloneRow.Setting, read)
	}
	f.Apart = apart(alone, p.options(alone).Settings(), p.phases.Infer)
}
