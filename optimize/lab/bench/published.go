package bench

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"jtune/tegra"
)

// Published is a figure from the papers or their authors' files, for comparison with a
// row. Their errors are over all modes, those learned from included.
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

// publishedCSV holds the figures of the paper's text and figures (a) and of the authors' files (b);
// an empty field was not given.
//
//go:embed published.csv
var publishedCSV string

// publishedRows are its lines.
var publishedRows = sync.OnceValue(func() [][]string {
	rows, err := csv.NewReader(strings.NewReader(publishedCSV)).ReadAll()
	if err != nil {
		panic("bench: the built-in figures: " + err.Error())
	}
	return rows[1:]
})

// isOf reports whether published figures are those of a method. PowerTrain's are those of
// every variant, since the paper does not say which layers it trains.
func isOf(published, method string) bool {
	return method == published || published == PowerTrain && (method == PTMAPE || method == PTFrozen)
}

// figures are those of a line.
func figures(row []string) Published {
	out := Published{Mark: row[7], Source: paperSource}
	if out.Mark == "b" {
		out.Source = filesSource
	}
	for i, to := range []*tegra.Val[float64]{&out.TimeMAPEPct, &out.PowerMAPEPct, &out.PenaltyPct, &out.Over1WPct} {
		if v, err := strconv.ParseFloat(row[3+i], 64); err == nil {
			*to = tegra.Some(v)
		}
	}
	return out
}

// published adds the figures of a workload to the rows of its report. They were
// measured while training, so a sweep of inference has none.
func published(r *Report, workload string) {
	workload = workloadOf(r.Name, workload)
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, p := range publishedRows() {
			if p[0] == workload && isOf(p[1], row.Method) && row.Size.OK && p[2] == strconv.Itoa(row.Size.V) {
				row.Published = append(row.Published, figures(p))
			}
		}
	}
}

// workloadOf guesses what was trained from the name of a sweep file and the
// workload that it names itself, if any; "" when they do not say.
func workloadOf(file, workload string) string {
	name := strings.ToLower(filepath.Base(file) + " " + workload)
	if strings.Contains(name, "infer") {
		return ""
	}
	for _, w := range []struct{ part, workload string }{
		{"mobnet", "mobilenet"},
		{"mobilenet", "mobilenet"},
		{"yolo", "yolo"},
		{"lstm", "lstm"},
		{"bert", "bert"},
		{"resnet", "resnet"},
	} {
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
