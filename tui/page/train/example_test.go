package train_test

import (
	"fmt"

	"jtune/profiles/workload"
	"jtune/tegra/virtual"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/page/train"
)

// The page starts with the first workload. Enter opens the dialog with its settings; a second enter gives the shell a
// task to start.
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
	state := page.NewState(device, &pagetest.Board{}, board.Clock())
	state.Work.List, err = workload.Load("")
	if err != nil {
		panic(err)
	}
	p := train.New(page.ReaderOf(&state))
	p.Update(page.WorkloadsListed{})
	fmt.Println(p.Copied())
	p.Key(pagetest.Key("enter"))
	does, _ := p.Key(pagetest.Key("enter"))
	fmt.Printf("%T\n", does)
	// Output:
	// resnet18
	// page.Start
}
