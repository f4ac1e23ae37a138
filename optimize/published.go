package optimize

import (
	"fmt"
	"path/filepath"
	"strings"

	"jtune/tegra"
)

// Published is a figure from the papers or their authors' files, to be read
// beside a row. Their errors are over all modes, those learned from included.
type Published struct {
	TimeMAPEPct  tegra.Val[float64] `json:"time_mape_pct"`
	PowerMAPEPct tegra.Val[float64] `json:"power_mape_pct"`
	PenaltyPct   tegra.Val[float64] `json:"penalty_pct"`
	Over1WPct    tegra.Val[float64] `json:"over1w_pct"`
	Mark         string             `json:"-"`
	Source       string             `json:"source"`
}

// short prints the figures for a table's cell.
func (p Published) short() string {
	var parts []string
	if p.TimeMAPEPct.OK || p.PowerMAPEPct.OK {
		parts = append(parts, dashed(p.TimeMAPEPct, "%g")+" / "+dashed(p.PowerMAPEPct, "%g"))
	}
	if p.PenaltyPct.OK {
		parts = append(parts, fmt.Sprintf("penalty %g", p.PenaltyPct.V))
	}
	if p.Over1WPct.OK {
		parts = append(parts, fmt.Sprintf(">1 W %g", p.Over1WPct.V))
	}
	return p.Mark + " " + strings.Join(parts, " ")
}

const (
	paperSource = "PowerTrain (FGCS 2024), text and figures 6, 9, 12"
	filesSource = "run files beside the published sweeps (Dream-Lab, paper_baselines), median of 10 runs"
)

type publishedRow struct {
	workload, method     string
	size                 int
	timePct, powerPct    float64 // 0: not given
	penaltyPct, over1Pct float64 // -1: not given
	mark                 string
}

// publishedRows: method note e.5 and f.5 for "a", the authors' files for "b".
var publishedRows = []publishedRow{
	{"mobilenet", EvalPowerTrain, 10, 26.7, 0, -1, -1, "a"},
	{"mobilenet", EvalPowerTrain, 50, 14.5, 5.6, 0.7, 25, "a"},
	{"mobilenet", EvalPowerTrain, 100, 11.9, 4.3, -1, -1, "a"},
	{"mobilenet", EvalNN, 10, 52.6, 0, -1, -1, "a"},
	{"mobilenet", EvalNN, 50, 0, 0, 5, -1, "a"},
	{"mobilenet", EvalPowerTrain, 10, 27.5, 13.4, -1, -1, "b"},
	{"mobilenet", EvalPowerTrain, 20, 19.7, 8.3, -1, -1, "b"},
	{"mobilenet", EvalPowerTrain, 30, 17.3, 6.6, -1, -1, "b"},
	{"mobilenet", EvalPowerTrain, 50, 15.1, 5.6, -1, -1, "b"},
	{"mobilenet", EvalPowerTrain, 100, 11.9, 4.3, -1, -1, "b"},
	{"mobilenet", EvalNN, 10, 52.0, 24.0, -1, -1, "b"},
	{"mobilenet", EvalNN, 20, 41.2, 13.4, -1, -1, "b"},
	{"mobilenet", EvalNN, 30, 31.7, 11.9, -1, -1, "b"},
	{"mobilenet", EvalNN, 50, 22.5, 10.1, -1, -1, "b"},
	{"mobilenet", EvalNN, 100, 11.5, 9.0, -1, -1, "b"},
	{"yolo", EvalPowerTrain, 50, 11.5, 4.9, 0, -1, "a"},
	{"yolo", EvalPowerTrain, 100, 10.18, 0, -1, -1, "a"},
	{"yolo", EvalNN, 50, 0, 0, 4, -1, "a"},
	{"yolo", EvalPowerTrain, 50, 11.7, 5.0, -1, -1, "b"},
	{"lstm", EvalPowerTrain, 50, 12.5, 6.3, -1, -1, "a"},
	{"lstm", EvalNN, 50, 12.3, 9.1, -1, -1, "a"},
	{"bert", EvalPowerTrain, 50, 15.6, 0, -1, -1, "a"},
	{"bert", EvalNN, 50, 15.1, 0, -1, -1, "a"},
	{"orin-nano resnet", EvalPowerTrain, 50, 7.85, 5.96, -1, -1, "a"},
	{"orin-nano mobilenet", EvalPowerTrain, 50, 8.98, 4.72, -1, -1, "a"},
}

// stands tells whether the figures belong beside a method: PowerTrain's beside
// every variant, since the paper does not say which layers it trains.
func (p publishedRow) stands(method string) bool {
	return method == p.method || p.method == EvalPowerTrain && (method == EvalPTMAPE || method == EvalPTFrozen)
}

func (p publishedRow) figures() Published {
	out := Published{Mark: p.mark, Source: paperSource}
	if p.mark == "b" {
		out.Source = filesSource
	}
	out.TimeMAPEPct, out.PowerMAPEPct = tegra.Val[float64]{V: p.timePct, OK: p.timePct > 0}, tegra.Val[float64]{V: p.powerPct, OK: p.powerPct > 0}
	out.PenaltyPct, out.Over1WPct = tegra.Val[float64]{V: p.penaltyPct, OK: p.penaltyPct >= 0}, tegra.Val[float64]{V: p.over1Pct, OK: p.over1Pct >= 0}
	return out
}

// published puts the figures of a workload beside the rows of its report. They
// were measured while training, so a sweep of inference has none.
func published(r *Report, workload string) {
	workload = workloadOf(r.Name, workload)
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, p := range publishedRows {
			if p.workload == workload && p.stands(row.Method) && row.Size.OK && p.size == row.Size.V {
				row.Published = append(row.Published, p.figures())
			}
		}
	}
}

// workloadOf guesses what was trained from the name of a sweep file and the
// workload that it names itself, if any; "" when they tell nothing.
func workloadOf(file, workload string) string {
	name := strings.ToLower(filepath.Base(file) + " " + workload)
	if strings.Contains(name, "infer") {
		return ""
	}
	for _, w := range []struct{ part, workload string }{{"mobnet", "mobilenet"}, {"mobilenet", "mobilenet"}, {"yolo", "yolo"}, {"lstm", "lstm"}, {"bert", "bert"}, {"resnet", "resnet"}} {
		if !strings.Contains(name, w.part) {
			continue
		}
		if strings.Contains(name, "nano") {
			return "orin-nano " + w.workload
		}
		return w.workload
	}
	return ""
}
