package population

import (
	"fmt"
	"math"
	"slices"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/stats"
	"jtune/tegra"
)

// Report is the result of Evaluate.
type Report struct {
	Options
	Searches []Search
	Rows     []Row
}

// Row is the figures of one method: over all its searches, those of one board, or those of one level of limits. A
// figure that nothing was counted for is NaN.
type Row struct {
	Method   string
	Board    string             // "": all
	Level    tegra.Val[float64] // absent: all
	N        int
	HotPct   float64 // of searches
	OverPct  float64 // of answers
	NonePct  float64 // of questions that have an answer, without one
	FalsePct float64 // of questions that have none, with one
	Gap      Tail    // %
	Edge     Tail    // %, to the best at the limit itself
	WorstPct float64 // by how much the worst answer is over its limit
	Modes    Tail
	BoardS   Tail
	MeanS    float64
	TimeIn   float64 // %, of 80 % bands
	PowerIn  float64
	Spread   Tail // %, of the goal between visits of one question
}

// Tail is the median, the 90th percentile and the largest of figures.
type Tail struct{ Median, P90, Worst float64 }

func tail(v []float64) Tail {
	v = slices.DeleteFunc(slices.Clone(v), math.IsNaN)
	if len(v) == 0 {
		return Tail{math.NaN(), math.NaN(), math.NaN()}
	}
	return Tail{stats.Quantile(v, 0.5), stats.Quantile(v, 0.9), slices.Max(v)}
}

