package page_test

import (
	"fmt"

	"jtune/tui/page"
)

func ExampleKeysWith() {
	keys, _, _ := page.KeysWith(map[string][]string{"tune": {"ctrl+t"}})
	fmt.Println(keys.Tune.Label(), keys.Tune.Does)
	_, action, err := page.KeysWith(map[string][]string{"verify": {"a"}})
	fmt.Println(action, err)
	// Output:
	// ctrl+t find the best power mode for a workload
	// verify key "a" is apply already (front); give another, or bind apply elsewhere too
}
