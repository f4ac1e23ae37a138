package modes_test

import (
	"fmt"

	"jtune/tegra/virtual"
	"jtune/tui/page"
	"jtune/tui/page/modes"
	"jtune/tui/page/pagetest"
)

// A page handles keys and returns intents for the shell: here the filter keeps the modes with two cores, and the first
// one is applied.
func ExamplePage() {
	board, err := virtual.New(virtual.Options{Name: virtual.AGXOrin})
	if err != nil {
		panic(err)
	}
	device, err := board.Open()
	if err != nil {
		panic(err)
	}
	defer device.Close()
	state := page.NewState(device, nil, board.Clock())
	p := modes.New(page.ReaderOf(&state))
	p.Render(80, 22)

	for _, key := range []string{"/", "c", "o", "r", "e", "s", "=", "2", "enter"} {
		p.Key(pagetest.Key(key))
	}
	p.Render(80, 22)
	fmt.Println(p.Copied())
	does, _ := p.Key(pagetest.Key("a"))
	fmt.Printf("%T: %v\n", does, does.(page.Apply).Mode)
	// Output:
	// 2c/2.20C/1.30G/3.20M
	// page.Apply: 2c/2.20C/1.30G/3.20M
}
