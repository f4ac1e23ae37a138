package harness

import (
	"context"
	"fmt"
	"math"

	"jtune/internal/usage"
	"jtune/profiles/harness/detect"
	"jtune/tegra/virtual"
)

// alongside is a real job while a virtual board simulates the same workload.
type alongside struct {
	Harness
	board *virtual.Board
}

var _ Harness = alongside{}

// Alongside begins to measure a real job or server of this machine while a virtual board simulates the power of a
// workload: times are this machine's in every mode, and power is the board's. This demonstrates the whole path of a job
// without a Jetson; the numbers describe no board. The board must run at speed 1; with a server also at full speed, if
// only the server advances its clock, as in tests.
func Alongside(b *virtual.Board, workload string, batch int, server bool, begin func() (Harness, error)) (Harness,
	error) {
	if speed := b.Clock().Speed(); speed != 1 && !(server && math.IsInf(speed, 1)) {
		return nil, fmt.Errorf("harness: a real job beside a virtual board needs its clock at %s 1", usage.Speed)
	}
	if err := b.StartWorkload(workload, batch); err != nil {
		return nil, err
	}
	h, err := begin()
	if err != nil {
		b.StopWorkload()
		return nil, err
	}
	return alongside{h, b}, nil
}

var _ Detecting = alongside{}

// Detected implements Detecting.
func (b alongside) Detected() (r detect.Reading, err error, ok bool) {
	if d, is := b.Harness.(Detecting); is {
		return d.Detected()
	}
	return r, nil, false
}

var _ Child = alongside{}

// Left implements Child.
func (b alongside) Left() []string {
	if l, is := b.Harness.(Child); is {
		return l.Left()
	}
	return nil
}

// Output implements Child.
func (b alongside) Output() string {
	if l, is := b.Harness.(Child); is {
		return l.Output()
	}
	return ""
}

// Stop stops both.
func (b alongside) Stop(ctx context.Context) error {
	b.board.StopWorkload()
	return b.Harness.Stop(ctx)
}
