package tegra

import "encoding/json"

// Val is a value that may be absent: a missing sensor is a dash, never zero.
// It prints as JSON null when absent.
type Val[T any] struct {
	V  T
	OK bool
}

// Some makes a present value.
func Some[T any](v T) Val[T] { return Val[T]{v, true} }

// Or gives the value, or def when it is absent.
func (v Val[T]) Or(def T) T {
	if v.OK {
		return v.V
	}
	return def
}

// MarshalJSON prints the value, or null when it is absent.
func (v Val[T]) MarshalJSON() ([]byte, error) {
	if !v.OK {
		return []byte("null"), nil
	}
	return json.Marshal(v.V)
}
