package metric

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/arrivals"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/internal/usage"
)

// Question is a user's request: a goal, and the load under which its limits hold.
type Question struct {
	Limit Goal
	Load  arrivals.Spec // zero: none
}

// Questions are goals under one load, each of which gets an answer.
type Questions struct {
	Limits []Goal        `toml:"goals,omitempty"` // at least one
	Load   arrivals.Spec `toml:"load,omitempty"`
}

// First returns the first question.
func (q Questions) First() Question { return Question{q.Limits[0], q.Load} }

// List returns the question as a list of one.
func (q Question) List() Questions { return Questions{[]Goal{q.Limit}, q.Load} }

// Example is an example line of limits and load.
const Example = "30 W, p99 50 ms, 30/s"

// UsualQuantile is the default quantile of a latency.
const UsualQuantile = 0.99

// Words of the grammar.
const (
	leastWord, kneeWord, waitWord, slowerEnd = "least", "knee", "wait", " % slower"
)

// Parse reads comma-separated clauses:
//
//	30 W             largest power; also mW, kW
//	12 W VDD_GPU     largest power of a rail
//	5 A VDD_IN       largest current of a rail; without a rail of each
//	4.75 V VDD_IN    least voltage of a rail; without a rail of the one that feeds the module
//	85 °C            highest temperature; also 85 C
//	50 ms            longest time of a minibatch or batch; also s, min
//	2 J              most energy of a minibatch
//	10 % slower      at most that much slower than the fastest
//	p99 50 ms        longest time from a request's arrival to its answer, for 99 % of requests
//	30/s             rate of requests, at random times (poisson) unless "uniform" is added
//	wait 20 ms       longest wait of a batch that is not full, from its first request
//	least energy     the goal: least energy, power or time
//	knee             the goal: the knee of the front
//
// An error names the clause that is not understood; it is a usage error.
func Parse(line string) (Question, error) {
	list, err := ParseList(line, nil)
	if err != nil {
		return Question{}, err
	}
	for b := range list.Limits[0].Limits.Each() {
		for _, other := range list.Limits[1:] {
			if other.Of(b.Metric) != b.Value {
				return Question{}, usage.Limit.Errorf("%q: there are two limits in %s", text.Clip(line), b.Unit)
			}
		}
	}
	return list.First(), nil
}

// ParseList is Parse for several goals: of several limits in one unit, each makes a goal of its own with all other
// clauses. Numbers without a unit limit the metric bare, if it is not nil; blanks may separate them.
func ParseList(line string, bare *Metric) (Questions, error) {
	r := reader{bare: bare}
	for clause := range strings.SplitSeq(line, ",") {
		for _, clause := range r.split(strings.Fields(clause)) {
			if err := r.take(clause); err != nil {
				return Questions{}, usage.Limit.Errorf("%q: %w", text.Clip(clause), err)
			}
		}
	}
	return r.end()
}

// String prints the questions in the form that ParseList reads.
func (q Questions) String() string {
	parts := []string{q.First().String()}
	for _, l := range q.Limits[1:] {
		for b := range l.Limits.Each() {
			if !slices.Contains(q.Limits[0].Limits[:], b) {
				parts = append(parts, b.String())
			}
		}
	}
	return strings.Join(parts, ", ")
}

// reader collects clauses.
type reader struct {
	bare   *Metric
	goal   Goal
	bounds [][]Bound // by quantity: more than one makes several goals
	load   arrivals.Spec
}

// split returns the clauses that words make: numbers one after another are one each, of the unit after them.
func (r *reader) split(words []string) (list []string) {
	plain := func(w string) bool { _, err := strconv.ParseFloat(w, 64); return err == nil }
	n := 0
	for n < len(words) && plain(words[n]) {
		n++
	}
	switch {
	case len(words) == 0:
		return nil
	case n < 2 || r.bare == nil:
		return []string{strings.Join(words, " ")}
	}
	for _, w := range words[:n] {
		list = append(list, strings.Join(append([]string{w}, words[n:]...), " "))
	}
	return list
}

// errForm is the error of a clause that is not understood.
var errForm = fmt.Errorf("want clauses such as %s, 5 A VDD_IN, 85 °C, least energy", Example)

// form returns the error of a clause that is not understood, a short one in a line of numbers.
func (r *reader) form() error {
	if r.bare != nil {
		return errors.New("want a number above 0; several with commas: 25 W, 120 ms")
	}
	return errForm
}

func (r *reader) take(clause string) (err error) {
	small := strings.ToLower(clause)
	first, rest, _ := strings.Cut(small, " ")
	if pct, isP := strings.CutPrefix(first, "p"); isP && small != string(arrivals.Poisson) {
		v, err := strconv.ParseFloat(pct, 64)
		if err != nil || !(v > 0 && v < 100) {
			return fmt.Errorf("want a quantile such as p99")
		}
		r.load.Quantile = math.Round(v*1e4) / 1e6
		r.load.LatencyMS, err = positive(rest, units.Millisecond, false)
		return err
	}
	switch {
	case small == string(arrivals.Uniform) || small == string(arrivals.Poisson):
		r.load.Arrivals = small
	case first == waitWord:
		r.load.MaxWaitMS, err = positive(rest, units.Millisecond, false)
	case small == kneeWord:
		r.goal.Knee = true
	case first == leastWord:
		i := slices.IndexFunc(All, func(m *Metric) bool { return m.Aim != nil && m.Key == rest })
		if i < 0 {
			return fmt.Errorf("want least energy, power or time")
		}
		if r.goal.Objective != nil && r.goal.Objective != All[i] {
			return fmt.Errorf("there is another goal before it")
		}
		r.goal.Objective = All[i]
	case strings.HasSuffix(small, slowerEnd):
		r.goal.SlowerPct, err = positive(strings.TrimSuffix(small, slowerEnd), units.Percent, true)
	case strings.Contains(small, "/"):
		r.load.RatePerS, err = positive(clause, units.PerSecond, false)
	default:
		return r.bound(clause)
	}
	return err
}

