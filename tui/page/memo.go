package page

// Memo keeps a value until what it is computed from changes. The zero value is ready for use.
type Memo[V any] struct {
	of    any
	value V
}

// Of returns the value, computed again if of is not what it was; of must be comparable, such as an array of pointers.
func (m *Memo[V]) Of(of any, compute func() V) V {
	if m.of != of {
		m.of, m.value = of, compute()
	}
	return m.value
}
