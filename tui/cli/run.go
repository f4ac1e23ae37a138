package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/control"
	"jtune/tui/session/measure"
	"jtune/tui/session/run"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
)

// defaultEpochs is the value of --epochs without a number: as in the 2022 study.
const defaultEpochs = 6

// epochsFlag is a count with an optional value: --epochs, --epochs=3, --epochs 3.
type epochsFlag struct {
	n    int
	bare bool // given without a value
}

func (e *epochsFlag) String() string { return "" }
func (e *epochsFlag) Type() string   { return "int" }

// bareEpochs is the flag's value if no number is given.
const bareEpochs = "default"

func (e *epochsFlag) Set(text string) (err error) {
	if e.bare = text == bareEpochs; e.bare {
		e.n = defaultEpochs
		return nil
	}
	e.n, err = strconv.Atoi(text)
	return err
}

// takeNumber removes a number that a space separates from its flag from the arguments.
func (e *epochsFlag) takeNumber(args []string) []string {
	for i, arg := range args {
		if n, err := strconv.Atoi(arg); err == nil && e.bare && len(args) == 2 {
			e.n = n
			return slices.Delete(slices.Clone(args), i, i+1)
		}
	}
	return args
}

// runCmd is `jtune run`.
type runCmd struct {
	jobs
	r       measure.RunRequest
	epochs  epochsFlag
	workers int
	infer   inferFlags
	join    joinFlags
	mode    modeFlags
	save    string
	force   bool // replace a saved job
	// exitCode passes on the exit status of the command.
	exitCode bool
	runs     int
	all      []measure.RunResult // all runs of a repeated command
}

func newRun(a *app) *cobra.Command {
	c := &runCmd{jobs: jobs{app: a}, workers: -1}
	out := a.command("run", c.own.args(aNumber, func(cmd *cobra.Command, args []string) error {
		return cobra.ExactArgs(1)(cmd, c.epochs.takeNumber(args))
	}), c.run, places{"epochs": &c.epochs, "workers": &c.workers, "interval": &c.r.Every,
		"include-epoch-zero": &c.r.AllEpochs, "no-instrument": &c.r.Uninstrumented, "save": &c.save,
		"force": &c.force, "runs": &c.runs, "exit-code": &c.exitCode}, c, &c.r, &a.options,
		the("inference", &c.infer), the("job", &c.infer), c.join.named(), c.own.typed(), c.mode.set(),
		theServer(&a.options))
	out.Flags().Lookup("epochs").NoOptDefVal = bareEpochs
	out.Flags().Lookup("workers").DefValue = "0" // zero is not shown: the default is the workload's
	return out
}

func (c *runCmd) check() error {
	if err := errors.Join(checkSave(c.save), c.join.alone(&c.own)); err != nil {
		return err
	}
	c.mode.Free = c.mode.DVFS == "on"
	if c.own.given() {
		c.args = append(c.own.before(c.args), "")
	}
	c.args = c.epochs.takeNumber(c.args)
	c.r.Mode = c.mode.JobMode
	c.r.Epochs, c.r.Inferences, c.r.Repeat = c.epochs.n, c.infer.Inferences, c.infer.Repeat
	if c.given("epochs") && c.r.Epochs < 1 {
		return usagef("run: --epochs %d: 1 at least", c.r.Epochs)
	}
	return nil
}

func (c *runCmd) run(ctx context.Context) error {
	if c.mode.Systemd != "" {
		return c.systemd()
	}
	if err := c.mayReplace(); err != nil {
		return err
	}
	return c.withJob(c.args[0], func(s *session.Session, w workload.Workload) error {
		var err error
		if c.runs > 1 {
			err = noInput(c.in, s, w)
		} else {
			w.Stdin = c.input(s, w)
		}
		if err != nil {
			return err
		}
		if c.r.Workload, err = c.infer.over(w); err != nil {
			return err
		}
		if c.r.Workload, err = c.join.join(s, c.r.Workload, nil); err != nil {
			return err
		}
		if w.Infers() && c.r.Epochs > 0 {
			return usagef("workload %s answers requests, it has no epochs: give --minibatches or --inferences",
				w.Name)
		}
		if c.workers >= 0 {
			c.r.Workload.Workers = c.workers
			if s.Virtual == nil && !w.TakesWorkers() {
				c.note("--workers %d: the command of %s never reads JTUNE_WORKERS", c.workers, w.Name)
			}
		}
		switch {
		case c.runF != nil:
			err = c.runF(c.r)
		case c.own.given():
			err = c.runOwn(ctx, s, c.r)
		default:
			err = c.doRun(ctx, s, c.r)
		}
		return c.mode.noBest(err, w, c.own.Command)
	})
}

