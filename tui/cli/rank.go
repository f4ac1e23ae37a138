package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/learn"
	"jtune/optimize/rank"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session/workloads"
)

// perBoard is the value of a flag by board name; the name "" applies to all others.
type perBoard map[string]float64

func (p *perBoard) String() string { return "" }
func (p *perBoard) Type() string   { return "list" }

// Set parses V or NAME=V, several separated by commas.
func (p *perBoard) Set(list string) error {
	if *p == nil {
		*p = perBoard{}
	}
	for word := range strings.SplitSeq(list, ",") {
		name, value, named := strings.Cut(word, "=")
		if !named {
			name, value = "", word
		}
		v, err := positive(strings.TrimSpace(strings.TrimRight(value, "WJ")))
		if value == "0" {
			v, err = 0, nil
		}
		if err != nil || named && name == "" {
			return fmt.Errorf("want V or NAME=V, several with commas, not %q", text.Clip(word))
		}
		(*p)[name] = v
	}
	return nil
}

// of returns the value for a board; 0 if there is none.
func (p perBoard) of(name string) float64 {
	if v, ok := p[name]; ok {
		return v
	}
	return p[""]
}

// rankCmd ranks models: given ones, or those that fleet rank has fetched.
type rankCmd struct {
	onModels
	models                             map[string]string
	epochs, samples                    int
	round, period                      time.Duration
	by                                 rank.RankKey
	limits, measured                   perBoard
	idle, asleep, wakeEnergy, wakeTime perBoard
}

func (c *rankCmd) flags(f *pflag.FlagSet) {
	bind(f, "fleet rank", places{"models": &c.models, "epochs": &c.epochs, "samples": &c.samples, "round": &c.round,
		"sort": among(&c.by, rank.ByTime, rank.ByEnergy, rank.ByEDP), "power-limit": &c.limits,
		"epoch-time": &c.measured, "period": &c.period, "idle-power": &c.idle, "sleep-power": &c.asleep,
		"wake-energy": &c.wakeEnergy, "wake-time": &c.wakeTime})
	c.jsonFlag(f, asDocument)
}

func (c *rankCmd) run(context.Context) error {
	r, err := c.request()
	if err != nil {
		return err
	}
	for i, b := range r.Boards {
		if c.period == 0 {
			break
		}
		rest := rank.Rest{PeriodS: c.period.Seconds(), IdleW: c.idle.of(b.Name), SleepW: c.asleep.of(b.Name),
			WakeJ: c.wakeEnergy.of(b.Name), WakeS: c.wakeTime.of(b.Name)}
		if err := rest.Check(); err != nil {
			return fmt.Errorf("%w; --period needs --idle-power, --sleep-power, --wake-energy and --wake-time", err)
		}
		r.Boards[i].Rest = &rest
	}
	return c.print(rank.Rank(r))
}

// request reads the models into a request.
func (c *rankCmd) request() (rank.RankRequest, error) {
	r := rank.RankRequest{Epochs: c.epochs, RoundS: c.round.Seconds(), By: c.by}
	for _, flag := range []struct {
		name   string
		values perBoard
	}{{"power-limit", c.limits}, {"idle-power", c.idle}, {"sleep-power", c.asleep}, {"wake-energy", c.wakeEnergy},
		{"wake-time", c.wakeTime}} {
		for name := range flag.values {
			if _, known := c.models[name]; name != "" && !known {
				return r, usagef("--%s: no board %q in --models", flag.name, text.Clip(name))
			}
		}
	}
	job := ""
	for _, name := range slices.Sorted(maps.Keys(c.models)) {
		m, err := c.loadPowered("fleet rank", c.models[name])
		if err != nil {
			return r, err
		}
		if m, err = c.atOneBatch(name, m); err != nil {
			return r, err
		}
		c.doubts(m)
		if job == "" {
			job = m.Provenance.Workload
			if r.Minibatches, err = c.epochOf(m, c.samples); err != nil {
				return r, err
			}
		}
		r.Boards = append(r.Boards, rank.RankBoard{Name: name, PowerW: c.limits.of(name),
			Outlook: c.outlook(m, tegra.Settings(m.Space.Modes(), nil)), Guess: m.Provenance.Workload != job})
	}
	for _, name := range slices.Sorted(maps.Keys(c.measured)) {
		if _, twice := c.models[name]; twice || name == "" || c.measured[name] == 0 {
			return r, usagef("--epoch-time: want NAME=S of a machine that has no model, in seconds")
		}
		r.Boards = append(r.Boards, rank.RankBoard{Name: name, EpochS: c.measured[name]})
	}
	return r, nil
}

