package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/profiles/experiment"
	"jtune/tui/session"
)

func (a *app) experiment() *cobra.Command {
	var r session.ExperimentRequest
	var workload, mode string
	var about strings.Builder
	var names []string
	for _, e := range experiment.All() {
		names = append(names, e.Name)
		fmt.Fprintf(&about, "%s (%s)\n\n", e.Name, e.Title)
	}
	cmd := &cobra.Command{
		Use:   "experiment [NAME [WORKLOAD]]",
		Short: "Run one of the papers' characterisation sweeps and explain it",
		Long: "Runs a training job with several settings, one after another in the fastest power mode with the fan " +
			"at maximum and locked clocks, and compares them: a table, a CSV file, and sentences about the measured " +
			"numbers. Without a name it lists the experiments.\n\n" + about.String() +
			"Every run is recorded in --out DIR when it ends, with the report (report.txt, report.csv); --resume " +
			"continues with the missing runs. At the end the board is restored. Times are means per minibatch " +
			"without the first one. Parts that this board or job cannot do are skipped and listed.",
		Example: "  jtune experiment\n  jtune experiment workers resnet --repeat 3 --out workers\n" +
			"  jtune experiment storage --data /mnt/ssd/imagenet --data /mnt/sd/imagenet\n" +
			"  jtune experiment cache --epochs 6 --json",
		Args:      takes(cobra.MaximumNArgs(2)),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listExperiments()
			}
			var err error
			if r.Experiment, err = experiment.Find(args[0]); err != nil {
				return usagef("%v", err)
			}
			if len(args) > 1 {
				if workload != "" {
					return usagef("experiment: give either WORKLOAD or --workload NAME")
				}
				workload = args[1]
			}
			if err := checkExperiment(cmd, r); err != nil {
				return err
			}
			return a.onDevice(func(s *session.Session) error {
				if r.Workload, err = s.ExperimentWorkload(r.Experiment, workload); err != nil {
					return err
				}
				if err := s.EnsureFullSpace(cmd.Context()); err != nil {
					return err
				}
				if mode != "" {
					if r.Mode, err = s.FindMode(cmd.Context(), mode); err != nil {
						return err
					}
				}
				return a.doExperiment(cmd.Context(), s, r)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&workload, "workload", "", "train workload `NAME` (default: the one of the papers)")
	f.StringVar(&mode, "mode", "", "run in power mode `MODE`, also a preset (default: the fastest)")
	countFlag(f, &r.Minibatches, "minibatches", "run `N` minibatches with the data in memory (default 100)")
	countFlag(f, &r.Epochs, "epochs",
		"run `N` whole epochs instead, from a cold page cache; results are of the later ones")
	r.Repeat = 1
	countFlag(f, &r.Repeat, "repeat", "run every setting `N` times and report the spread")
	f.StringArrayVar(&r.Folders, "data", nil,
		"`DIR` of the training data; for storage several times: a copy on each medium")
	f.DurationVar(&r.Idle, "idle", time.Minute, "baseload: measure each state for this long (papers: 30m)")
	f.DurationVar(&r.Base, "base", 5*time.Second,
		"measure the idle board for this long before each run, for its share of the energy; 0: do not")
	f.DurationVar(&r.Every, "interval", time.Second, "time between two power samples")
	f.StringVar(&r.Dir, "out", "", "record folder, new (default below the data directory)")
	f.BoolVar(&r.Resume, "resume", false, "continue the same experiment in --out DIR")
	f.BoolVar(&r.RedoFailed, "redo-failed", false, "with --resume: repeat the settings that failed")
	a.jsonFlag(f)
	return cmd
}

func checkExperiment(cmd *cobra.Command, r session.ExperimentRequest) error {
	switch {
	case r.Minibatches > 0 && r.Epochs > 0:
		return usagef("--minibatches and --epochs exclude each other")
	case r.Minibatches > 0 && r.Experiment.Epochs > 0:
		return usagef("experiment %s compares whole epochs, %d unless --epochs N says otherwise: "+
			"leave --minibatches away",
			r.Experiment.Name, r.Experiment.Epochs)
	case r.Experiment.Name == "batch" && cmd.Flags().Changed("batch"):
		return usagef("experiment batch runs sizes of its own: leave out --batch")
	case r.Base < 0:
		return usagef("--base must not be negative")
	case r.Idle < time.Second || r.Every < 10*time.Millisecond:
		return usagef("--idle takes a second at least, --interval 10ms")
	case len(r.Folders) > 1 && r.Experiment.Name != "storage":
		return usagef("several --data are for experiment storage, which compares them")
	}
	return checkResume(r.Dir, r.Resume, r.RedoFailed)
}

func (a *app) listExperiments() error {
	rows := [][]string{{"experiment", "compares", "by default"}}
	for _, e := range experiment.All() {
		def := e.Workload
		switch {
		case def == "":
			def = "none"
		case e.Epochs > 0:
			def += fmt.Sprintf(", %d epochs", e.Epochs)
		default:
			def += ", 100 minibatches"
		}
		rows = append(rows, []string{e.Name, e.Title, def})
	}
	return table(a.out, rows...)
}

func (a *app) doExperiment(ctx context.Context, s *session.Session, r session.ExperimentRequest) error {
	rep := a.reporter(s.Device)
	res, err := s.Experiment(ctx, r, rep.observe)
	rep.wipe()
	if res.Dir == "" {
		return err
	}
	if ctx.Err() != nil {
		a.note("interrupted after %s; continue with: jtune experiment %s … --out %s --resume",
			res.Elapsed.Round(time.Second), r.Experiment.Name, res.Dir)
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	if a.asJSON {
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
	Experiment string            `json:"experiment"`
	Workload   text.Optional     `json:"workload"`
	Device     string            `json:"device"`
	Virtual    bool              `json:"virtual"`
	Repeat     int               `json:"repeat"`
	Dir        string            `json:"dir"`
	Lines      []map[string]any  `json:"lines"`
	Skipped    []experiment.Skip `json:"skipped"`
	Failed     []string          `json:"failed"`
	Notes      []string          `json:"notes"`
	Takeaway   []string          `json:"takeaway"`
}

func toExperimentJSON(r session.ExperimentResult, s *session.Session) experimentJSON {
	b := s.Device.Board()
	out := experimentJSON{
		Experiment: r.Experiment.Name,
		Workload:   text.Optional(r.Workload.Name),
		Device:     b.Name,
		Virtual:    b.Virtual,
		Repeat:     r.Repeat,
		Dir:        r.Dir,
		Lines:      []map[string]any{},
		Skipped:    listOf(r.Skipped),
		Failed:     listOf(r.Failed),
		Notes:      listOf(r.Notes),
		Takeaway:   listOf(r.Takeaway),
	}
	for _, l := range r.Lines {
		line := map[string]any{"setting": l.Setting, "part": text.Optional(l.Part), "runs": l.Runs, "mode": l.Mode}
		for _, c := range experiment.Columns() {
			line[c.Key] = nil
			if v, ok := l.Stats[c.Key]; ok {
				line[c.Key] = v
			}
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}
