package tegra

import (
	"encoding/json"
	"math"
)

// Val is a value that may be absent, such as that of a missing sensor. It prints as JSON null if absent.
type Val[T any] struct {
	V  T
	OK bool
}

// Some returns a present value.
func Some[T any](v T) Val[T] { return Val[T]{v, true} }

// Finite returns v, absent if it is NaN or infinite.
func Finite(v float64) Val[float64] {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Val[float64]{}
	}
	return Some(v)
}

// Or returns the value, or def if it is absent.
func (v Val[T]) Or(def T) T {
	if v.OK {
		return v.V
	}
	return def
}

// Get returns the value and whether it is present.
func (v Val[T]) Get() (any, bool) { return v.V, v.OK }

// MarshalJSON prints the value, or null if it is absent.
func (v Val[T]) MarshalJSON() ([]byte, error) {
	if !v.OK {
		return []byte("null"), nil
	}
	return json.Marshal(v.V)
}

// UnmarshalJSON reads what MarshalJSON prints.
func (v *Val[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*v = Val[T]{}
		return nil
	}
	v.OK = true
	return json.Unmarshal(data, &v.V)
}
