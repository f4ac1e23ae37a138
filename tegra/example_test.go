package tegra_test

import (
	"fmt"

	"jtune/tegra"
)

// The modes of a small board, and one of them in compact notation.
func ExampleSpace() {
	mhz := tegra.Freq(1_000_000)
	space, err := tegra.NewSpace([]int{2, 4}, []tegra.Freq{729_600_000, 1_510_400_000},
		[]tegra.Freq{306 * mhz, 624_750_000}, []tegra.Freq{2133 * mhz})
	if err != nil {
		panic(err)
	}
	mode, err := space.Parse("4c/1.51C/0.62G/2.13M")
	fmt.Println(space.Len(), "modes;", space.Format(mode), err)
	fast, err := space.Select("cores>=4 gpu>=0.6GHz")
	fmt.Println(len(fast), "of them with 4 cores and the GPU at 0.6 GHz or more;", err)
	// Output:
	// 8 modes; 4c/1.51C/0.62G/2.13M <nil>
	// 2 of them with 4 cores and the GPU at 0.6 GHz or more; <nil>
}
