package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"jtune/internal/arrivals"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/profiles/workload"
	"jtune/tegra/metric"
	"jtune/tui/export"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/plots"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/workloads"
)

// servingFlagNames are the flags of theLoad.
var servingFlagNames = []string{"rate", "arrivals", "outstanding", "latency", "quantile", "max-wait", "power-as",
	"idle-power"}

// theLoad is a load of requests.
func theLoad(v *arrivals.Spec) shared { return the("load", places{"idle-power": &v.IdleW}, v) }

// limitLine is the value of --limit and of flags that are its shorthands.
type limitLine struct {
	text string
	take func(text string) error
	bare *metric.Metric // of numbers without a unit; nil: none
}

func (l *limitLine) String() string { return l.text }
func (l *limitLine) Type() string   { return "string" }

func (l *limitLine) form() string {
	if l.bare == nil {
		return "limits such as " + metric.Example
	}
	return "a number above 0, or several with commas, such as " + l.bare.Unit.Example()
}

func (l *limitLine) Set(text string) error {
	err := l.take(text)
	if err == nil {
		l.text = text
	}
	return err
}

// oneGoal is a place for a goal and a load in one line, beside those of other flags.
func oneGoal(q *metric.Question) *limitLine {
	return &limitLine{take: func(text string) error {
		other, err := metric.Parse(text)
		if err == nil {
			join(q, other)
		}
		return err
	}}
}

// join adds the goal, and the load where there is one, of another question.
func join(q *metric.Question, other metric.Question) {
	q.Limit, q.Load = q.Limit.With(other.Limit), cmp.Or(other.Load, q.Load)
}

// goals is a place for goals and a load in one line, beside those of other flags: q is the first. bare is the metric of
// numbers without a unit.
func goals(q *metric.Question, more *[]metric.Goal, bare *metric.Metric) *limitLine {
	l := &limitLine{bare: bare}
	l.take = func(text string) error {
		list, err := metric.ParseList(text, bare)
		switch {
		case bare != nil &&
			(err != nil || list.First() != metric.Question{Limit: metric.Within(list.Limits[0].Limits.Only(bare))}):
			return errors.New("want " + l.form())
		case err != nil:
			return err
		}
		join(q, list.First())
		*more = append(*more, list.Limits[1:]...)
		return nil
	}
	return l
}

// loadOf returns the load that flags or --limit give, completed by the workload's own load and limit; zero where none
// of them names one.
func loadOf(v arrivals.Spec, w workload.Workload, given func(name string) bool) arrivals.Spec {
	gives := func(name string) bool { return given(name) || given("limit") && v.Gives(name) }
	if !slices.ContainsFunc(servingFlagNames, gives) {
		v = arrivals.Spec{} // it has only defaults
	}
	if !w.Infers() {
		return v
	}
	return workloads.LoadFor(w, v, gives)
}

// campaigns lists the campaigns of the data directory; nil if it cannot be read.
func (a onModels) campaigns() []campaigns.Campaign {
	if a.listed == nil {
		a.listed, _ = campaigns.List(a.options.Paths)
	}
	return a.listed
}

// underLoad is choose under a load.
func (c *chooseCmd) underLoad(m *learn.Model) error {
	ask, err := mix.AskOf(c.goal, c.options.Seed)
	if err != nil {
		return err
	}
	of, known := m.Provenance, c.campaigns()
	ask = savedanswers.Known(known, of, c.goal, ask)
	situation := workloads.Situation(m, workloadList(c.app), m.Space.Max())
	o := outlook.OutlookOf(m, c.settings(m, m.Space.Modes()))
	service := serving.Under(o, ask)
	found, at, err := service.Answer()
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	c.doubts(m)
	a := answers.Chosen(o, at, c.goal.Limit, situation.Presets, situation.Present,
		savedanswers.Readings(known, of, c.goal.Limit), err == nil).Under(ask, found, service.Standing(found.Setting))
	a.Trial = savedanswers.Trial(known, of, ask, found.Setting)
	return errors.Join(err, c.answer(a, m, presentMode(m)))
}

// underLoad is front under a load.
func (c *frontCmd) underLoad(o *outlook.Outlook) error {
	energy := c.Y == "energy"
	ask, err := mix.AskOf(c.goal, c.options.Seed)
	if err != nil {
		return err
	}
	ask = savedanswers.Known(c.campaigns(), o.Model.Provenance, c.goal, ask)
	service := serving.Under(o, ask)
	list := service.Front(energy)
	if len(list) == 0 {
		_, _, err := service.Answer()
		return err
	}
	if c.SVG != "" {
		if err := writeFile(c.SVG, export.FigureSVG(plots.Figure(service, list, energy))); err != nil {
			return err
		}
		if c.note("%s: the Pareto front of %s", c.SVG, text.Count(len(list), "setting")); !c.asCSV && !c.asJSON {
			return nil
		}
	}
	if words(c.app) {
		fmt.Fprintln(c.out, strings.ToUpper(ask.Load.String()[:1])+ask.Load.String()[1:]+", predicted")
	}
	return errors.Join(printTable(c.app, export.Served(service), list), c.printOrigin(o.Model.Provenance.Origin()))
}
