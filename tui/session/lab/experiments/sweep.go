package experiments

import (
	"context"
	"fmt"
	"strings"

	"jtune/profiles/harness"
	"jtune/profiles/lab/experiment"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
)

// sweepStudy is one of the papers' experiments, whose settings are fixed in advance.
type sweepStudy struct {
	experiment.Runs
	r    ExperimentRequest
	plan experiment.Plan
}

// sweepOf plans one of the papers' experiments on this board.
func sweepOf(s *session.Session, r *ExperimentRequest) (runs, error) {
	if s.Replays() { // a replayed table has no idle power
		r.Base = 0
	}
	if r.Mode == (tegra.Mode{}) {
		r.Mode = s.Device.Space().Max()
	}
	r.Space, r.Simulated, r.Replayed = s.Device.Space(), s.Simulated(r.Workload), s.Replays()
	if r.Simulated {
		r.Media, r.ScaledBatches = s.Virtual.Media(), s.Virtual.ScalesBatches()
	}
	plan := r.Experiment.Plan(r.Request)
	plan.Skipped = append(plan.Skipped, otherThanStudied(s, r.Mode)...)
	if len(plan.Settings) == 0 {
		var why []string
		for _, skip := range plan.Skipped {
			why = append(why, skip.Why)
		}
		return nil, fmt.Errorf("%w: experiment %s cannot run here: %s", tegra.ErrUnsupported, r.Experiment.Name,
			strings.Join(why, "; "))
	}
	if r.Workload.Name == "" {
		r.Workload = plan.Settings[0].Workload
	}
	r.Repeat = max(1, r.Repeat)
	return &sweepStudy{plan.Rounds(r.Repeat), *r, plan}, nil
}

// studiedNX is the mode of the 2022 study's Xavier NX: 15 W, 6 cores, in nominal clocks.
var studiedNX = tegra.Mode{Cores: 6, CPU: 1400 * tegra.MHz, GPU: 1100 * tegra.MHz, EMC: 1600 * tegra.MHz}

// otherThanStudied names the difference between a Xavier NX's mode and the one that the 2022 study measured.
func otherThanStudied(s *session.Session, mode tegra.Mode) []experiment.Skip {
	if !strings.HasPrefix(s.Device.Board().Name, "Xavier NX") {
		return nil
	}
	studied, err := s.Device.Space().Snap(studiedNX)
	if err == nil && studied == mode {
		return nil
	}
	return []experiment.Skip{{What: "the 2022 study's setting",
		Why: fmt.Sprintf("it ran its Xavier NX in the 15 W mode, %s; here the mode is %s", studiedNX, mode)}}
}

func (w *sweepStudy) digest() string { return w.r.Experiment.Name + " " + w.plan.Digest(w.r.Repeat) }

func (w *sweepStudy) announce(context.Context, *session.Session, int) string { return "" }

func (w *sweepStudy) findings(rows []record.Row, runs []record.Run) Findings {
	out := w.r.Experiment.Report(w.plan, w.r.Repeat, rows, runs)
	out.Workload, out.Board, out.Virtual = w.r.Workload, w.r.board, w.r.virtual
	return out
}

// useFolders makes a single folder replace the workload's data; several are media to compare.
func (r *ExperimentRequest) useFolders() {
	if len(r.Folders) == 1 {
		r.Workload.Torch.Data = r.Folders[0]
	}
	for _, dir := range r.Folders {
		r.Data = append(r.Data, medium(dir))
	}
}

// medium names a data folder by its disk.
func medium(dir string) experiment.Medium {
	name := dir
	if disk, err := telemetry.DiskOf(dir); err == nil {
		name = fmt.Sprintf("%s (%s)", disk, dir)
	}
	return experiment.Medium{Dir: dir, Name: name}
}

// simulating configures the virtual board for a setting before its job starts.
func simulating(s *session.Session, set experiment.Setting, start func(context.Context, int) (harness.Harness,
	error)) func(
	context.Context, int) (harness.Harness, error) {
	return func(ctx context.Context, batch int) (harness.Harness, error) {
		if set.Unit.OK {
			s.Virtual.SetInstance(set.Unit.V)
		}
		if set.Medium != "" {
			if err := s.Virtual.SetMedium(set.Medium); err != nil {
				return nil, err
			}
		}
		return start(ctx, batch)
	}
}
