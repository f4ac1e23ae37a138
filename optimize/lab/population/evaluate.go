package population

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"jtune/tegra"
	"jtune/tegra/metric"
)

// Options choose a population and the questions about it.
type Options struct {
	Name        string
	Messy       bool      // readings with outliers, drift, lagging sensors and two states
	Development bool      // the half for choosing constants; otherwise that for reports
	Boards      []string  // nil: all
	Workloads   int       // for each board; 0: 100
	Methods     []string  // nil: tune
	Goal        string    // "": ForTime
	Levels      []float64 // of limits, taken in turn by the workloads; nil: 4, 32, 60, 88
	Visits      int       // searches for each question, each from nothing known; 0: one
	Second      bool      // each question follows another about the same workload, whose readings are known
	Seed        uint64
	Workers     int                   // 0: one for each core
	Progress    func(done, total int) // not called concurrently
}

// Check fills in the defaults, and reports what cannot be asked.
func (o *Options) Check() error {
	if o.Boards == nil {
		o.Boards = Boards()
	}
	if o.Methods == nil {
		o.Methods = []string{methods[0].name}
	}
	if o.Levels == nil {
		o.Levels = []float64{4, 32, 60, 88}
	}
	o.Goal, o.Workloads, o.Visits = cmp.Or(o.Goal, ForTime), cmp.Or(o.Workloads, 100), cmp.Or(o.Visits, 1)
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	for _, list := range [][2][]string{{o.Boards, Boards()}, {o.Methods, Methods()}} {
		for _, name := range list[0] {
			if !slices.Contains(list[1], name) {
				return fmt.Errorf("%q: want some of %s", name, strings.Join(list[1], ","))
			}
		}
	}
	switch {
	case !slices.Contains(Names(), o.Name):
		return fmt.Errorf("population %q: want one of %s", o.Name, strings.Join(Names(), ", "))
	case !slices.Contains(Goals(), o.Goal):
		return fmt.Errorf("goal %q: want one of %s", o.Goal, strings.Join(Goals(), ", "))
	case o.Workloads < 0 || o.Visits < 0:
		return fmt.Errorf("%d workloads, %d visits: must be positive", o.Workloads, o.Visits)
	}
	return nil
}

// A margin of a limit is what the default risk asks of three readings: no method with this risk can do better.
const (
	answerReadings = 3
	riskDeviations = 1.64
)

func (n noise) margin() float64 { return riskDeviations * n.sd / math.Sqrt(answerReadings) }

// Search is one question to a method and what came of it.
type Search struct {
	Method, Board string
	Number, Visit int
	Level         float64
	Hot           bool    // a probe drew over 1.1 times the limit in truth; the present mode does not count
	Answered      bool    // with a mode that keeps the limit as far as the method knows
	Answerable    bool    // a mode keeps the limit with the margin
	Over          bool    // the answer's true value exceeds the limit
	OverPct       float64 // by so much
	// GapPct is how far an answer that keeps its limit is from the best mode that keeps it with the margin, EdgePct
	// from the best at the limit itself; NaN without such an answer.
	GapPct, EdgePct float64
	Modes, Probes   int     // without the baseline
	BoardS          float64 // with it
	TimeIn, PowerIn float64 // share of readings of unmeasured modes inside the model's 80 % bands, NaN without a model
	Goal            float64 // true value of the answer's goal, NaN without an answer
}

