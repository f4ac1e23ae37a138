package metric

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/usage"
	"jtune/tegra"
)

// Bound is a limit on one metric.
type Bound struct {
	*Metric
	On    string // the rail of a current or a voltage; "": each rail, for a voltage the one that feeds the module
	Value float64
}

// Max limits a metric: Power.Max(30) is 30 W at most; 0 is no limit. For a voltage it is the least.
func (m *Metric) Max(value float64) Limits { return Limits{}.With(Bound{Metric: m, Value: value}) }

// String prints the bound as a clause: "5 A VDD_IN".
func (b Bound) String() string {
	s := strconv.FormatFloat(b.Value, 'f', -1, 64) + " " + string(b.Unit)
	if b.On != "" {
		s += " " + b.On
	}
	return s
}

// Over returns by how much a value exceeds the bound, as a logarithm; NaN where the value is unknown.
func (b Bound) Over(value float64) float64 {
	over := math.Log(value / b.Value)
	if b.Least {
		return -over
	}
	return over
}

// mostBounds is how many limits one goal may have.
const mostBounds = 8

// Limits are the bounds of a goal, ordered as All; those that are not used are zero. They can be compared with ==.
type Limits [mostBounds]Bound

// Each yields the bounds.
func (l Limits) Each() iter.Seq[Bound] {
	return func(yield func(Bound) bool) {
		for _, b := range l {
			if b.Metric == nil || !yield(b) {
				return
			}
		}
	}
}

// Len returns the number of bounds.
func (l Limits) Len() (n int) {
	for range l.Each() {
		n++
	}
	return n
}

// Harm reports whether exceeding one of the bounds can do harm.
func (l Limits) Harm() bool {
	for b := range l.Each() {
		if b.Harm {
			return true
		}
	}
	return false
}

// On returns the first bound on a metric.
func (l Limits) On(m *Metric) (b Bound, ok bool) {
	for b := range l.Each() {
		if b.Metric == m {
			return b, true
		}
	}
	return Bound{}, false
}

// Val returns the limit on a metric; absent for none.
func (l Limits) Val(m *Metric) tegra.Val[float64] {
	b, ok := l.On(m)
	return tegra.Val[float64]{V: b.Value, OK: ok}
}

// Of returns the limit on a metric; 0 for none.
func (l Limits) Of(m *Metric) float64 {
	b, _ := l.On(m)
	return b.Value
}

// Only returns the bounds on these metrics.
func (l Limits) Only(of ...*Metric) (out Limits) {
	for b := range l.Each() {
		if slices.Contains(of, b.Metric) {
			out = out.With(b)
		}
	}
	return out
}

// And returns the bounds of both; those of other replace those on the same.
func (l Limits) And(other Limits) Limits {
	for b := range other.Each() {
		l = l.With(b)
	}
	return l
}

// With returns the limits with a bound, in place of one on the same metric and rail. A value of 0 removes it.
func (l Limits) With(b Bound) (out Limits) {
	list := slices.DeleteFunc(slices.Collect(l.Each()), func(o Bound) bool { return o.same(b) })
	if b.Value != 0 && len(list) < mostBounds {
		list = append(list, b)
	}
	slices.SortStableFunc(list, func(a, b Bound) int {
		return cmp.Or(slices.Index(All, a.Metric)-slices.Index(All, b.Metric), cmp.Compare(a.On, b.On))
	})
	copy(out[:], list)
	return out
}

// same reports whether two bounds are on the same quantity.
func (b Bound) same(o Bound) bool { return b.Metric == o.Metric && b.On == o.On }

// Rails yields the readings of the rails that a bound applies to. supply is the rail that feeds the module.
func (b Bound) Rails(r tegra.Reading, supply string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for _, x := range r.Rails {
			on := b.On == x.Name || b.On == "" && (!b.Least || x.Name == supply)
			if v := b.Rail(x); on && v.OK && !yield(x.Name, v.V) {
				return
			}
		}
	}
}

// String prints the bounds as a line of clauses.
func (l Limits) String() string { return l.join(", ") }

func (l Limits) join(by string) string {
	var parts []string
	for b := range l.Each() {
		parts = append(parts, b.String())
	}
	return strings.Join(parts, by)
}

// Beyond least and most, in any unit, a limit is a slip of the pen.
const least, most = 1e-6, 1e15

// Check returns an error unless each bound is a positive number between least and most.
func (l Limits) Check() error {
	for b := range l.Each() {
		if !(b.Value >= least && b.Value <= most) {
			return usage.Limit.Errorf("the %s limit is %g, must be a number from %g to %g", b.Title, b.Value, least,
				most)
		}
	}
	return nil
}

// MarshalText stores the limits as a line.
func (l Limits) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads a stored line.
func (l *Limits) UnmarshalText(line []byte) error {
	if len(line) == 0 {
		*l = Limits{}
		return nil
	}
	q, err := Parse(string(line))
	*l = q.Limit.Limits
	return err
}
