package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/profiles/lab/experiment"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/lab/devices"
	"jtune/tui/session/lab/experiments"
)

// experimentCmd is `jtune lab experiment`: the papers' sweeps, one or all, or a comparison of boards.
type experimentCmd struct {
	studyCmd
	list              []experiment.Experiment // to run
	workload, mode    string
	pair, meter, runs []string
	plots             bool
	own               commandFlags
}

func newExperiment(a *app) *cobra.Command {
	c := &experimentCmd{studyCmd: studyCmd{app: a}}
	out := a.command("experiment", c.own.args(one, func(cmd *cobra.Command, args []string) error {
		_, rest := takeLabels(c.r.Labels, args)
		return cobra.MaximumNArgs(2)(cmd, rest)
	}), c.run, places{"workload": &c.workload, "mode": &c.mode, "data": &c.r.Folders, "interval": &c.r.Every,
		"pair": &c.pair, "plot": &c.plots, "svg": &c.svg, "instances": &c.r.Units, "runs": &c.runs,
		"meter": &c.meter, "out": &c.r.Dir}, c, &c.r, c.own.typed())
	out.Flags().Lookup("labels").NoOptDefVal = everyLabel
	for _, e := range experiment.All() {
		out.ValidArgs = append(out.ValidArgs, e.Name)
	}
	out.ValidArgs = append(out.ValidArgs, allOfThem, devicesOfAll)
	out.AddCommand(newEnergy(a))
	return out
}

// experimentRows are the experiments: name, what each compares, and what it runs by default.
func experimentRows() (rows [][]string) {
	for _, e := range experiment.All() {
		runs := e.Workload
		switch {
		case runs == "":
			runs = "none"
		case e.Epochs > 0:
			runs += fmt.Sprintf(", %d epochs", e.Epochs)
		default:
			runs += fmt.Sprintf(", %d minibatches", e.Minibatches())
		}
		rows = append(rows, []string{e.Name, e.Title, runs})
	}
	return append(rows, []string{experiment.Energy().Name, experiment.Energy().Title, "needs WORKLOAD"},
		[]string{allOfThem, "all of them, one after another, each in a folder of its own", "as above"},
		[]string{devicesOfAll, "epochs of a workload, or of all, on every virtual board: time and energy on a " +
			"logarithmic scale", "all workloads"})
}

// experimentList lists them for the command's help.
func experimentList() string {
	var lines []string
	for _, row := range experimentRows() {
		lines = append(lines, fmt.Sprintf("  %-12s %s", row[0], row[1]))
	}
	return strings.Join(lines, "\n")
}

// Names besides those of single sweeps.
const (
	allOfThem    = "all"
	devicesOfAll = "devices"
)

func (c *experimentCmd) check() (err error) {
	if c.own.given() && c.workload != "" {
		return usagef("experiment: give either -- COMMAND or --workload NAME")
	}
	c.r.Medium = c.options.Medium
	c.r.Labels, c.args = takeLabels(c.r.Labels, c.own.before(c.args))
	if len(c.args) == 0 {
		return nil
	}
	if len(c.args) > 1 {
		if c.workload != "" {
			return usagef("experiment: give either WORKLOAD or --workload NAME")
		}
		c.workload = c.args[1]
	}
	name := c.args[0]
	if name == devicesOfAll {
		return nil
	}
	if c.r.Meter, err = readMeter(c.meter); err != nil {
		return err
	}
	if c.list = experiment.All(); name == allOfThem {
		if len(c.r.Folders) > 1 {
			return usagef("experiment all: several --data are for experiment storage, which compares them")
		}
		return nil
	}
	one, err := experiment.Find(name)
	if err != nil {
		return usagef("%v, %s and %s", err, allOfThem, devicesOfAll)
	}
	c.list = []experiment.Experiment{one}
	return c.checkValues(one)
}

// checkValues checks the flags of one experiment.
func (c *experimentCmd) checkValues(e experiment.Experiment) error {
	switch r := c.r; {
	case r.Minibatches > 0 && e.Epochs > 0:
		return usagef("experiment %s compares whole epochs, %d unless --epochs N says otherwise: "+
			"remove --minibatches", e.Name, e.Epochs)
	case strings.Trim(r.Labels, everyLabel) != "":
		return usagef("--labels %s: want letters of a to n, for experiment modes", r.Labels)
	case len(c.pair) > 0 && len(c.pair) != 2:
		return usagef("--pair MODE --pair MODE: two modes, for experiment modes without --labels")
	case len(r.Folders) > 1 && e.Name != "storage":
		return usagef("several --data are for experiment storage, which compares them")
	}
	return nil
}

