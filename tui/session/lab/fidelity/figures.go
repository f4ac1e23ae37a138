// Package fidelity holds the virtual boards against every hardware figure that the papers print.
//
//	figures.csv ──► Figure ──► bench (virtual boards, the session's own campaigns) ──► simulated values
//	                                                    └──► Off, Verdict ──► Report
//
// Nothing here is a measurement, and no value is stored: each is worked out by the boards that the rest of the program
// runs on.
package fidelity

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Figure is one published quantity and how it is simulated.
type Figure struct {
	ID            string
	Study         string // see Studies
	Where         string // section, table or figure of it
	Jobs          []Job  // what it is about, as far as it is simulated
	Configuration string // in words
	Metric        string
	Value         float64
	Most          float64 // upper end of a range; else Value
	Unit          string
	Relation      string  // eq, approx, lt, le, gt, ge or range
	Tolerance     float64 // how far off still counts as within: a share if Relative, else in Unit
	Relative      bool
	Kind          Kind
	SameAs        string // ID of a figure that says the same; ""
	Note          string // why it is contradictory, not simulated or missed

	method, of  string
	at, against []setup
}

// Job is a workload on a board; a figure about no training job has no workload.
type Job struct{ Board, Workload string }

func (j Job) String() string { return strings.Trim(j.Board+"/"+j.Workload, "/") }

// Kind is what a figure can say about a simulation.
type Kind string

// Kinds of figures.
const (
	Simulated     Kind = "simulated"
	Setting       Kind = "setting"       // the simulation holds the number as an input: no evidence
	Stated        Kind = "stated"        // a fact that needs no simulation
	Contradictory Kind = "contradictory" // contradicts other figures of its own paper
	NotSimulated  Kind = "not simulated"
)

// Studies are the figures' sources.
var Studies = map[string]string{
	"talk": "Slides of the SIGMETRICS talk of June 2023 on the 2022 study",
	"powertrain": "PowerTrain: Fast, Generalizable Time and Power Prediction Models to Optimize DNN Training on " +
		"Accelerated Edges, 2024",
	"study-2022": "Characterizing the Performance of Accelerated Jetson Edge Devices for Training Deep Learning " +
		"Models, Proc. ACM Meas. Anal. Comput. Syst. 6(3):44, 2022",
	"inference": "Slides of A. Dutt and others on the energy impact of device parameters on inference at the edge",
	"summer":    "The summer report, May to June 2024",
}

//go:embed figures.csv
var figuresCSV string

// Figures are all published hardware figures. Tolerances are this project's.
var Figures = sync.OnceValue(func() []Figure {
	figures, err := parseFigures(figuresCSV)
	if err != nil {
		panic("fidelity: figures.csv: " + err.Error())
	}
	return figures
})

func parseFigures(text string) (out []Figure, err error) {
	err = Parse(text, func(f Figure, cell map[string]string) (err error) {
		f.method, f.of = cell["method"], cell["of"]
		for text := range strings.FieldsSeq(cell["jobs"]) {
			board, workload, _ := strings.Cut(text, "/")
			f.Jobs = append(f.Jobs, Job{board, workload})
		}
		if f.at, err = parseSetups(cell["at"]); err == nil {
			f.against, err = parseSetups(cell["against"])
		}
		out = append(out, f)
		return err
	})
	return out, err
}

// Parse reads a table of published figures, one per line, and hands on each with all its cells by the names of their
// columns.
func Parse(text string, each func(f Figure, cell map[string]string) error) error {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	for i, row := range rows[1:] {
		cell := map[string]string{}
		for k, name := range rows[0] {
			cell[name] = row[k]
		}
		f, err := parseFigure(cell)
		if err == nil {
			err = each(f, cell)
		}
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", i+2, cell["id"], err)
		}
	}
	return nil
}

func parseFigure(cell map[string]string) (f Figure, err error) {
	f = Figure{ID: cell["id"], Study: cell["study"], Where: cell["where"], Configuration: cell["configuration"],
		Metric: cell["metric"], Unit: cell["unit"], Relation: cell["relation"], Kind: Kind(cell["kind"]),
		SameAs: cell["same_as"], Note: cell["note"]}
	if f.Value, err = strconv.ParseFloat(cell["value"], 64); err != nil {
		return f, err
	}
	f.Most = f.Value
	if cell["max"] != "" {
		if f.Most, err = strconv.ParseFloat(cell["max"], 64); err != nil {
			return f, err
		}
	}
	f.Tolerance, err = strconv.ParseFloat(cell["tolerance"], 64)
	f.Relative = cell["tolerance_kind"] == "relative"
	return f, err
}