// bound reads a number with its unit, and the rail where each rail has its own.
func (r *reader) bound(clause string) error {
	at := strings.IndexFunc(clause, func(c rune) bool { return !strings.ContainsRune("0123456789.+-eE", c) })
	number, unit, rail := clause, "", ""
	if at >= 0 {
		number = clause[:at]
		unit, rail, _ = strings.Cut(strings.TrimSpace(strings.Replace(clause[at:], "° ", "°", 1)), " ")
	}
	of := r.bare
	if unit != "" {
		i := slices.IndexFunc(All, func(m *Metric) bool {
			_, known := m.Unit.Size(unit)
			return known && (rail == "" || m.Rail != nil)
		})
		if i < 0 {
			return r.form()
		}
		of = All[i]
	}
	if of == nil || number == "" || rail != "" && (of.Rail == nil || strings.Contains(rail, " ") ||
		text.OneLine(rail) != rail) {
		return r.form()
	}
	v, err := positive(number+unit, of.Unit, unit == "")
	if err == nil && of.Most > 0 && v > of.Most {
		err = fmt.Errorf("a limit is above 0 and at most %g %s", of.Most, of.Unit)
	}
	if err != nil {
		return err
	}
	b := Bound{of, rail, v}
	for i, same := range r.bounds {
		if same[0].same(b) {
			if !slices.Contains(same, b) {
				r.bounds[i] = append(same, b)
			}
			return nil
		}
	}
	r.bounds = append(r.bounds, []Bound{b})
	return nil
}

// positive reads a number above 0 with its unit, which may be absent where bare.
func positive(word string, unit units.Unit, bare bool) (float64, error) {
	v, err := units.Parse(word, unit)
	if _, plain := strconv.ParseFloat(strings.TrimSpace(word), 64); err != nil || plain == nil && !bare || !(v > 0) ||
		math.IsInf(v, 0) {
		return v, fmt.Errorf("want a number above 0 in %s", unit)
	}
	return v, nil
}

// end returns the questions.
func (r *reader) end() (q Questions, err error) {
	several := 0
	for _, same := range r.bounds {
		if r.goal.Limits = r.goal.Limits.With(same[0]); len(same) > 1 {
			several++
		}
	}
	switch {
	case Question{r.goal, r.load} == Question{}:
		return q, usage.Errorf("no limit: want clauses such as %s", Example)
	case several > 1:
		return q, usage.Limit.Errorf("several limits in one unit each: give the goals one by one")
	case len(r.bounds) > mostBounds:
		return q, usage.Limit.Errorf("%d limits: at most %d make a goal", len(r.bounds), mostBounds)
	}
	if err := r.goal.Check(); err != nil {
		return q, usage.Of(err)
	}
	q = Questions{Limits: []Goal{r.goal}, Load: r.load}
	if q.Load.Any() {
		q.Load.Quantile, q.Load.PowerAs = cmp.Or(r.load.Quantile, UsualQuantile), "peak"
		if _, err := q.Load.Load(); err != nil {
			return q, err
		}
	}
	for _, same := range r.bounds {
		for _, b := range same[1:] {
			other := r.goal
			other.Limits = r.goal.Limits.With(b)
			q.Limits = append(q.Limits, other)
		}
	}
	return q, nil
}

// String prints the question in the form that Parse reads.
func (q Question) String() string {
	return strings.Join(slices.Concat(text.Said(q.Limit.String()), q.load()), ", ")
}

// aims says what is best among the modes that keep the limits: "fastest", "least power", "most requests".
func (q Question) aims() string {
	switch {
	case !q.Load.Any() || q.Limit.Objective == Energy:
		return q.Limit.aims()
	case q.Load.Open() && q.Limit.Objective != Time:
		return "least power"
	}
	return "most requests"
}

// Words describes the question: "least power, power ≤ 30 W, p99 50 ms, 30/s".
func (q Question) Words() string {
	return strings.Join(slices.Concat([]string{q.aims()}, q.Limit.bounds(), q.load()), ", ")
}

// load prints the clauses of the load.
func (q Question) load() (parts []string) {
	add := func(v float64, before, after string) {
		if v > 0 {
			parts = append(parts, before+strconv.FormatFloat(v, 'f', -1, 64)+after)
		}
	}
	v := q.Load
	add(v.LatencyMS, "p"+strconv.FormatFloat(math.Round(v.Quantile*1e6)/1e4, 'f', -1, 64)+" ", " ms")
	add(v.RatePerS, "", strings.Join(text.Said("/s", v.Arrivals), ", "))
	add(v.MaxWaitMS, waitWord+" ", " ms")
	return parts
}
