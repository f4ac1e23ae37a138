package reproduce

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"jtune/internal/figure"
	"jtune/learn/baseline/nn"
	"jtune/optimize/lab/bench"
	"jtune/optimize/lab/score"
	"jtune/profiles/record"
	"jtune/tui/session/lab/fourmodes"
)

// tables are the tables that studies print besides their figures.
var tables = map[string]func(*lab) (Table, error){
	"four-modes":       (*lab).chosenModes,
	"minibatches":      (*lab).minibatchTable,
	"reference-size":   (*lab).referenceSizeTable,
	"references":       (*lab).referenceTable,
	"sizes":            (*lab).sizeTable,
	"losses":           (*lab).lossTable,
	"penalties":        (*lab).penaltyTable,
	"at-30-w":          (*lab).tableAt30W,
	"training-hours":   (*lab).trainingHours,
	"universal-energy": (*lab).energyTable,
}

// constant returns a constant of the program itself.
func (l *lab) constant(args []string) (float64, error) {
	switch args[0] {
	case "minibatches":
		return float64(record.Settings{}.WithDefaults().Minibatches), nil
	case "parameters":
		return float64(nn.PaperLayers().Weights()), nil
	case "budgets":
		return mostW - leastW + 1, nil
	case "study-modes": // how many of the study's four are chosen here
		models, err := l.lines()
		if err != nil {
			return 0, err
		}
		n := 0.0
		for _, label := range strings.Split(models.Letters(), ", ") {
			if strings.Contains(fourmodes.Published, label) {
				n++
			}
		}
		return n, nil
	}
	return 0, fmt.Errorf("no constant %q", args[0])
}

// errorCells formats a row's errors of time and power with their quartiles.
func errorCells(r score.Row) []string {
	cell := func(q score.Quartiles) string {
		return fmt.Sprintf("%.1f (%.1f to %.1f)", q.Median, q.Q1, q.Q3)
	}
	return []string{cell(r.TimeMAPEAllPct.V), cell(r.PowerMAPEAllPct.V)}
}

