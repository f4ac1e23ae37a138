package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/profiles/experiment"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/session"
)

func (a *app) experiment() *cobra.Command {
	var r session.ExperimentRequest
	var workload, mode, svg string
	var pair []string
	plots := false
	var about strings.Builder
	var names, meter, runs []string
	for _, e := range experiment.All() {
		names = append(names, e.Name)
		fmt.Fprintf(&about, "%s (%s)\n\n", e.Name, e.Title)
	}
	names = append(names, allOfThem, devicesOfAll)
	energy := experiment.Energy()
	fmt.Fprintf(&about, "%s (%s)\n\n%s (%s)\n\n%s (%s)\n\n", energy.Name, energy.Title, allOfThem, aboutAll, devicesOfAll,
		aboutDevices)
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
		Args: func(cmd *cobra.Command, args []string) error {
			_, rest := takeLabels(r.Labels, args)
			return takes(cobra.MaximumNArgs(2))(cmd, rest)
		},
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Labels, args = takeLabels(r.Labels, args)
			if len(args) == 0 {
				return a.listExperiments()
			}
			if len(args) > 1 {
				if workload != "" {
					return usagef("experiment: give either WORKLOAD or --workload NAME")
				}
				workload = args[1]
			}
			if args[0] == devicesOfAll {
				return a.compareDevices(workload, runs)
			}
			if len(runs) > 0 {
				return usagef("--runs is for experiment devices")
			}
			var err error
			if r.Meter, err = readMeter(meter); err != nil {
				return err
			}
			list := experiment.All()
			if args[0] != allOfThem {
				one, err := experiment.Find(args[0])
				if err != nil {
					return usagef("%v, %s and %s", err, allOfThem, devicesOfAll)
				}
				list = []experiment.Experiment{one}
			} else if r.Minibatches > 0 || r.Epochs > 0 || len(r.Folders) > 1 {
				return usagef("experiment all: leave --minibatches, --epochs and several --data away: each " +
					"experiment has its own")
			}
			for _, e := range list {
				if r.Experiment = e; args[0] != allOfThem {
					if err := checkExperiment(cmd, r, pair); err != nil {
						return err
					}
				}
			}
			return a.onDevice(func(s *session.Session) error {
				if err := s.EnsureFullSpace(cmd.Context()); err != nil {
					return err
				}
				if mode != "" {
					if r.Mode, err = s.FindMode(cmd.Context(), mode); err != nil {
						return err
					}
				}
				if r.Pair, err = pairOf(cmd.Context(), s, pair); err != nil {
					return err
				}
				if args[0] != allOfThem {
					if r.Workload, err = s.ExperimentWorkload(r.Experiment, workload); err != nil {
						return err
					}
				}
				draw := drawing{svg: svg}
				if plots {
					draw.shown = math.MaxInt
				}
				return a.obeying(cmd.Context(), s, r, draw, func(ctx context.Context, by obeying) error {
					if args[0] == allOfThem {
						return a.doExperiments(ctx, s, r, list, workload, by)
					}
					by.quiet = a.asJSON
					return a.doExperiment(ctx, s, r, by)
				})
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
	f.StringArrayVar(&pair, "pair", nil, "modes: compare two modes that differ in one knob, `MODE` given twice")
	f.BoolVar(&plots, "plot", false, "draw the settings as bars in the terminal too")
	f.StringVar(&svg, "svg", "", "draw the settings as bars into `DIR`, as SVG")
	f.StringVar(&r.Labels, "labels", "", "modes: only `LETTERS` of a to n, such as ag; all of them without letters")
	f.Lookup("labels").NoOptDefVal = everyLabel
	countFlag(f, &r.Units, "instances", "variability: on units 0 to `N`-1 of a virtual board")
	f.StringArrayVar(&runs, "runs", nil, "devices: compare with your own runs in `DIR`, a folder that jtune run has "+
		"left (--no-device on other machines) or one of several; several times")
	f.StringArrayVar(&meter, "meter", nil,
		"baseload: `STATE=W`, what a meter at the supply read in idle state i, ii, iii or iv; several times")
	f.StringVar(&r.Dir, "out", "", "record `DIR`, new (default below the data directory)")
	f.BoolVar(&r.Resume, "resume", false, "continue the same experiment in --out DIR")
	f.BoolVar(&r.RedoFailed, "redo-failed", false, "with --resume: repeat the settings that failed")
	a.jsonFlag(f)
	cmd.AddCommand(a.energy())
	return cmd
}

// mostUnits is as many units of a board as anybody compares.
const mostUnits = 100

// Names beside those of single experiments.
const (
	allOfThem    = "all"
	aboutAll     = "all of them, one after another, each in a folder of its own"
	devicesOfAll = "devices"
	aboutDevices = "epochs of a workload, or of all, on every virtual board: time and energy on a logarithmic scale"
)

// readMeter reads STATE=W.
func readMeter(list []string) (out []experiment.Metered, err error) {
	for _, one := range list {
		state, value, _ := strings.Cut(one, "=")
		watt, err := positive(value)
		if err != nil || !slices.Contains([]string{"i", "ii", "iii", "iv"}, state) {
			return nil, usagef("--meter %s: want STATE=W with a state i, ii, iii or iv", one)
		}
		out = append(out, experiment.Metered{State: state, Watt: watt})
	}
	return out, nil
}

// pairOf finds two modes that differ in one knob.
func pairOf(ctx context.Context, s *session.Session, names []string) (modes []tegra.Mode, err error) {
	for _, name := range names {
		m, err := s.FindMode(ctx, name)
		if err != nil {
			return nil, err
		}
		modes = append(modes, m)
	}
	if len(modes) == 2 && !experiment.OneKnob(modes[0], modes[1]) {
		return nil, usagef("--pair: %s and %s must differ in exactly one of cores, CPU, GPU and memory clock", names[0],
			names[1])
	}
	return modes, nil
}

// everyLabel is --labels without letters: all modes of the 2022 study.
const everyLabel = "abcdefghijklmn"

// takeLabels takes letters that stand apart from --labels out of the arguments, after the experiment's name. No letter
// comes twice, as in the name of a workload it may.
func takeLabels(labels string, args []string) (letters string, rest []string) {
	if labels != everyLabel {
		return labels, args
	}
	for i, arg := range args {
		once := slices.Sorted(slices.Values([]rune(arg)))
		if i > 0 && strings.Trim(arg, everyLabel) == "" && len(slices.Compact(once)) == len(arg) {
			return arg, slices.Delete(slices.Clone(args), i, i+1)
		}
	}
	return labels, args
}

func checkExperiment(cmd *cobra.Command, r session.ExperimentRequest, pair []string) error {
	switch {
	case r.Minibatches > 0 && r.Epochs > 0:
		return usagef("--minibatches and --epochs exclude each other")
	case r.Minibatches > 0 && r.Experiment.Epochs > 0:
		return usagef("experiment %s compares whole epochs, %d unless --epochs N says otherwise: "+
			"leave --minibatches away",
			r.Experiment.Name, r.Experiment.Epochs)
	case r.Experiment.Name == "batch" && cmd.Flags().Changed("batch"):
		return usagef("experiment batch runs sizes of its own: leave out --batch")
	case r.Labels != "" && (r.Experiment.Name != "modes" || strings.Trim(r.Labels, "abcdefghijklmn") != ""):
		return usagef("--labels %s: want letters of a to n, for experiment modes", r.Labels)
	case len(pair) > 0 && (r.Experiment.Name != "modes" || len(pair) != 2 || r.Labels != ""):
		return usagef("--pair MODE --pair MODE: two modes, for experiment modes without --labels")
	case r.Units > 0 && (r.Experiment.Name != "variability" || r.Units > mostUnits):
		return usagef("--instances %d: want 1 to %d, for experiment variability", r.Units, mostUnits)
	case len(r.Meter) > 0 && r.Experiment.Name != "baseload":
		return usagef("--meter is for experiment baseload")
	case r.Experiment.Name == "polling" && cmd.Flags().Changed("interval"):
		return usagef("experiment polling has intervals of its own: leave out --interval")
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
			def += fmt.Sprintf(", %d minibatches", e.Minibatches())
		}
		rows = append(rows, []string{e.Name, e.Title, def})
	}
	energy := experiment.Energy()
	rows = append(rows, []string{energy.Name, energy.Title, "needs WORKLOAD"}, []string{allOfThem, aboutAll, "as above"},
		[]string{devicesOfAll, aboutDevices, "all workloads"})
	return table(a.out, rows...)
}

// obeying is how experiments show their progress, take orders and print what they found.
type obeying struct {
	rep       *reporter
	orders    *session.Orders
	documents *[]any // takes the JSON document; nil: it is printed
	quiet     bool   // the folder is not named
	drawing
}

// drawing says how what an experiment found is drawn.
type drawing struct {
	shown int    // figures, in the terminal
	svg   string // a folder; "": not
}

// obeying runs experiments as a task that other jtunes can pause and stop.
func (a *app) obeying(ctx context.Context, s *session.Session, r session.ExperimentRequest, draw drawing,
	do func(context.Context, obeying) error) error {
	rep := a.reporter(s.Device)
	ctx, orders := s.Obey(ctx, session.TaskSpec{Kind: session.Profiling, Workload: r.Workload}, r.Dir != "", rep.line)
	defer orders.End()
	return do(ctx, obeying{rep: rep, orders: orders, drawing: draw})
}

// doExperiments runs several and says at the end which of them could not run.
func (a *app) doExperiments(ctx context.Context, s *session.Session, r session.ExperimentRequest,
	list []experiment.Experiment, workload string, by obeying) error {
	type failure struct{ names, why string }
	var failed []failure
	missing := 0
	documents := []any{} // one array, of those that ran
	by.documents, by.quiet = &documents, a.asJSON
	var interrupted error
	dir := r.Dir
	for i, e := range list {
		one := r
		one.Experiment = e
		if dir != "" {
			one.Dir = filepath.Join(dir, e.Name)
		}
		var err error
		if e.Workload != "" {
			one.Workload, err = s.ExperimentWorkload(e, workload)
		}
		if err == nil {
			if i > 0 && !a.asJSON {
				fmt.Fprintln(a.out)
			}
			err = a.doExperiment(ctx, s, one, by)
		}
		if ctx.Err() != nil {
			interrupted = err
			break
		}
		if err != nil {
			if why := err.Error(); len(failed) > 0 && failed[len(failed)-1].why == why {
				failed[len(failed)-1].names += ", " + e.Name
			} else {
				failed = append(failed, failure{e.Name, why})
			}
			missing++
		}
	}
	if a.asJSON {
		if err := printJSON(a.out, documents); err != nil {
			return err
		}
	}
	if interrupted != nil {
		return interrupted
	}
	if missing > 0 {
		var why []string
		for _, f := range failed {
			why = append(why, f.names+": "+f.why)
		}
		return fmt.Errorf("experiment all: %d of %d could not run: %s", missing, len(list), strings.Join(why, "; "))
	}
	return nil
}

// compareDevices prints epochs on all virtual boards.
func (a *app) compareDevices(workload string, runs []string) error {
	names := virtual.Workloads()
	own, err := session.OwnRuns(runs)
	if err != nil {
		return err
	}
	known := slices.Clone(names)
	for _, r := range own {
		if !slices.Contains(known, r.Workload) {
			known = append(known, r.Workload)
		}
	}
	switch {
	case workload != "" && !slices.Contains(known, workload):
		return usagef("experiment devices: %s is not simulated: %s", workload, strings.Join(known, ", "))
	case workload != "":
		known = []string{workload}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(known, name) })
	rows, err := session.CompareDevices(names)
	if err != nil {
		return err
	}
	names, rows = known, append(rows, own...)
	if a.asJSON {
		return printJSON(a.out, map[string]any{"virtual": true, "devices": rows, "stated": session.Stated})
	}
	for _, name := range names {
		err := a.printFigure(session.DevicesFigure(rows, name), plotRequest{size: "80x14"})
		if err != nil {
			return err
		}
		for _, r := range rows {
			if r.Workload == name && r.Why != "" {
				fmt.Fprintln(a.out, wrapped("DNR on "+r.Board+": "+r.Why))
			}
		}
		fmt.Fprintln(a.out)
	}
	fmt.Fprintln(a.out, "* no measurement or figure of that board is behind the numbers")
	for _, line := range session.Stated {
		fmt.Fprintln(a.out, wrapped(line))
	}
	return nil
}

