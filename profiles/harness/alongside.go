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

// ExecAlongside runs a real job on this machine while a virtual board simulates the power of a workload: times are this
// machine's in every mode, and power is the board's. This demonstrates the whole path of a job without a Jetson; the
// numbers describe no board. The board must run at speed 1.
func ExecAlongside(ctx context.Context, b *virtual.Board, workload string, batch int, o ExecOptions) (Harness, error) {
	if err := realTime(b); err != nil {
		return nil, err
	}
	return beside(b, workload, batch, func() (Harness, error) { return Exec(ctx, o) })
}

// AttachAlongside is ExecAlongside for a job started elsewhere.
func AttachAlongside(b *virtual.Board, workload string, batch int, begin func() (Harness, error)) (Harness, error) {
	if err := realTime(b); err != nil {
		return nil, err
	}
	return beside(b, workload, batch, begin)
}

func realTime(b *virtual.Board) error {
	if b.Clock().Speed() != 1 {
		return fmt.Errorf("harness: a real job beside a virtual board needs its clock at %s 1", usage.Speed)
	}
	return nil
}

// Alongside is ExecAlongside for a harness that measures a real server. The board may also run at full speed if only
// the server advances its clock, as in tests.
func Alongside(b *virtual.Board, workload string, begin func() (Harness, error)) (Harness, error) {
	if speed := b.Clock().Speed(); speed != 1 && !math.IsInf(speed, 1) {
		return nil, fmt.Errorf("harness: a real server beside a virtual board needs its clock at %s 1", usage.Speed)
	}
	return beside(b, workload, 0, begin)
}

func beside(b *virtual.Board, workload string, batch int, begin func() (Harness, error)) (Harness, error) {
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