// referenceTable uses ResNet, MobileNet and YOLO as reference and as target; on the diagonal is the reference's own
// error.
func (l *lab) referenceTable() (Table, error) {
	t := Table{Title: "Error % of time / power by reference (down) and target (across), 50 modes; on the diagonal of " +
		"the reference on its own modes", Head: []string{"reference", "resnet18", "mobilenet", "yolov8n"}}
	places := []string{resnet, mobilenet, "agx-orin/yolov8n"}
	for _, from := range places {
		row := Row{Item: jobOf(from)}
		for _, to := range places {
			var cell string
			if from == to {
				r, err := l.reference(from, 0)
				if err != nil {
					return t, err
				}
				cell = fmt.Sprintf("%.1f / %.1f", pairError("time", r, r.Samples), pairError("power", r, r.Samples))
			} else {
				r, err := l.score(bench.PowerTrain, learnedModes, to, from)
				if err != nil {
					return t, err
				}
				cell = fmt.Sprintf("%.1f / %.1f", r.TimeMAPEAllPct.V.Median, r.PowerMAPEAllPct.V.Median)
			}
			row.Cells = append(row.Cells, cell)
			row.Simulated = row.Simulated || l.sweeps[to].simulated
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// Sizes in the study of the number of modes, its targets, and the methods with their references.
var (
	studySizes   = []int{10, 20, 30, 50, 100}
	studyTargets = []string{mobilenet, "agx-orin/yolov8n"}
	studyMethods = []struct{ method, reference string }{{bench.PowerTrain, resnet}, {bench.NN, "none"},
		{bench.GP, "none"}}
)

func (l *lab) sizeTable() (Table, error) {
	t := Table{Title: "Median error % (quartiles) over all modes, and minutes of profiling",
		Head: []string{"workload", "method", "modes", "time error %", "power error %", "minutes"}}
	for _, place := range studyTargets {
		for _, m := range studyMethods {
			for _, n := range studySizes {
				r, err := l.score(m.method, n, place, m.reference)
				if err != nil {
					return t, err
				}
				cells := append([]string{m.method, strconv.Itoa(n)}, errorCells(r)...)
				t.Rows = append(t.Rows, Row{Item: jobOf(place), Simulated: l.sweeps[place].simulated,
					Cells: append(cells, number(r.Minutes))})
			}
		}
	}
	return t, nil
}

// sizeCurves draws the errors by the number of modes.
func (l *lab) sizeCurves() (out []figure.Figure, err error) {
	for _, place := range studyTargets {
		f := figure.Figure{Kind: "sizes-" + jobOf(place), Title: "error by profiled modes, " + title(place),
			X: figure.Axis{Key: "modes", Name: "profiled modes"}}
		for _, quantity := range []string{"time", "power"} {
			panel := figure.Panel{Axis: figure.Axis{Key: quantity + "_mape_pct", Name: quantity + " error", Unit: "%",
				Zero: true}}
			for _, m := range studyMethods {
				s := figure.Series{Name: m.method, Shape: figure.Rings, Bounds: "its quartiles"}
				for _, n := range studySizes {
					r, err := l.score(m.method, n, place, m.reference)
					if err != nil {
						return nil, err
					}
					q := quantityOf(quantity, r.TimeMAPEAllPct, r.PowerMAPEAllPct).V
					s.Points = append(s.Points, figure.At(float64(n), q.Median).Within(q.Q1, q.Q3))
				}
				panel.Series = append(panel.Series, s)
			}
			f.Panels = append(f.Panels, panel)
		}
		minutes := figure.Panel{Axis: figure.Axis{Key: "minutes", Name: "profiling", Unit: "min", Zero: true}}
		s := figure.Series{Name: "with settling", Shape: figure.Rings}
		for _, n := range studySizes {
			r, err := l.score(bench.PowerTrain, n, place, resnet)
			if err != nil {
				return nil, err
			}
			s.Points = append(s.Points, figure.At(float64(n), r.Minutes))
		}
		minutes.Series = append(minutes.Series, s)
		f.Panels = append(f.Panels, minutes)
		f.Virtual = l.sweeps[place].simulated
		out = append(out, f)
	}
	return out, nil
}

// lossTable shows the effect of the relative loss and of frozen inner layers on a transfer, to another workload and to
// another board.
func (l *lab) lossTable() (Table, error) {
	t := Table{Title: "Transfers of ResNet-18 from an AGX Orin, 50 modes: error %",
		Head: []string{"target", "variant", "time error %", "power error %"}}
	for _, place := range []string{mobilenet, "orin-nano/resnet18", "agx-xavier/resnet18"} {
		for _, method := range []string{bench.PowerTrain, bench.PTMAPE, bench.PTFrozen} {
			r, err := l.score(method, learnedModes, place, resnet)
			if err != nil {
				return t, err
			}
			t.Rows = append(t.Rows, Row{Item: title(place), Simulated: l.sweeps[place].simulated,
				Cells: append([]string{map[string]string{bench.PowerTrain: "squared error",
					bench.PTMAPE: "relative error", bench.PTFrozen: "last layer alone"}[method]}, errorCells(r)...)})
		}
	}
	return t, nil
}

// penaltyTable shows the cost of each strategy's choices for 17 to 50 W.
func (l *lab) penaltyTable() (Table, error) {
	t := Table{Title: "Choices for 17 to 50 W: time penalty % against the optimum, mean watts above the limit " +
		"(area), and the share above it (A/L) and by more than a watt (A/L+1)",
		Head: []string{"workload", "strategy", "penalty %", "p90", "area W", "A/L %", "A/L+1 %"}}
	for _, place := range compared {
		for _, m := range []struct{ method, reference string }{{bench.PowerTrain, referenceFor(place)},
			{bench.NN, "none"},
			{bench.GP, "none"}, {bench.Random, "none"}, {bench.Maxn, "none"}, {bench.Presets, "none"}} {
			r, err := l.score(m.method, learnedModes, place, m.reference)
			if err != nil {
				return t, err
			}
			t.Rows = append(t.Rows, Row{Item: jobOf(place), Simulated: l.sweeps[place].simulated,
				Cells: []string{m.method, number(r.PenaltyPct.V.Median), number(r.PenaltyPct.V.P90), number(r.AreaW.V),
					number(r.OverPct.V), number(r.Over1WPct.V)}})
		}
	}
	return t, nil
}

// drawn draws a study's own values with the published ones, a figure for each unit.
func drawn(r Report) (out []figure.Figure) {
	of := map[string]int{}
	for _, f := range r.Results {
		if len(f.Values) == 0 {
			continue
		}
		i, ok := of[f.Unit]
		if !ok {
			i = len(out)
			of[f.Unit] = i
			out = append(out, figure.Figure{Kind: r.Study.Name, Title: r.Study.Title, RowKey: "item",
				Panels: []figure.Panel{{Axis: figure.Axis{Key: "value", Name: "value", Unit: f.Unit, Zero: true},
					Series: []figure.Series{{Name: "own", Shape: figure.Bars},
						{Name: "published", Shape: figure.Ticks, Bounds: "its tolerance"}}}}})
			if i > 0 {
				out[i].Kind += "-" + strconv.Itoa(i+1)
			}
		}
		g := &out[i]
		row := len(g.Rows)
		g.Rows = append(g.Rows, f.ID)
		g.Virtual = g.Virtual || f.Simulated
		low, high := f.Value-f.Slack(f.Value), f.Most+f.Slack(f.Most)
		s := g.Panels[0].Series
		s[0].Points = append(s[0].Points, figure.In(row, f.Worst()))
		s[1].Points = append(s[1].Points, figure.In(row, (f.Value+f.Most)/2).Within(math.Max(0, low), high))
	}
	return out
}