// Tabulate counts searches: for each method all, then by board, then by level.
func Tabulate(all []Search, o Options) (rows []Row) {
	for _, name := range o.Methods {
		of := func(keep func(Search) bool) (list []Search) {
			for _, s := range all {
				if s.Method == name && keep(s) {
					list = append(list, s)
				}
			}
			return list
		}
		rows = append(rows, rowOf(name, of(func(Search) bool { return true })))
		for _, b := range o.Boards {
			if len(o.Boards) > 1 {
				r := rowOf(name, of(func(s Search) bool { return s.Board == b }))
				r.Board = b
				rows = append(rows, r)
			}
		}
		for _, l := range o.Levels {
			if len(o.Levels) > 1 && o.Goal != ForEnergy {
				r := rowOf(name, of(func(s Search) bool { return s.Level == l }))
				r.Level = tegra.Some(l)
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func rowOf(method string, list []Search) Row {
	r := Row{Method: method, N: len(list)}
	var hot, answers, over, none, answerable, wrong float64
	var gap, edge, worst, modes, boardS, timeIn, powerIn []float64
	goals := map[string][]float64{}
	for _, s := range list {
		hot += number(s.Hot)
		answers, over = answers+number(s.Answered), over+number(s.Over)
		answerable, none = answerable+number(s.Answerable), none+number(s.Answerable && !s.Answered)
		wrong += number(!s.Answerable && s.Answered)
		gap, edge, worst = append(gap, s.GapPct), append(edge, s.EdgePct), append(worst, s.OverPct)
		modes, boardS = append(modes, float64(s.Modes)), append(boardS, s.BoardS)
		timeIn, powerIn = append(timeIn, 100*s.TimeIn), append(powerIn, 100*s.PowerIn)
		if key := fmt.Sprint(s.Board, s.Number); !math.IsNaN(s.Goal) {
			goals[key] = append(goals[key], s.Goal)
		}
	}
	share := func(part, whole float64) float64 { return 100 * part / whole }
	var spread []float64
	for _, v := range goals {
		if len(v) > 1 {
			spread = append(spread, 100*(slices.Max(v)/slices.Min(v)-1))
		}
	}
	n := float64(len(list))
	r.HotPct, r.OverPct = share(hot, n), share(over, answers)
	r.NonePct, r.FalsePct = share(none, answerable), share(wrong, n-answerable)
	r.Gap, r.Edge, r.WorstPct, r.Modes, r.BoardS = tail(gap), tail(edge), tail(worst).Worst, tail(modes), tail(boardS)
	r.MeanS, r.Spread = meanOf(boardS), tail(spread)
	r.TimeIn, r.PowerIn = meanOf(timeIn), meanOf(powerIn)
	return r
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// meanOf is the mean of the figures there are.
func meanOf(v []float64) float64 {
	if v = slices.DeleteFunc(v, math.IsNaN); len(v) == 0 {
		return math.NaN()
	}
	return stats.Mean(v)
}

// columns of the table; in JSON a tail is an object.
var columns = report.Table[Row]{
	{Key: "method", Title: "method", Of: func(r Row) any { return r.Method }},
	{Key: "board", Title: "board", Of: func(r Row) any { return tegra.Val[string]{V: r.Board, OK: r.Board != ""} }},
	{Key: "level_pct", Title: "limit %", Of: func(r Row) any { return r.Level }},
	{Key: "n", Title: "n", Of: func(r Row) any { return r.N }},
	{Key: "hot_pct", Title: "hot %", Of: one(func(r Row) float64 { return r.HotPct })},
	{Key: "over_pct", Title: "over %", Of: one(func(r Row) float64 { return r.OverPct })},
	{Key: "over_worst_pct", Title: "by", Of: one(func(r Row) float64 { return r.WorstPct })},
	{Key: "unanswered_pct", Title: "none %", Of: one(func(r Row) float64 { return r.NonePct })},
	{Key: "impossible_answered_pct", Of: one(func(r Row) float64 { return r.FalsePct })},
	{Key: "gap_pct", Title: "gap %", Of: func(r Row) any { return r.Gap.object() },
		Text: cell(func(r Row) Tail { return r.Gap })},
	{Key: "gap_to_limit_pct", Title: "to the limit", Of: func(r Row) any { return r.Edge.object() },
		Text: cell(func(r Row) Tail { return r.Edge })},
	{Key: "modes", Title: "modes", Of: func(r Row) any { return r.Modes.object() },
		Text: cell(func(r Row) Tail { return r.Modes })},
	{Key: "board_s", Of: func(r Row) any { return r.BoardS.object() }},
	{Key: "board_mean_s", Title: "board s", Of: one(func(r Row) float64 { return r.MeanS })},
	{Key: "time_in80_pct", Title: "time in 80", Of: one(func(r Row) float64 { return r.TimeIn })},
	{Key: "power_in80_pct", Title: "power", Of: one(func(r Row) float64 { return r.PowerIn })},
	{Key: "spread_pct", Title: "visits differ", Of: func(r Row) any { return r.Spread.object() },
		Text: cell(func(r Row) Tail { return r.Spread })},
}

// one is a figure to a tenth.
func one(of func(Row) float64) func(Row) any {
	return func(r Row) any { return tegra.Finite(math.Round(10*of(r)) / 10) }
}

func (t Tail) object() any {
	if math.IsNaN(t.Median) {
		return nil
	}
	return report.Object{{"median", t.Median}, {"p90", t.P90}, {"worst", t.Worst}}
}

func cell(of func(Row) Tail) func(Row) string {
	return func(r Row) string {
		t := of(r)
		if math.IsNaN(t.Median) {
			return "–"
		}
		return fmt.Sprintf("%.3g / %.3g / %.3g", t.Median, t.P90, t.Worst)
	}
}

// half names the half of the population.
func (o *Options) half() string {
	if o.Development {
		return "development"
	}
	return "reports"
}

// MarshalJSON returns the document of `research evaluate --population`.
func (r *Report) MarshalJSON() ([]byte, error) {
	return report.Object{{"population", r.Name}, {"messy", r.Messy}, {"half", r.half()}, {"goal", r.Goal},
		{"boards", r.Boards}, {"workloads", r.Workloads}, {"visits", r.Visits}, {"second", r.Second},
		{"seed", r.Seed}, {"virtual", true}, {"rows", columns.Objects(r.Rows)}}.MarshalJSON()
}

const legend = `All figures come from simulated workloads, none is a measurement. Three: median / 90th percentile / worst.
limit: percent of the span of the workload's power (of its time, by ratio, with a time limit); below 0: under the least.
hot: searches with a probe whose true power is over 1.1 times the limit, the present mode left out. over: answers whose
true value exceeds the limit; by: the worst, in percent. none: no answer where there is one.
gap: of answers within the limit, to the best mode that keeps it by 1.64 standard errors of a mean of three readings.
modes: without the present mode. board s: mean seconds from start to answer, with it. visits: from nothing known.`

// Parts are the table and what its columns mean.
func (r *Report) Parts() []document.Part {
	readings, second := "clean", ""
	if r.Messy {
		readings = "messy"
	}
	if r.Second {
		second = ", as a second question"
	}
	head := fmt.Sprintf("population %s, half for %s, %s readings, %d workloads for each board, one question each%s",
		r.Name, r.half(), readings, r.Workloads, second)
	return []document.Part{document.Line(head), document.Break{}, columns.Document(r.Rows), document.Break{},
		document.Line(legend)}
}
