package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"jtune/internal/document"
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
	Models                                      map[string]string
	Epochs, Samples                             int
	Round, Period                               time.Duration
	by                                          rank.RankKey
	PowerLimit, EpochTime                       perBoard
	IdlePower, SleepPower, WakeEnergy, WakeTime perBoard
}

func (c *rankCmd) run(context.Context) error {
	r, err := c.request()
	if err != nil {
		return err
	}
	for i, b := range r.Boards {
		if c.Period == 0 {
			break
		}
		rest := rank.Rest{PeriodS: c.Period.Seconds(), IdleW: c.IdlePower.of(b.Name), SleepW: c.SleepPower.of(b.Name),
			WakeJ: c.WakeEnergy.of(b.Name), WakeS: c.WakeTime.of(b.Name)}
		if err := rest.Check(); err != nil {
			return fmt.Errorf("%w; --period needs --idle-power, --sleep-power, --wake-energy and --wake-time", err)
		}
		r.Boards[i].Rest = &rest
	}
	return c.print(rank.Rank(r))
}

// request reads the models into a request.
func (c *rankCmd) request() (rank.RankRequest, error) {
	r := rank.RankRequest{Epochs: c.Epochs, RoundS: c.Round.Seconds(), By: c.by}
	for _, flag := range []struct {
		name   string
		values perBoard
	}{{"power-limit", c.PowerLimit}, {"idle-power", c.IdlePower}, {"sleep-power", c.SleepPower},
		{"wake-energy", c.WakeEnergy}, {"wake-time", c.WakeTime}} {
		for name := range flag.values {
			if _, known := c.Models[name]; name != "" && !known {
				return r, usagef("--%s: no board %q in --models", flag.name, text.Clip(name))
			}
		}
	}
	job := ""
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		m, err := c.loadPowered("fleet rank", c.Models[name])
		if err != nil {
			return r, err
		}
		if m, err = c.atOneBatch(name, m); err != nil {
			return r, err
		}
		c.doubts(m)
		if job == "" {
			job = m.Provenance.Workload
			if r.Minibatches, err = c.epochOf(m, c.Samples); err != nil {
				return r, err
			}
		}
		r.Boards = append(r.Boards, rank.RankBoard{Name: name, PowerW: c.PowerLimit.of(name),
			Outlook: c.outlook(m, tegra.Settings(m.Space.Modes(), m.Batches)), Guess: m.Provenance.Workload != job})
	}
	for _, name := range slices.Sorted(maps.Keys(c.EpochTime)) {
		if _, twice := c.Models[name]; twice || name == "" || c.EpochTime[name] == 0 {
			return r, usagef("--epoch-time: want NAME=S of a machine that has no model, in seconds")
		}
		r.Boards = append(r.Boards, rank.RankBoard{Name: name, EpochS: c.EpochTime[name]})
	}
	return r, nil
}

// atOneBatch returns a model at the batch size of --batch, if it has several.
func (c *rankCmd) atOneBatch(name string, m *learn.Model) (*learn.Model, error) {
	switch sizes := c.options.Batches; {
	case len(m.Batches) == 1:
		return m, nil
	case len(sizes) == 1 && slices.Contains(m.Batches, sizes[0]):
		return m.At(sizes[0]), nil
	}
	return nil, usagef("--models %s: the model has batch sizes %s; choose one with --batch N", name,
		text.JoinInts(m.Batches))
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
	boards := document.Table{Head: []string{"board", "mode", "epoch", text.Count(c.Epochs, "epoch"), "W", "Wh", "kJ·s",
		""}}
	var rests []string
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
		boards.Rows = append(boards.Rows, []string{x.Name, mode, seconds(x.EpochS), seconds(x.TimeS),
			report.Shown(x.PowerW), report.Shown(x.EnergyWh), report.Shown(edp), say})
		if x.Rest != nil {
			rests = append(rests, x.Name+": "+restText(*x.Rest))
		}
	}
	takes := ""
	if r.EnergyWh.OK {
		takes = " and takes " + report.Shown(r.EnergyWh) + " Wh of all boards together"
	}
	parts := []document.Part{boards, document.Line("a round ends after " + seconds(r.RoundS) + takes)}
	return c.show(r, slices.Concat(parts, curveOf(r), linesOf(rests...))...)
}

// shownCurve is the number of shown points of the curve.
const shownCurve = 8

// curveOf returns some deadlines, and the knee.
func curveOf(r rank.Ranking) []document.Part {
	if len(r.Curve) < 2 {
		return nil
	}
	t := document.Table{Head: []string{"deadline", "Wh of all"}}
	for i := range shownCurve {
		p := r.Curve[i*(len(r.Curve)-1)/(shownCurve-1)]
		t.Rows = append(t.Rows, []string{seconds(tegra.Some(p.DeadlineS)), text.Of(p.EnergyWh)})
	}
	parts := []document.Part{document.Break{}, t}
	if r.Knee.OK {
		parts = append(parts, document.Line("knee: a deadline of "+seconds(r.Knee)))
	}
	return parts
}

// restText describes the cost of a pause.
func restText(r rank.Rested) string {
	if r.Late {
		return "the round takes longer than the period: there is no pause"
	}
	out := fmt.Sprintf("a pause of %s takes %s Wh idle, %s Wh asleep", seconds(tegra.Some(r.PauseS)), text.Of(r.IdleWh),
		report.Shown(r.SleepWh))
	switch {
	case !r.BreakEvenS.OK:
		return out + "; sleeping never pays"
	case r.Sleep:
		return out + fmt.Sprintf("; sleeping pays, as in every pause longer than %s", seconds(r.BreakEvenS))
	}
	return out + fmt.Sprintf("; sleeping pays in pauses longer than %s", seconds(r.BreakEvenS))
}

// seconds formats a time with its unit.
func seconds(v tegra.Val[float64]) string {
	return orDash(ifAny(tegra.Val[string]{V: units.SpanOf(v.V), OK: v.OK}, "%s"))
}
