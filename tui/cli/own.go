package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/harness"
	"jtune/profiles/harness/detect"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/preflight"
	"jtune/tui/session/run"
	"jtune/tui/session/workloads"
)

// commandFlags describe what jtune cannot read from the output of a user's command.
type commandFlags struct {
	workloads.Typed
	Patience time.Duration
}

// awaited sets how long jtune waits for the first step of a command, if the user says so.
func (a jobs) awaited(w workload.Workload) workload.Workload {
	if a.app.given("patience") {
		w.Patience = a.own.Patience
	}
	return w
}

func (o *commandFlags) typed() shared {
	o.Patience = harness.StartLimit
	return the("own", places{"dataset-size": &o.Dataset}, o)
}

// withoutModes is the error for a hidden flag that refuses a search on a machine without modes.
func (a *app) withoutModes() error {
	if a.given("no-device") {
		return usagef("--no-device: this machine has no power modes to choose among: jtune run --no-device -- " +
			"COMMAND " +
			"measures a command on it, --device virtual:NAME tries a search")
	}
	return nil
}

// given reports whether a command was given.
func (o *commandFlags) given() bool { return o.Command != nil }

// args cuts the command after -- off the arguments; before checks the arguments in front of it. Without a command,
// check applies, and no flag may need one.
func (o *commandFlags) args(before func(args []string) bool, check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		dash := cmd.ArgsLenAtDash()
		switch {
		case dash < 0:
			if err := check(cmd, args); err != nil || len(o.Env) == 0 {
				return err
			}
			return usagef("%s--env needs -- COMMAND too: a workload has it in the configuration", commandName(cmd))
		case dash == len(args):
			return usagef("%sno command behind --, such as: -- python3 train.py", commandName(cmd))
		case !before(args[:dash]):
			return usagef("%sgive either WORKLOAD or -- COMMAND", commandName(cmd))
		case strings.TrimSpace(args[dash]) == "":
			return usagef("%sthe command behind -- is empty", commandName(cmd))
		}
		o.Command = args[dash:]
		return nil
	}
}

// none and one check the arguments in front of a command.
func none(args []string) bool { return len(args) == 0 }

func one(args []string) bool { return len(args) == 1 }

// aNumber accepts the number of --epochs 3 -- COMMAND.
func aNumber(args []string) bool {
	if len(args) == 1 {
		_, err := strconv.Atoi(args[0])
		return err == nil
	}
	return len(args) == 0
}

// before returns the arguments in front of a command, or all of them.
func (o *commandFlags) before(args []string) []string {
	if !o.given() {
		return args
	}
	return slices.Clone(args[:len(args)-len(o.Command)])
}

// understood runs the first steps of a user's command, or a first run, to find out how to read it; it returns other
// workloads unchanged.
func (a jobs) understood(ctx context.Context, s *session.Session, w workload.Workload) (workload.Workload, error) {
	if !a.own.given() {
		return w, nil
	}
	if err := preflight.NeedsModes(s); err != nil {
		return w, err
	}
	end := run.MeterWhole(s)
	w, err := measure.Understand(ctx, s, w, a.noted)
	spent := end()
	if !a.asJSON || !errors.Is(err, harness.ErrNotUnderstood) {
		return w, err
	}
	res := measure.RunResult{Whole: spent, Refused: true}
	if unread, ok := errors.AsType[*harness.NotUnderstood](err); ok {
		res.Candidates = unread.Undecided.Candidates
	}
	doc, failed := runDocument(res, s.Device.Board(), nil)
	return w, errors.Join(err, failed, printJSON(a.out, doc))
}

// again returns the user's command as recorded in the campaign folder to resume, and rejects a different command before
// it runs. Without a resumed campaign or for other workloads it calls understood.
func (a jobs) again(ctx context.Context, s *session.Session, w workload.Workload, dir string,
	resume bool) (workload.Workload, error) {
	h, _, err := record.Read(dir)
	if !a.own.given() || !resume || err != nil {
		return a.understood(ctx, s, w)
	}
	w, differs, err := workloads.TypedAgain(s, a.own.Typed, h.Workload)
	if err == nil && differs != "" {
		err = usagef("--resume: %s: give the same command, or a new folder", differs)
	}
	return w, err
}

// noted prints note events.
func (a *app) noted(e measure.Event) {
	if n, ok := e.(measure.NoteEvent); ok {
		a.note("%s", string(n))
	}
}