// doExperiment runs one and prints what it found.
func (a *app) doExperiment(ctx context.Context, s *session.Session, r session.ExperimentRequest, by obeying) error {
	by.rep.done, r.Gate = 0, by.orders.Gate
	res, err := s.Experiment(ctx, r, by.orders.Observing(by.rep.observe))
	by.rep.wipe()
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
	if !by.quiet {
		a.note("recorded in %s, with report.txt and report.csv", filepath.Clean(res.Dir))
	}
	if err := a.drawFigures(by.svg, res.Figures()); err != nil {
		return err
	}
	document := res.Document(s.Device.Board().Name, res.Dir)
	switch {
	case a.asJSON && by.documents != nil:
		*by.documents = append(*by.documents, document)
	case a.asJSON:
		err = printJSON(a.out, document)
	case a.asCSV:
		err = res.CSV(a.out)
	default:
		err = a.printFindings(r, res, by.shown)
	}
	if err == nil {
		err = res.Fault()
	}
	return err
}

// printFindings prints what an experiment found, and the figures of it that belong to it.
func (a *app) printFindings(r session.ExperimentRequest, res session.ExperimentResult, shown int) error {
	if err := res.Text(a.out); err != nil {
		return err
	}
	if e, ok := res.Findings.(session.EnergyReport); ok && r.Energy.LatencyCost.OK {
		fmt.Fprintln(a.out, wrapped(e.CappedText(r.Energy.LatencyCost.V)))
	}
	figures := res.Figures()
	for _, f := range figures[:min(shown, len(figures))] {
		fmt.Fprintln(a.out)
		if err := a.printFigure(f, plotRequest{}); err != nil {
			return err
		}
	}
	return nil
}