func (c *experimentCmd) run(ctx context.Context) error {
	switch {
	case len(c.args) == 0:
		return c.app.print(document.Table{Head: []string{"experiment", "compares", "by default"},
			Rows: experimentRows()})
	case c.args[0] == devicesOfAll:
		return c.compareDevices()
	case c.plots:
		c.shown = math.MaxInt
	}
	c.quiet = c.asJSON
	return c.onBoard(ctx, c.complete, func(ctx context.Context, s *session.Session) error {
		if c.args[0] == allOfThem {
			return c.runAll(ctx, s)
		}
		return c.study(ctx, s)
	})
}

// complete resolves the modes and the workload on the board.
func (c *experimentCmd) complete(ctx context.Context, s *session.Session) (err error) {
	if c.mode != "" {
		if c.r.Mode, err = s.FindMode(ctx, c.mode); err != nil {
			return err
		}
	}
	if c.r.Pair, err = pairOf(ctx, s, c.pair); err != nil {
		return err
	}
	if c.args[0] == allOfThem {
		return nil
	}
	c.r.Experiment = c.list[0]
	if c.own.given() {
		jobs := jobs{app: c.app, own: c.own}
		w, err := jobs.startedOften(s)
		if err == nil {
			c.r.Workload, err = jobs.again(ctx, s, w, c.r.Dir, c.r.Resume)
		}
		return err
	}
	c.r.Workload, err = experiments.WorkloadOf(s, c.r.Experiment, c.workload)
	return err
}

// readMeter parses STATE=W.
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

// pairOf resolves two modes that differ in one knob.
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

// everyLabel is --labels without a value: all modes of the 2022 study.
const everyLabel = "abcdefghijklmn"

// takeLabels removes from the arguments, after the experiment's name, the value of --labels if a space separates it. An
// argument is such a value if it has only these letters, each at most once, unlike the name of a workload.
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

// runAll runs several experiments and then reports which of them could not run.
func (c *experimentCmd) runAll(ctx context.Context, s *session.Session) error {
	type failure struct{ names, why string }
	var failed []failure
	missing := 0
	c.documents = &[]any{} // one array, of those that ran
	var interrupted error
	whole := c.r
	for i, e := range c.list {
		c.r = whole
		c.r.Experiment = e
		if whole.Dir != "" {
			c.r.Dir = filepath.Join(whole.Dir, e.Name)
		}
		var err error
		if e.Workload != "" {
			c.r.Workload, err = experiments.WorkloadOf(s, e, c.workload)
		}
		if err == nil {
			if i > 0 && !c.asJSON {
				fmt.Fprintln(c.out)
			}
			err = c.study(ctx, s)
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
	if c.asJSON {
		if err := printJSON(c.out, *c.documents); err != nil {
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
		return fmt.Errorf("experiment all: %d of %d could not run: %s", missing, len(c.list), strings.Join(why, "; "))
	}
	return nil
}

// compareDevices prints epochs on all virtual boards.
func (c *experimentCmd) compareDevices() error {
	workload := c.workload
	names := virtual.Workloads()
	own, err := devices.Own(c.runs)
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
	rows, err := devices.Compare(names)
	if err != nil {
		return err
	}
	names, rows = known, append(rows, own...)
	if c.asJSON {
		return printJSON(c.out, map[string]any{"virtual": true, "devices": rows, "stated": devices.Stated})
	}
	for _, name := range names {
		size := fmt.Sprintf("%dx14", max(leastPlotW, cmp.Or(columnsOf(c.out), helpWidth)))
		err := printFigure(c.app, devices.Figure(rows, name), plotRequest{Size: size})
		if err != nil {
			return err
		}
		for _, r := range rows {
			if r.Workload == name && r.Why != "" {
				c.app.print(document.Text("DNR on " + r.Board + ": " + r.Why))
			}
		}
		fmt.Fprintln(c.out)
	}
	c.app.print(document.Line("* no measured or published data for that board"))
	return c.app.print(textsOf(devices.Stated...)...)
}
