package text_test

import (
	"fmt"

	"jtune/internal/text"
)

func ExampleOf() {
	fmt.Println(text.Of(2126.24), text.Of(58.87), text.Of(0.5), text.Count(18096, "mode"))
	// Output: 2126 58.9 0.5 18,096 modes
}