// Evaluate asks one question about each workload. Equal options give equal searches.
func Evaluate(ctx context.Context, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	family := families[slices.Index(Names(), o.Name)]
	var chosen []method
	for _, name := range o.Methods {
		chosen = append(chosen, methods[slices.Index(Methods(), name)])
	}
	var mu sync.Mutex
	var all []Search
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.Workers)
	for _, name := range o.Boards {
		b, err := open(name)
		if err != nil {
			return nil, err
		}
		for number := range o.Workloads {
			group.Go(func() error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				list, err := o.searches(ctx, newWorkload(b, family, number, o.Development, o.Seed), chosen)
				mu.Lock()
				defer mu.Unlock()
				if all = append(all, list...); o.Progress != nil && err == nil {
					o.Progress(len(all), len(o.Boards)*o.Workloads*len(chosen)*o.Visits)
				}
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return &Report{Options: o, Searches: all, Rows: Tabulate(all, o)}, nil
}

// searches asks all methods the question of one workload.
func (o *Options) searches(ctx context.Context, w *workload, chosen []method) (out []Search, err error) {
	n := clean
	if o.Messy {
		n = messy
	}
	levels := len(o.Levels)
	for _, m := range chosen {
		for visit := range o.Visits {
			var known []tegra.Measured
			if o.Second {
				q := w.ask(w.limitAt(o, w.number+levels/2), n, uint64(o.Visits+visit))
				first, err := m.run(ctx, q, nil)
				if err != nil {
					return nil, fmt.Errorf("%s, %s, workload %d: %w", m.name, w.name, w.number, err)
				}
				known = first.readings
			}
			q := w.ask(w.limitAt(o, w.number), n, uint64(visit))
			f, err := m.run(ctx, q, known)
			if err != nil {
				return nil, fmt.Errorf("%s, %s, workload %d: %w", m.name, w.name, w.number, err)
			}
			s := q.judge(f)
			s.Method, s.Number, s.Visit, s.Level = m.name, w.number, visit, o.Levels[w.number%levels]
			out = append(out, s)
		}
	}
	return out, nil
}

// limitAt returns the limit whose turn it is.
func (w *workload) limitAt(o *Options, turn int) metric.Goal {
	return w.limit(o.Goal, o.Levels[turn%len(o.Levels)])
}

// judge compares an answer with the truth.
func (q *question) judge(f found) Search {
	s := Search{Board: q.name, Hot: q.hot, Answered: f.feasible, Modes: q.modes(), Probes: q.probes, BoardS: q.now,
		GapPct: math.NaN(), EdgePct: math.NaN(), Goal: math.NaN(), OverPct: math.NaN()}
	margin := q.margin()
	if q.limit.Aim() == metric.Energy {
		margin = math.Inf(-1)
	}
	best, ok := q.best(q.limit, margin)
	s.Answerable = ok
	if f.feasible {
		m := q.at(f.setting)
		s.Goal = q.limit.Aim().Aim(m)
		if by := over(m, q.limit); by > 0 {
			s.Over, s.OverPct = true, 100*(math.Exp(by)-1)
		} else {
			edge, _ := q.best(q.limit, 0)
			s.EdgePct = 100 * (s.Goal/q.limit.Aim().Aim(edge) - 1)
			if ok {
				s.GapPct = 100 * (s.Goal/q.limit.Aim().Aim(best) - 1)
			}
		}
	}
	s.TimeIn, s.PowerIn = q.inBands(f)
	return s
}

// bandSample is the number of unmeasured modes whose bands are compared with a reading.
const bandSample = 300

// inBands returns the share of new readings inside the model's 80 % bands.
func (q *question) inBands(f found) (time, power float64) {
	if f.model == nil {
		return math.NaN(), math.NaN()
	}
	rng := rand.New(rand.NewPCG(uint64(q.number), 0x62616e64))
	var list []tegra.Setting
	for _, i := range rng.Perm(q.space.Len()) {
		if a := q.truth[i].Setting; q.read[a] == 0 && len(list) < bandSample {
			list = append(list, a)
		}
	}
	wideTime, widePower := f.model.Posterior().BandWidths(0.8)
	for _, p := range f.model.PredictSettings(list) {
		m := q.at(p.Setting)
		if math.Abs(math.Log(m.TimeMS/p.TimeMS)+q.sd*rng.NormFloat64()) <= wideTime*p.LnTimeSD {
			time++
		}
		if math.Abs(math.Log(m.PowerW/p.PowerW)+q.sd*rng.NormFloat64()) <= widePower*p.LnPowerSD {
			power++
		}
	}
	return time / float64(len(list)), power / float64(len(list))
}
