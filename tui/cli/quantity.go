package cli

import (
	"errors"
	"math"
	"strconv"
	"time"

	"jtune/internal/units"
	"jtune/internal/usage"
	"jtune/tegra/metric"
)

// quantity is the value of a flag with an optional unit; if it is a limit, it is above 0.
type quantity struct {
	unit  units.Unit
	value float64
	limit bool
	set   func(float64)
}

// boundOf is a place for a limit on a metric: a shorthand of a clause of --limit.
func boundOf(to *metric.Limits, of *metric.Metric) *quantity {
	return &quantity{unit: of.Unit, limit: true, set: func(v float64) { *to = to.And(of.Max(v)) }}
}

func (q *quantity) String() string { return strconv.FormatFloat(q.value, 'g', -1, 64) }
func (q *quantity) Type() string   { return "float64" }
func (q *quantity) form() string {
	return "a number" + map[bool]string{true: " above 0"}[q.limit] + ", such as " + q.unit.Example()
}

func (q *quantity) Set(text string) error {
	v, err := units.Parse(text, q.unit)
	if err == nil && q.limit && (!(v > 0) || math.IsInf(v, 0)) {
		err = errors.New("must be a positive number")
	}
	if err == nil {
		q.value = v
		q.set(v)
	}
	return err
}

// risk is the value of a flag for a chance of exceeding a limit.
type risk struct{ to *float64 }

// riskOf is a place for a chance; it sets the default.
func riskOf(to *float64) risk {
	*to = metric.DefaultRisk
	return risk{to}
}

func (r risk) String() string {
	if r.to == nil {
		return ""
	}
	return strconv.FormatFloat(*r.to, 'g', -1, 64)
}
func (r risk) Type() string { return "float64" }
func (r risk) form() string { return "a chance above 0 and below 0.5" }

func (r risk) Set(text string) (err error) {
	*r.to, err = strconv.ParseFloat(text, 64)
	if err != nil || !(*r.to > 0 && *r.to < 0.5) {
		return errors.New("want " + r.form())
	}
	return nil
}

// aim is the value of a flag for a goal.
type aim struct {
	to *metric.Goal
	of *metric.Metric
}

func (a aim) String() string { return "" }
func (a aim) Type() string   { return "boolfunc" }

func (a aim) Set(text string) error {
	on, err := strconv.ParseBool(text)
	switch {
	case on && a.to.Objective != nil && a.to.Objective != a.of:
		return usage.Errorf("throughput and least energy exclude each other: give one")
	case on:
		a.to.Objective = a.of
	}
	return err
}

// span is the value of a flag for a time, in seconds if it has no unit.
type span time.Duration

func (s *span) String() string {
	if *s == 0 {
		return "0"
	}
	return time.Duration(*s).String()
}

func (s *span) Type() string { return "duration" }
func (s *span) form() string { return "a time with its unit, such as 500ms, 30s or 2min" }

func (s *span) Set(text string) error {
	d, err := units.Duration(text)
	if err != nil {
		return errors.New("want " + s.form())
	}
	*s = span(d)
	return nil
}
