package harness

import (
	"context"
	"errors"

	"jtune/tegra/virtual"
)

// beside is a real job while a virtual board plays the same workload.
type beside struct {
	*job
	board *virtual.Board
}

var _ Harness = beside{}

// ExecBeside runs a real job on this machine while a virtual board draws the
// power of the workload it is told: times are this machine's, whatever the
// mode, and power the board's. It shows the whole way of a job without a
// Jetson; its numbers are of no board. The board must run at speed 1.
func ExecBeside(ctx context.Context, b *virtual.Board, workload string, batch int, o ExecOptions) (Harness, error) {
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
	return beside{h.(*job), b}, nil
}

// Stop ends both.
func (b beside) Stop(ctx context.Context) error {
	b.board.StopWorkload()
	return b.job.Stop(ctx)
}
