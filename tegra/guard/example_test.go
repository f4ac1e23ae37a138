package guard_test

import (
	"context"
	"fmt"
	"math"

	"jtune/tegra"
	"jtune/tegra/guard"
	"jtune/tegra/virtual"
)

// A guard sets a mode of a virtual board and restores the found state when its
// client closes.
func ExampleClient() {
	board, err := virtual.New(virtual.Options{Name: "agx-orin", Speed: math.Inf(1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	device, err := board.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	g, err := guard.InProcess(board.FS(), board.Clock())
	if err != nil {
		fmt.Println(err)
		return
	}
	applied, err := g.Apply(context.Background(), tegra.Request{Mode: device.Space().Max()})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("requested", applied.Asked, "reads back", applied.Actual.V, applied.OK())
	fmt.Println("closed:", g.Close())
	// Output:
	// requested 12c/2.20C/1.30G/3.20M reads back 12c/2.20C/1.30G/3.20M true
	// closed: <nil>
}
