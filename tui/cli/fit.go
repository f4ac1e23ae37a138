package cli

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize/advice"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep"
	"jtune/tui/export"
	"jtune/tui/session"
	"jtune/tui/session/fit"
	"jtune/tui/session/models"
	"jtune/tui/session/workloads"
)

// fitCmd is `jtune models fit`.
type fitCmd struct {
	*app
	r            fit.FitRequest
	Out, Entries string
	Loss         string
	Freeze       bool
	Hyper        []string
}

func newFit(a *app) *cobra.Command {
	c := &fitCmd{app: a, r: fit.FitRequest{Method: learn.Auto}, Loss: "mse"}
	return a.command("models fit", nil, c.run, c, &c.r,
		places{"method": among(&c.r.Method, learn.Methods()...), "no-cv": &c.r.SkipCV})
}

// check adds --loss, --hyper and --freeze to the request.
func (c *fitCmd) check() error {
	var loss nn.Loss
	if err := loss.UnmarshalText([]byte(strings.ToUpper(c.Loss))); err != nil {
		return err
	}
	var trial nn.Config
	for _, h := range c.Hyper {
		if err := trial.Set(h); err != nil {
			return usagef("--hyper %s: %v", h, err)
		}
	}
	c.r.Network = func(n *nn.Config) {
		n.Loss, n.Freeze = loss, c.Freeze
		for _, h := range c.Hyper {
			_ = n.Set(h) // validated above
		}
	}
	return nil
}

func (c *fitCmd) run(ctx context.Context) error {
	c.r.Training = func() {
		if c.r.SkipCV {
			c.note("training networks")
		} else {
			c.note("training networks, and five times more for the cross-validation: --no-cv leaves that out")
		}
	}
	var replicated []fit.Replicated
	c.r.Replicated = func(list []fit.Replicated) { replicated = list }
	m, notes, err := fit.Fit(ctx, c.options, c.r)
	c.notes(notes)
	if err != nil {
		return err
	}
	if c.Entries != "" {
		if err := writeFile(c.Entries, replicatedCSV(replicated, m.Provenance.Virtual)); err != nil {
			return err
		}
		c.note("%s: %s", c.Entries, fit.ReplicatedText(replicated))
	}
	if err := m.Save(c.Out); err != nil {
		return fmt.Errorf("%w: choose another file with --out", err)
	}
	return c.printFit(m)
}

// replicatedCSV lists, mode by mode, how many rows the networks are trained on.
func replicatedCSV(list []fit.Replicated, virtual bool) string {
	type r = fit.Replicated
	var b strings.Builder
	_ = append(export.ModeColumns(func(x r) tegra.Mode { return x.Mode }), report.Table[r]{
		{Key: "minibatches", Of: func(x r) any { return x.Times }},
		{Key: "time_rows", Of: func(x r) any { return x.TimeRows }},
		{Key: "power_readings", Of: func(x r) any { return x.Powers }},
		{Key: "power_rows", Of: func(x r) any { return x.PowerRows }},
		{Key: export.VirtualColumn, Of: func(r) any { return virtual }},
	}...).CSV(&b, list)
	return b.String()
}

func (c *fitCmd) printFit(m *learn.Model) error {
	pct := func(v float64) string {
		switch {
		case !m.CV.Known() && len(m.Samples) >= learn.LeastJudged:
			return "not known: it was not cross-validated"
		case !m.CV.Known():
			return "not known, " + m.Weakness()
		case math.IsNaN(v):
			return "–"
		}
		return fmt.Sprintf("%.1f %%", v)
	}
	record := report.Record{
		{"method", "method", m.Method, string(m.Method) + originMark(m.Provenance.Origin())},
		{"samples", "samples", len(m.Samples)},
		{"", "covers", text.Thousands(m.Space.Len()) + " modes"},
		{"", "batch sizes", text.JoinInts(tegra.Among(m.Batches))},
		{"cv", "time error", m.CV, pct(m.CV.TimeMAPEPct)},
		{"", "power error", pct(m.CV.PowerMAPEPct)},
		{"", "cross-validated", text.Optional(m.CV.How)},
		{"reference", "reference", text.Optional(m.Reference)},
		{"warnings", "", listOf(m.Warnings)},
		{"batches", "", report.IfAny(tegra.Among(m.Batches))},
		{"virtual", "", m.Provenance.Virtual},
		{"networks", "", report.IfAny(learn.NetworksOf(m))}, // of powertrain and nn, time first
	}
	parts := []document.Part{append(record.Facts(), networkFacts(m)...)}
	if !c.asJSON {
		c.notes(m.Warnings)
		m = m.AtLargest()
		parts = append(parts, document.Facts{{"advice for", text.IfAny("batch size %d", m.Batch)}})
		about := advice.Situation{Mode: m.Space.Max(), Minibatches: workloads.Minibatches(m, workloadList(c.app))}
		parts = append(parts, adviceParts(advice.Of(m, about))...)
	}
	return c.show(record.Object(), parts...)
}

