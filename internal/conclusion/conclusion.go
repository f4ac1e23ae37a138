// Package conclusion derives sentences from numbers.
//
//	operands (a struct of measured values) ──► Rule: a switch over predicates ──► the sentence of the case that holds
//
// A rule sees nothing but its operands, which are numbers of the table that its sentence stands under. All lists the
// rules of the program; a test turns the operands of each until its sentence flips.
package conclusion

import "slices"

// NotCompared begins the sentence of a comparison whose treatment did not take place; why follows.
const NotCompared = "not compared"

// Rule decides by operands of type T, a struct. Its fields of type float64, int, bool, tegra.Val[float64] or []float64
// are operands, in structs of operands too. The tag `turn:"FROM TO"` gives the range in which one has a meaning;
// `shown:"FROM TO"` does so for one that the sentence only names. Strings are names; one, or a list of them, that
// may be absent has the tag `turn:"absent"`.
type Rule[T any] struct {
	name  string
	cases int
	says  func(T) string
}

// Any is a rule without the type of its operands.
type Any interface {
	Name() string
	Cases() int        // how many different sentences there are at least, silence included
	New() any          // a pointer to operands without values
	Decide(any) string // says what follows from what New returned
}

var (
	all   []Any
	later []func() []Any
)

// All lists the rules of all packages that the program contains.
func All() (out []Any) {
	out = slices.Clone(all)
	for _, list := range later {
		out = append(out, list()...)
	}
	return out
}

// New returns a rule, which All lists. Rules are package variables.
func New[T any](name string, cases int, says func(T) string) *Rule[T] {
	r := &Rule[T]{name, cases, says}
	all = append(all, r)
	return r
}

// Later adds rules of another kind to All, which makes them when it is called.
func Later(list func() []Any) { later = append(later, list) }

// Say returns what follows from the operands; "" for nothing.
func (r *Rule[T]) Say(x T) string { return r.says(x) }

// Name returns the rule's name.
func (r *Rule[T]) Name() string { return r.name }

// Cases returns how many different sentences there are at least.
func (r *Rule[T]) Cases() int { return r.cases }

// New returns a pointer to operands without values.
func (r *Rule[T]) New() any { return new(T) }

// Decide is Say for what New returned.
func (r *Rule[T]) Decide(operands any) string { return r.says(*operands.(*T)) }
