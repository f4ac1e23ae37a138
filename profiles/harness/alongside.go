package harness

import (
	"context"
	"errors"

	"jtune/tegra/virtual"
)

// alongside is a real job while a virtual board simulates the same workload.
type alongside struct {
	*job
	board *virtual.Board
}

var _ Harness = alongside{}

// ExecAlongside runs a real job on this machine while a virtual board simulates the power of a
// workload: times are this machine's in every mode, and power the board's. It demonstrates the
// whole path of a job without a Jetson; the numbers belong to no board. The board must run at
// speed 1.
func ExecAlongside(ctx context.Context, b *virtual.Board, workload string, batch int, o ExecOptions) (Harness, error) {
	if b.Clock().Speed() != 1 {
		return nil, errors.New("harness: a real job beside a virtual board needs its clock at --speed 1")
	}
	if err := b.StartWorkload(workload, batch); err != nil {
		return nil, err
	}
	h, err := Exec(ctx, o)
	if err != nil {
		b.StopWorkload()
		return nil, err
	}
	return alongside{h.(*job), b}, nil
}

// Stop ends both.
func (b alongside) Stop(ctx context.Context) error {
	b.board.StopWorkload()
	return b.job.Stop(ctx)
}