// runOwn runs a user's command, to its end or for a number of steps.
func (c *runCmd) runOwn(ctx context.Context, s *session.Session, r measure.RunRequest) error {
	shown := echoOn(c.err)
	r.Own, r.Workload.Echo = true, shown
	if !c.given("base") {
		r.Base = 0
	}
	var all []measure.RunResult
	var res measure.RunResult
	var err error
	for len(all) < max(1, c.runs) && err == nil {
		res, err = run.Run(ctx, s, r, func(e measure.Event) {
			if _, note := e.(measure.NoteEvent); note {
				shown.line()
			}
			c.noted(e)
		})
		shown.end()
		all = append(all, res)
	}
	if err == nil {
		res = usual(all)
	}
	if c.runs > 1 {
		c.all = all
	}
	var unread *harness.NotUnderstood
	died, failed := errors.AsType[*harness.ExitError](err)
	interrupted := ctx.Err() != nil // print the cost so far, like time(1)
	if res.Whole == nil || err != nil && !failed && !interrupted && !errors.As(err, &unread) {
		return err
	}
	if res.Dir != "" {
		c.note("recorded in %s", res.Dir)
	}
	if res.Unread != "" {
		c.note("%s; measured as a whole", res.Unread)
	}
	if printed := c.printRun(res, s, r.Workload); printed != nil {
		return printed
	}
	if c.save != "" && err == nil {
		if saved := c.saveOwn(r.Workload, res); saved != nil {
			return saved
		}
	}
	if failed && c.exitCode {
		c.note("%v", err)
		return exitError(max(1, died.Code))
	}
	return err
}

// usual returns the run with the median wall time.
func usual(all []measure.RunResult) measure.RunResult {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b measure.RunResult) int {
		return cmp.Compare(a.Whole.WallS, b.Whole.WallS)
	})
	return sorted[(len(sorted)-1)/2]
}

// runsText formats the cost of several runs of a command.
func runsText(all []measure.RunResult) string {
	var walls, energies []float64
	for _, r := range all {
		if r.Whole == nil {
			continue
		}
		walls = append(walls, r.Whole.WallS)
		if r.Whole.EnergyJ.OK {
			energies = append(energies, r.Whole.EnergyJ.V)
		}
	}
	out := fmt.Sprintf("%d, of %.2f to %.2f s", len(walls), slices.Min(walls), slices.Max(walls))
	if len(energies) == len(walls) {
		out += fmt.Sprintf(", %.1f to %.1f J", slices.Min(energies), slices.Max(energies))
	}
	return out + "; this is the one of the median time"
}

// saveOwn saves the command in the configuration.
func (c *runCmd) saveOwn(w workload.Workload, res measure.RunResult) error {
	w = workloads.Understood(w, res.Reading, c.r.Minibatches == 0)
	path, err := c.options.SaveWorkload(c.save, workloads.SaveText(c.save, w))
	if err != nil {
		return err
	}
	c.note("saved as %s in %s: jtune tune %s", c.save, path, c.save)
	return nil
}

// ownFacts describes the cost of a command, and how it was read.
func (c *runCmd) ownFacts(r measure.RunResult, s *session.Session, w workload.Workload) document.Facts {
	runs, o := "", r.Whole
	if len(c.all) > 1 {
		runs = runsText(c.all)
	}
	facts := document.Facts{{"board", workloads.BoardOf(s, w)}, {"mode", modeText(r, s)}, {"runs", runs}}
	if x := r.Reading; x != nil {
		unit := x.Unit
		if x.Samples > 0 {
			unit = fmt.Sprintf("%s of %d samples", unit, x.Samples)
		}
		facts = append(facts, document.Facts{{"reads", strings.TrimPrefix(harness.Reads(*x), "reads: ")},
			{"steps", text.Thousands(x.Steps)},
			{"time", timeText(r, x.Why, " "+harness.Each(unit))},
			{"energy", withBand(dash(r.EnergyJ, "%.3g J"), r.EnergyJ.OK, r.Error.Energy()) + " " +
				harness.Each(x.Unit)}}...)
	} else if !r.Refused {
		facts = append(facts, [2]string{"reads", "no steps: measured as a whole"})
	}
	power, clocks, throttled := "–", "", ""
	if o.MeanW.OK || o.PeakW.OK {
		power = dash(o.MeanW, "%.2f W mean") + ", " + dash(o.PeakW, "%.2f W peak")
	}
	facts = append(facts, document.Facts{{"wall time", fmt.Sprintf("%.2f s", o.WallS)},
		{"total energy", withBand(dash(o.EnergyJ, "%.1f J"), o.EnergyJ.OK, o.Error)}, {"power", power}}...)
	for _, rail := range o.Rails {
		if rail.EnergyJ.OK || rail.LeastV.OK {
			facts = append(facts, [2]string{rail.Name, joined(", ", dash(rail.EnergyJ, "%.1f J"),
				dash(rail.PowerW, "%.2f W peak"), ifAny(rail.Amperes, "%.2f A peak"),
				ifAny(rail.LeastV, "%.2f V least"))})
		}
	}
	if o.GPU.OK || o.CPU.OK {
		clocks = fmt.Sprintf("CPU %s, GPU %s, memory %s, means", dash(o.CPU, "%.2f GHz"), dash(o.GPU, "%.2f GHz"),
			dash(o.EMC, "%.2f GHz"))
	}
	if o.Throttled.V {
		throttled = "yes, at least once"
	}
	return append(facts, document.Facts{{"clocks", clocks}, {"throttled", throttled}}...)
}

