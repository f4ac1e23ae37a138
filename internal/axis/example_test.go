package axis_test

import (
	"fmt"

	"jtune/internal/axis"
)

func ExampleScale() {
	s := axis.FromZero(57.3)
	fmt.Println(s.Hi, s.Ticks(3))
	at, ok := s.At(15)
	fmt.Println(at, ok)
	// Output:
	// 60 [0 20 40 60]
	// 0.25 true
}