// atOneBatch returns a model at the batch size of --batch, if it has several.
func (c *rankCmd) atOneBatch(name string, m *learn.Model) (*learn.Model, error) {
	switch sizes := c.options.Batches; {
	case m.Batches == nil:
		return m, nil
	case len(sizes) == 1 && slices.Contains(m.Batches, sizes[0]):
		return m.At(sizes[0]), nil
	}
	return nil, usagef("--models %s: the model has batch sizes %s; choose one with --batch N", name, listed(m.Batches))
}

// epochOf returns the minibatches per epoch of a model's workload.
func (c *rankCmd) epochOf(m *learn.Model, samples int) (int, error) {
	list, err := workloads.Configured(c.options.Paths)
	if err != nil {
		return 0, err
	}
	w := workload.Workload{Batch: max(1, m.Provenance.Batch)}
	for _, known := range list {
		if known.Name == m.Provenance.Workload || slices.Contains(known.Aliases, m.Provenance.Workload) {
			w = known.AtBatch(m.Provenance.Batch)
		}
	}
	if samples > 0 {
		w.Samples = samples
	}
	if n := w.MinibatchesPerEpoch(); n > 0 {
		return n, nil
	}
	return 0, usagef("fleet rank: how many samples an epoch of %s has is not known: give --samples N",
		text.Clip(m.Provenance.Workload))
}

func (c *rankCmd) print(r rank.Ranking) error {
	if c.asJSON {
		return printJSON(c.out, r)
	}
	rows := [][]string{{"board", "mode", "epoch", text.Count(c.epochs, "epoch"), "W", "Wh", "kJ·s", ""}}
	for _, x := range r.Boards {
		mode, say := "–", ""
		if x.Mode.OK {
			mode = x.Mode.V.String()
		}
		switch {
		case x.Why != "":
			say = "DNR: " + string(x.Why)
		case x.Guess:
			say = "a guess: the model is of another workload"
		case x.Measured:
			say = "measured"
		default:
			say = "predicted"
		}
		if x.Virtual {
			say += ", VIRTUAL"
		}
		edp := x.EDP
		edp.V /= 1000
		rows = append(rows, []string{x.Name, mode, seconds(x.EpochS), seconds(x.TimeS), shown(x.PowerW),
			shown(x.EnergyWh), shown(edp), say})
	}
	if err := report.Grid(c.out, rows...); err != nil {
		return err
	}
	takes := ""
	if r.EnergyWh.OK {
		takes = " and takes " + shown(r.EnergyWh) + " Wh of all boards together"
	}
	fmt.Fprintf(c.out, "a round ends after %s%s\n", seconds(r.RoundS), takes)
	if err := c.printCurve(r); err != nil {
		return err
	}
	for _, x := range r.Boards {
		if x.Rest != nil {
			fmt.Fprintf(c.out, "%s: %s\n", x.Name, restText(*x.Rest))
		}
	}
	return nil
}

// shownCurve is the number of printed points of the curve.
const shownCurve = 8

// printCurve prints some deadlines, and the knee.
func (c *rankCmd) printCurve(r rank.Ranking) error {
	if len(r.Curve) < 2 {
		return nil
	}
	rows := [][]string{{"deadline", "Wh of all"}}
	for i := range shownCurve {
		p := r.Curve[i*(len(r.Curve)-1)/(shownCurve-1)]
		rows = append(rows, []string{seconds(tegra.Some(p.DeadlineS)), text.Of(p.EnergyWh)})
	}
	fmt.Fprintln(c.out)
	if err := report.Grid(c.out, rows...); err != nil {
		return err
	}
	if r.Knee.OK {
		fmt.Fprintf(c.out, "knee: a deadline of %s\n", seconds(r.Knee))
	}
	return nil
}

// restText describes the cost of a pause.
func restText(r rank.Rested) string {
	if r.Late {
		return "the round takes longer than the period: there is no pause"
	}
	out := fmt.Sprintf("a pause of %s takes %s Wh idle, %s Wh asleep", seconds(tegra.Some(r.PauseS)), text.Of(r.IdleWh),
		shown(r.SleepWh))
	switch {
	case !r.BreakEvenS.OK:
		return out + "; sleeping never pays"
	case r.Sleep:
		return out + fmt.Sprintf("; sleeping pays, as in every pause longer than %s", seconds(r.BreakEvenS))
	}
	return out + fmt.Sprintf("; sleeping pays in pauses longer than %s", seconds(r.BreakEvenS))
}

func shown(v tegra.Val[float64]) string {
	if !v.OK {
		return "n/a"
	}
	return text.Of(v.V)
}

// seconds formats a time with its unit.
func seconds(v tegra.Val[float64]) string {
	if !v.OK {
		return "n/a"
	}
	return units.SpanOf(v.V)
}
