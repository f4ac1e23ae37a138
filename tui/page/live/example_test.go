package live_test

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"jtune/tegra/virtual"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/page/live"
)

// A page is drawn from the state that the shell writes, in any size.
func ExamplePage() {
	board, err := virtual.New(virtual.Options{Name: virtual.AGXOrin, Speed: math.Inf(1)})
	if err != nil {
		panic(err)
	}
	device, err := board.Open()
	if err != nil {
		panic(err)
	}
	defer device.Close()
	state := page.NewState(device, nil, board.Clock())
	state.Moment.Now = func() time.Time { return time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC) }
	p := live.New(page.ReaderOf(&state))

	reading, err := device.Read()
	if err != nil {
		panic(err)
	}
	state.Readings.Sample, state.Readings.OK = telemetry.Sample{Reading: reading, Valid: true}, true
	state.Look.Narrow = true
	p.Update(page.Sampled{})
	for line := range strings.Lines(ansi.Strip(p.Render(40, 5))) {
		fmt.Println(strings.TrimRight(line, " \n"))
	}
	// Output:
	// module  8.5 W   1 min – W
	// CPU 0.73 GHz  of 2.20  busy – %  12/12
	// GPU 0.11 GHz  of 1.30  busy 0 %
	// EMC 2.13 GHz  of 3.20  busy 0 %
	// mode 12c/2.20C/1.30G/3.20M = MAXN
}