// wholeObject is the total cost of a user's command, of which several runs are listed; empty for other jobs.
func wholeObject(r measure.RunResult, all []measure.RunResult) report.Object {
	o := r.Whole
	if o == nil {
		return nil
	}
	var runs []report.Object
	for _, one := range all {
		if o := one.Whole; o != nil {
			runs = append(runs, report.Object{{"wall_s", o.WallS}, {"total_energy_j", o.EnergyJ}, {"mean_w", o.MeanW},
				{"peak_w", o.PeakW}})
		}
	}
	return report.Object{{"wall_s", o.WallS}, {"total_energy_j", o.EnergyJ}, {"mean_w", o.MeanW}, {"peak_w", o.PeakW},
		{"rails", listOf(o.Rails)}, {"cpu_ghz", o.CPU}, {"gpu_ghz", o.GPU}, {"emc_ghz", o.EMC},
		{"throttled", o.Throttled}, {"left_running", listOf(r.Left)}, {"runs", report.IfAny(runs)}}
}

// readingObject describes how a command was read; nil for a workload that prints events.
func readingObject(r measure.RunResult) report.Object {
	unknown, candidates := math.NaN(), r.Candidates
	form := detect.Reading{TimeMS: unknown, MedianMS: unknown, ErrorMS: unknown}
	switch {
	case r.Reading != nil:
		form, candidates = *r.Reading, r.Reading.Candidates
	case r.Whole == nil:
		return nil
	case !r.Refused:
		form.Form, form.What, form.Unit, form.Steps = "whole", "from start to end", detect.Run, 1
		form.TimeMS = 1000 * r.Whole.WallS
	}
	leftOut, others := []report.Object{}, []report.Object{}
	for _, l := range form.LeftOut {
		leftOut = append(leftOut, report.Object{{"what", text.OneLine(l.What)}, {"count", l.Count}, {"s", l.S}})
	}
	for _, k := range candidates { // with fewer than 3 steps a share and a time are absent
		others = append(others, report.Object{{"form", k.Form}, {"what", text.OneLine(k.What)},
			{"share", tegra.Val[float64]{V: k.Share, OK: k.TimeMS > 0}},
			{"time_ms", tegra.Val[float64]{V: k.TimeMS, OK: k.TimeMS > 0}}})
	}
	return report.Object{{"form", text.Optional(form.Form)}, {"what", text.Optional(text.OneLine(form.What))},
		{"steps", form.Steps}, {"time_ms", form.TimeMS}, {"mean_ms", form.TimeMS}, {"median_ms", form.MedianMS},
		{"time_error_pct", 100 * form.ErrorMS / form.TimeMS}, {"unit", text.Optional(form.Unit)},
		{"samples", report.IfAny(form.Samples)}, // per minibatch
		{"left_out", leftOut}, {"output", text.Optional(r.Output)}, {"candidates", others}}
}

// mayReplace refuses a name under which a job is listed already, saved or built in.
func (c *runCmd) mayReplace() error {
	if c.save == "" || c.force {
		return nil
	}
	list, err := workloads.Configured(c.options.Paths)
	if err != nil {
		return err
	}
	if _, err := workload.Find(list, c.save); err != nil {
		return nil // unknown, so free
	}
	return usagef(
		"--save %s: there is a job of that name already (jtune workloads shows it): save under another name, "+
			"or replace it with --force",
		text.Clip(c.save),
	)
}

// checkSave rejects names that are not valid for a workload.
func checkSave(name string) error {
	if name == "" {
		return nil
	}
	if err := workload.Own(name, []string{"true"}).Check(); err != nil {
		return usage.Errorf("--save %s: %w", text.Clip(name), err)
	}
	return nil
}
