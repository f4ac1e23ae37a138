package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/profiles"
	"jtune/profiles/experiment"
	"jtune/tui/export"
	"jtune/tui/session"
)

func (a *app) experiment() *cobra.Command {
	var r session.ExperimentRequest
	var workload, mode string
	asJSON := false
	var about strings.Builder
	var names []string
	for _, e := range experiment.All() {
		names = append(names, e.Name)
		fmt.Fprintf(&about, "%s (%s)\n\n", e.Name, e.Title)
	}
	cmd := &cobra.Command{
		Use:   "experiment [NAME]",
		Short: "Run one of the papers' sweeps and say what follows",
		Long: "Runs a training job under several settings, one after another in the fastest power mode with fan at maximum and clocks locked, and compares " +
			"them: a table, a CSV file, and in words what follows from the numbers just measured. Without a name it lists the experiments.\n\n" + about.String() +
			"Every run is recorded in --out DIR as it ends, with its report beside it (report.txt, report.csv); --resume goes on with what is missing. " +
			"The board is put back as it was found. Times are means per minibatch, the first one left out; a part that this board or job cannot do is skipped, and said.",
		Example: "  jtune experiment\n  jtune experiment workers --workload resnet --repeat 3 --out workers\n" +
			"  jtune experiment storage --data /mnt/ssd/imagenet --data /mnt/sd/imagenet\n  jtune experiment cache --epochs 6 --json",
		Args:      takes(cobra.MaximumNArgs(1)),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listExperiments()
			}
			var err error
			if r.Experiment, err = experiment.Find(args[0]); err != nil {
				return usagef("%v", err)
			}
			if err := checkExperiment(cmd, r); err != nil {
				return err
			}
			return a.onDevice(func(s *session.Session) error {
				if r.Workload, err = experimentWorkload(s, r.Experiment, workload); err != nil {
					return err
				}
				if err := s.Whole(cmd.Context()); err != nil {
					return err
				}
				if mode != "" {
					if r.Mode, err = findMode(s.Device, mode); err != nil {
						return err
					}
				}
				return a.doExperiment(cmd.Context(), s, r, asJSON)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&workload, "workload", "", "train `NAME` (default: the one of the papers)")
	f.StringVar(&mode, "mode", "", "run in power mode `MODE`, also a preset (default: the fastest)")
	f.IntVar(&r.Minibatches, "minibatches", 0, "run `N` minibatches with the data in memory (default 100)")
	f.IntVar(&r.Epochs, "epochs", 0, "run `N` whole epochs instead, from a cold page cache; results are of the later ones")
	f.IntVar(&r.Repeat, "repeat", 1, "run every setting `N` times and tell the spread")
	f.StringArrayVar(&r.Data, "data", nil, "the data lie in `DIR`; several times for storage: a copy on each medium")
	f.DurationVar(&r.Idle, "idle", time.Minute, "baseload: measure each state for so long (papers: 30m)")
	f.DurationVar(&r.Base, "base", 5*time.Second, "measure the idle board for so long before each run, for the share of its base load; 0: not")
	f.DurationVar(&r.Every, "interval", time.Second, "between two power samples")
	f.StringVar(&r.Dir, "out", "", "record folder, new (default below the data directory)")
	f.BoolVar(&r.Resume, "resume", false, "go on with the same experiment in --out DIR")
	f.BoolVar(&r.RedoFailed, "redo-failed", false, "with --resume: run the settings again that failed")
	jsonFlag(f, &asJSON)
	return cmd
}

func checkExperiment(cmd *cobra.Command, r session.ExperimentRequest) error {
	for flag, n := range map[string]int{"minibatches": r.Minibatches, "epochs": r.Epochs, "repeat": r.Repeat} {
		if err := positiveIfGiven(cmd, flag, n); err != nil {
			return err
		}
	}
	switch {
	case r.Minibatches > 0 && r.Epochs > 0:
		return usagef("--minibatches and --epochs exclude each other")
	case r.Minibatches > 0 && r.Experiment.Epochs > 0:
		return usagef("experiment %s compares whole epochs: give --epochs N", r.Experiment.Name)
	case r.Experiment.Name == "batch" && cmd.Flags().Changed("batch"):
		return usagef("experiment batch runs sizes of its own: leave --batch away")
	case r.Base < 0:
		return usagef("--base must not be negative")
	case r.Idle < time.Second || r.Every < 10*time.Millisecond:
		return usagef("--idle takes a second at least, --interval 10ms")
	case len(r.Data) > 1 && r.Experiment.Name != "storage":
		return usagef("several --data are for experiment storage, which compares them")
	case r.RedoFailed && !r.Resume:
		return usagef("--redo-failed needs --resume, and the folder to go on with")
	case r.Resume && r.Dir == "":
		return usagef("--resume needs --out DIR, the folder to go on with")
	}
	return nil
}

// experimentWorkload is the one that was asked for, else the experiment's own;
// none when nothing is to run.
func experimentWorkload(s *session.Session, e experiment.Experiment, name string) (profiles.Workload, error) {
	if e.Workload == "" {
		if name != "" {
			return profiles.Workload{}, usagef("experiment %s runs no workload", e.Name)
		}
		return profiles.Workload{}, nil
	}
	if name == "" {
		name = e.Workload
	}
	return s.Workload(name)
}

func (a *app) listExperiments() error {
	rows := [][]string{{"experiment", "compares", "by default"}}
	for _, e := range experiment.All() {
		def := e.Workload
		switch {
		case def == "":
			def = "nothing runs"
		case e.Epochs > 0:
			def += fmt.Sprintf(", %d epochs", e.Epochs)
		default:
			def += ", 100 minibatches"
		}
		rows = append(rows, []string{e.Name, e.Title, def})
	}
	return table(a.out, rows...)
}

func (a *app) doExperiment(ctx context.Context, s *session.Session, r session.ExperimentRequest, asJSON bool) error {
	rep := a.reporter(s.Device)
	res, err := s.Experiment(ctx, r, rep.observe)
	rep.wipe()
	if res.Dir == "" {
		return err
	}
	if ctx.Err() != nil {
		a.note("interrupted after %s; go on with: jtune experiment %s … --out %s --resume", res.Elapsed.Round(time.Second), r.Experiment.Name, res.Dir)
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(a.out, toExperimentJSON(res, s))
	} else {
		err = res.Text(a.out)
		a.note("recorded in %s, with report.txt and report.csv", filepath.Clean(res.Dir))
	}
	if err == nil && len(res.Lines) == 0 {
		err = fmt.Errorf("experiment %s: no run succeeded: %s", r.Experiment.Name, strings.Join(res.Failed, "; "))
	}
	return err
}

type experimentJSON struct {
	Experiment string           `json:"experiment"`
	Workload   *string          `json:"workload"`
	Device     string           `json:"device"`
	Virtual    bool             `json:"virtual"`
	Repeat     int              `json:"repeat"`
	Dir        string           `json:"dir"`
	Lines      []map[string]any `json:"lines"`
	Skipped    []skipJSON       `json:"skipped"`
	Failed     []string         `json:"failed"`
	Notes      []string         `json:"notes"`
	Takeaway   []string         `json:"takeaway"`
}

type skipJSON struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// statJSON is a number over repeated runs.
type statJSON struct {
	Median number `json:"median"`
	Lo     number `json:"lo"`
	Hi     number `json:"hi"`
}

func toExperimentJSON(r session.ExperimentResult, s *session.Session) experimentJSON {
	b := s.Device.Board()
	out := experimentJSON{Experiment: r.Experiment.Name, Workload: optionalText(r.Workload.Name), Device: b.Name, Virtual: b.Virtual, Repeat: r.Repeat, Dir: r.Dir,
		Lines: []map[string]any{}, Skipped: []skipJSON{}, Failed: append([]string{}, r.Failed...), Notes: append([]string{}, r.Notes...), Takeaway: append([]string{}, r.Takeaway...)}
	for _, l := range r.Lines {
		line := map[string]any{"setting": l.Setting, "part": optionalText(l.Part), "runs": l.Runs, "mode": export.ModeOf(l.Mode)}
		for _, c := range experiment.Columns() {
			line[c.Key] = nil
			if v, ok := l.Stats[c.Key]; ok {
				line[c.Key] = statJSON{number(v.Median), number(v.Lo), number(v.Hi)}
			}
		}
		out.Lines = append(out.Lines, line)
	}
	for _, k := range r.Skipped {
		out.Skipped = append(out.Skipped, skipJSON(k))
	}
	return out
}
