// Package published holds results published by papers and their authors, for comparison with jtune's on the same
// workload, method and number of modes.
//
//	figures.csv ──► Of ──► Figures beside a row of a report
//	files of runs ──► ReadAuthors ──► Authors: the modes that each run drew, and its errors
package published

import (
	_ "embed"
	"encoding/csv"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"jtune/tegra"
)

// Figures are a method's published results. Their errors cover all modes, including the training modes.
type Figures struct {
	TimeMAPEPct  tegra.Val[float64] `json:"time_mape_pct"`
	PowerMAPEPct tegra.Val[float64] `json:"power_mape_pct"`
	PenaltyPct   tegra.Val[float64] `json:"penalty_pct"`
	Over1WPct    tegra.Val[float64] `json:"over1w_pct"`
	Mark         string             `json:"-"`
	Source       string             `json:"source"`
}

const (
	paperSource = "PowerTrain (FGCS 2024), text and figures 6, 9, 12"
	filesSource = "run files beside the published sweeps (Dream-Lab, paper_baselines), median of 10 runs"
)

// figuresCSV holds the figures of the paper's text and figures (a) and of the authors' files (b);
// an empty field was not given.
//
//go:embed figures.csv
var figuresCSV string

// rows are the lines of figuresCSV.
var rows = sync.OnceValue(func() [][]string {
	list, err := csv.NewReader(strings.NewReader(figuresCSV)).ReadAll()
	if err != nil {
		panic("published: the built-in figures: " + err.Error())
	}
	return list[1:]
})

const powerTrain = "powertrain"

// isOf reports whether published figures apply to a method. PowerTrain's apply to every variant, since the paper does
// not say which layers it trains.
func isOf(published, method string) bool {
	return method == published || published == powerTrain && strings.HasPrefix(method, powerTrain+"-")
}

// figures parses the numbers of a line.
func figures(row []string) Figures {
	out := Figures{Mark: row[7], Source: paperSource}
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

// Of lists the figures of a method with that many training modes of a workload, identified by the sweep's file name and
// its own workload name. They come from training, so an inference sweep has none.
func Of(file, workload, method string, size int) (out []Figures) {
	workload = workloadOf(file, workload)
	for _, p := range rows() {
		if p[0] == workload && isOf(p[1], method) && p[2] == strconv.Itoa(size) {
			out = append(out, figures(p))
		}
	}
	return out
}

// workloadOf guesses the trained workload from a sweep's file name and its own workload name, if any; "" if unknown.
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