func (c *runCmd) doRun(ctx context.Context, s *session.Session, r measure.RunRequest) error {
	rep := c.reporter(s.Device)
	rep.pace.Compute(false) // the idle board is measured first
	outside := r.NoRecord || r.Uninstrumented
	ctx, orders := control.Obey(ctx, s, task.Spec{Kind: task.Training, Workload: r.Workload, Whole: true}, outside,
		rep.line)
	defer orders.End()
	res, err := run.Run(ctx, s, r, orders.Observing(rep.observe))
	rep.wipe()
	if err != nil {
		return err
	}
	if res.Dir != "" {
		c.note("recorded in %s", res.Dir)
	}
	return c.printRun(res, s, r.Workload)
}

// printRun prints what a run measured.
func (c *runCmd) printRun(r measure.RunResult, s *session.Session, w workload.Workload) error {
	doc, err := runDocument(r, s.Device.Board(), c.all)
	if err != nil || c.asJSON {
		return errors.Join(err, c.show(doc))
	}
	if c.own.given() {
		return c.print(c.ownFacts(r, s, w))
	}
	power := withBand(dash(r.PowerW, "%.2f W mean"), r.PowerW.OK, r.Error.Power)
	if meter := r.Character.Steady().MeterW; meter.OK {
		power += fmt.Sprintf("; %.2f W at the power meter", meter.V)
	}
	if r.Settled != telemetry.Settled && r.PowerW.OK {
		power += ", not steady"
	}
	facts, unreliable := trainingFacts(r, s, w, power), ""
	if v := r.Character.Serving; v != nil {
		facts = inferenceFacts(r, s, w, power)
		if v.Latency.N > 0 && !v.Latency.SureP99().OK {
			unreliable = fmt.Sprintf("~: unreliable (requests: %s; p95 needs 200, p99 1,000). Add --minibatches 1000.",
				text.Thousands(v.Latency.N))
		}
	}
	doubts := text.Said(slices.Concat(run.Doubts(r), r.Advice, []string{unreliable})...)
	return c.print(append([]document.Part{append(facts, characterFacts(r.Character)...)}, textsOf(doubts...)...)...)
}

// trainingFacts describes a run of a training job.
func trainingFacts(r measure.RunResult, s *session.Session, w workload.Workload, power string) document.Facts {
	count := text.Thousands(r.Minibatches)
	switch {
	case r.Character.AllEpochs && r.Character.First.OK:
		count += "; epoch 0 is included, as asked for"
	case r.Character.SteadyIsLater():
		count += fmt.Sprintf("; the numbers below count the %s after epoch 0",
			text.Thousands(run.Counted(r)))
	}
	return document.Facts{{"board", workloads.BoardOf(s, w)}, {"minibatches", count},
		{"time", timeText(r, "", "")},
		{"speed", text.Of(1000/r.TimeMS) + " minibatches/s"},
		{"stall", msText(r.StallMS)}, {"compute", msText(r.ComputeMS)},
		{"overhead", msText(r.OverheadMS)}, {"power", power},
		{"energy", withBand(dash(r.EnergyJ, "%.3f J"), r.EnergyJ.OK, r.Error.Energy()) + " per minibatch"},
		{"peak", peaksText(r.Peaks, s.Device.Board())},
		{"sampling", samplingText(r.Sampling)},
		{"mode", modeText(r, s)}}
}

// samplingText describes how regularly power was read; "" if that is not known.
func samplingText(v *measure.Sampling) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("every %s ms, asked for %s ms; jitter %s ms, %s to %s ms, %s readings", text.Of(v.MedianMS),
		text.Of(v.AskedMS), text.Of(v.JitterMS), text.Of(v.LeastMS), text.Of(v.MostMS), text.Thousands(v.Samples))
}

// msText formats a time in ms; less than half a microsecond is zero.
func msText(v tegra.Val[float64]) string {
	if !v.OK {
		return "–"
	}
	return text.Of(math.Round(v.V*1000)/1000) + " ms"
}

// timeText formats the time of a unit: the mean, and the median where they differ by more than 5 %, with the reason if
// it is known.
func timeText(r measure.RunResult, why, unit string) string {
	out := msText(tegra.Some(r.TimeMS))
	if r.Error.Time.V >= leastShown {
		out = withBand(out, true, r.Error.Time)
	}
	if out += unit; r.MedianMS == 0 || math.Abs(r.MedianMS/r.TimeMS-1) <= 0.05 {
		return out
	}
	switch {
	case why != "":
	case r.MedianMS > r.TimeMS:
		why = "a part of them is much shorter"
	default:
		why = "a part of them takes much longer"
	}
	return fmt.Sprintf("%s (median %s: %s)", out, msText(tegra.Some(r.MedianMS)), text.OneLine(why))
}

// leastShown is the standard error from which a time has its band printed.
const leastShown = 0.001 / 1.96

// withBand adds half of the 95 % band to a value.
func withBand(value string, known bool, err tegra.Val[float64]) string {
	switch half := 100 * 1.96 * err.V; {
	case !known:
		return value
	case !err.OK:
		return value + " (error unknown)"
	case half < 99.5:
		return fmt.Sprintf("%s ± %.2g %%", value, half)
	default:
		return fmt.Sprintf("%s ± %.0f %%", value, half)
	}
}