// predictCmd is `jtune ask predict`.
type predictCmd struct {
	onModels
	Model, Modes, Estimates, Measured string
	limit                             metric.Goal
	Strict                            bool
	PerEpoch                          int
}

func newPredict(a *app) *cobra.Command {
	c := &predictCmd{onModels: onModels{a}}
	return a.command("predict", cobra.ArbitraryArgs, c.run, c, theLimits(&c.limit.Limits))
}

func (c *predictCmd) run(context.Context) error {
	m, err := c.loadModel(c.Model)
	if err != nil {
		return err
	}
	if c.Estimates != "" {
		return c.compareEstimates(m)
	}
	list, lost := m.Space.Modes(), 0
	if c.Modes != "" {
		if list, lost, err = c.modesToPredict(m.Space); err != nil {
			return err
		}
	} else if len(c.args) > 0 {
		if list, lost, err = c.selected(m); err != nil {
			return usagef("predict: %v", err)
		}
	}
	settings := c.settings(m, list)
	if c.PerEpoch == 0 && len(m.Batches) == 1 { // epochs of other batch sizes have another number of minibatches
		c.PerEpoch = workloads.MinibatchesPerEpoch(m, workloadList(c.app))
	}
	if err := c.print(c.outlook(m, settings)); err != nil || lost == 0 {
		return err
	}
	return exitError(exitFailed) // the notes name the modes that are left out
}

// selected returns the modes given as arguments: modes, presets, labels and filters. It notes labels that the model's
// board lacks, and counts them in lost.
func (c *predictCmd) selected(m *learn.Model) (list []tegra.Mode, lost int, err error) {
	presets := m.Provenance.Presets
	for _, arg := range c.args {
		var some []tegra.Mode
		mode, label, without := tegra.StudyMode(arg, m.Space)
		if p, ok := tegra.FindPreset(arg, presets); ok {
			some, err = m.Space.Select(p.Mode.String())
		} else if label && without == nil {
			c.notes(text.Said(tegra.LabelNote(arg, m.Space)))
			some = []tegra.Mode{mode}
		} else if label {
			c.note("%v", without)
			lost++
		} else {
			some, err = m.Space.Select(arg)
		}
		if err != nil {
			return nil, 0, err
		}
		list = append(list, some...)
	}
	return list, lost, nil
}

// settings combines modes with the batch sizes of --batch, or all that a model has.
func (a onModels) settings(m *learn.Model, modes []tegra.Mode) []tegra.Setting {
	list, notes := workloads.SettingsOf(a.options, m, modes)
	a.notes(notes)
	return list
}

func (a onModels) loadModel(name string) (*learn.Model, error) {
	if name == "" {
		return nil, usagef("--model MODEL is missing: jtune models fit makes one")
	}
	m, _, list, err := models.Find(a.options, name)
	if a.listed = list; err == nil && (a.given("device") || a.given("sysroot")) {
		a.noteForeign(m)
	}
	return m, err
}

// noteForeign notes that a model speaks of another board than the one that the user named.
func (a onModels) noteForeign(m *learn.Model) {
	s, err := session.Open(a.options)
	if err != nil {
		return // the model answers without a device
	}
	defer s.Close()
	if m.HasPower() && models.Foreign(m, s.Device.Space()) != "" {
		a.note("the model is of another board, %s: its modes, times and powers are answered", m.Provenance.Device)
	}
}

// loadPowered is loadModel for commands that need power.
func (a onModels) loadPowered(command, name string) (*learn.Model, error) {
	m, err := a.loadModel(name)
	if err == nil && !m.HasPower() {
		return nil, noPower(command, "model "+name)
	}
	return m, err
}

// noPower is the error of a command that cannot use times without power.
func noPower(command, what string) error {
	return fmt.Errorf("%s: %s has times only, and every limit and Pareto front needs power: measure it too (column "+
		"power_w)", command, what)
}

// modesToPredict reads the modes of a file, in order and with duplicates. It skips modes that the model's board does
// not have, notes each with its line and the nearest mode, and counts them in lost.
func (c *predictCmd) modesToPredict(space *tegra.Space) (list []tegra.Mode, lost int, err error) {
	o := sweep.Options{ModesOnly: true, Space: space, Absent: true, Strict: c.Strict}
	var t *sweep.Table
	if c.Modes == "-" {
		t, err = sweep.Read(c.in, "standard input", o)
	} else {
		t, err = sweep.ReadFile(c.Modes, o)
	}
	if err != nil {
		return nil, 0, err
	}
	for _, p := range t.Problems {
		c.note("%s: %s: row skipped", c.Modes, p)
	}
	for _, r := range t.Rows {
		mode, why := space.Snap(r.Mode)
		if why == nil {
			list = append(list, mode)
			continue
		}
		if lost++; lost <= mostLost {
			p := sweep.Problem{Line: r.Line, Why: why.Error()}
			c.note("%s: %s; nearest mode: %s: row skipped", c.Modes, p, space.Format(space.Nearest(r.Mode)))
		}
	}
	if lost > mostLost {
		c.note("%s: %d further rows skipped, whose modes the model's board does not have", c.Modes, lost-mostLost)
	}
	return list, lost, nil
}

// mostLost is how many skipped modes are noted one by one.
const mostLost = 20

func (c *predictCmd) print(o *outlook.Outlook) error {
	m, of := o.Model, export.Points{Known: o.Predicted, Standings: o.Standings(c.limit), PerEpoch: c.PerEpoch}
	of.Virtual = m.Provenance.Virtual
	if list := export.List(of); !words(c.app) {
		return printTable(c.app, list.Columns(), list.Front)
	}
	var rows [][]string
	for i, p := range of.Known {
		row := []string{m.Space.Format(p.Mode), inUnit(p.TimeMS, "ms"),
			"(" + between(p.TimeLoMS, p.TimeHiMS) + ")", inUnit(p.PowerW, "W"),
			"(" + between(p.PowerLoW, p.PowerHiW) + ")", inUnit(p.EnergyJ(), "J")}
		perSample := p.PerSampleMS()
		row = append(row, text.IfAny("batch %d", p.Batch),
			ifAny(tegra.Val[string]{V: text.Of(perSample.V), OK: perSample.OK}, "%s ms per sample"))
		if c.PerEpoch > 0 {
			row = append(row, "epoch "+advice.TrainingOf(p.Measured, c.PerEpoch).String())
		}
		if s := of.Standings[i]; s.Limited {
			row = append(row, s.String())
		}
		if of.Virtual {
			row = append(row, "VIRTUAL")
		}
		rows = append(rows, row)
	}
	return c.app.print(document.Table{Rows: rows})
}

func between(lo, hi float64) string {
	if math.IsNaN(lo) {
		return "–"
	}
	return text.Of(lo) + " – " + text.Of(hi)
}

// inUnit formats a value with its unit; a dash if unknown.
func inUnit(v float64, unit string) string {
	if math.IsNaN(v) {
		return "–"
	}
	return text.Of(v) + " " + unit
}

// networkFacts describes a model's networks.
func networkFacts(m *learn.Model) (facts document.Facts) {
	for _, n := range learn.NetworksOf(m) {
		facts = append(facts, [2]string{n.Of + " network", n.Words()})
	}
	return facts
}
