// Package evidence compares this program's results with those published in the papers.
//
//	figures.csv ──► Parse ──► Figure ──► Words (its terms, in some laboratory) ──► own values
//	                                         └──► Judge (tolerance) ──► Result (verdict, reason) ──► Counts
//
// The laboratories are the packages fidelity (hardware figures, on virtual boards) and reproduce (results of methods,
// on sweeps). They provide tables of figures and the words that compute them; this package defines figures, tolerances
// and verdicts. No computed value is ever stored.
package evidence

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

// Figure is a published quantity and how it is computed.
type Figure struct {
	ID        string
	Study     string // see Studies
	Where     string // section, table or figure of it
	Metric    string
	Value     float64
	Most      float64 // upper end of a range; else Value
	Unit      string
	Relation  string  // eq, approx, lt, le, gt, ge or range
	Tolerance float64 // deviation that still counts as within: relative if Relative, else in Unit
	Relative  bool
	Kind      Kind
	Terms     string // see Words; "": not computed
	Note      string // why it is contradictory, not computed or missed
	NotedAt   string // the value for which Note says why it is missed, as printed; "": for any
	Group     string // in its table; "" if the table has no groups
	Item      string // what it describes
	SameAs    string // ID of a figure that states the same, or ""
	Jobs      []Job  // what it describes, as far as that is simulated
}

// Job is a workload on a board; without a workload if a figure is not about a training job.
type Job struct{ Board, Workload string }

func (j Job) String() string { return strings.Trim(j.Board+"/"+j.Workload, "/") }

// Kind says how a figure can be compared with a simulation.
type Kind string

// Kinds of figures.
const (
	Simulated     Kind = "simulated"
	Proxy         Kind = "proxy"         // a similar quantity, named in the note, is computed instead
	Setting       Kind = "setting"       // an input of the simulation: no evidence
	Stated        Kind = "stated"        // a fact that needs no simulation
	Contradictory Kind = "contradictory" // contradicts other figures of its own paper
	NotSimulated  Kind = "not simulated"
)

// Studies are the sources of the figures.
var Studies = map[string]string{
	"talk": "Slides of the SIGMETRICS talk of June 2023 on the 2022 study",
	"powertrain": "PowerTrain: Fast, Generalizable Time and Power Prediction Models to Optimize DNN Training on " +
		"Accelerated Edges, 2024",
	"study-2022": "Characterizing the Performance of Accelerated Jetson Edge Devices for Training Deep Learning " +
		"Models, Proc. ACM Meas. Anal. Comput. Syst. 6(3):44, 2022",
	"inference": "Slides of A. Dutt and others on the energy impact of device parameters on inference at the edge",
	"summer":    "The summer report, May to June 2024",
}

// Names of places besides those of boards.
const (
	All     = "all"
	Several = "several" // figures about more than one board
	Other   = "other"   // figures about none of the virtual boards
)

// Place returns the place that counts a figure: a board, Several or Other.
func (f *Figure) Place() string {
	place := ""
	for _, j := range f.Jobs {
		if place != "" && j.Board != place {
			return Several
		}
		place = j.Board
	}
	return cmp.Or(place, Other)
}

// Parse reads a table of published figures, one per line, and passes each on with all its cells by column name; a table
// has the columns that it needs.
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
	f = Figure{
		ID:       cell["id"],
		Study:    cell["study"],
		Where:    cell["where"],
		Metric:   cell["metric"],
		Unit:     cell["unit"],
		Relation: cell["relation"],
		Kind:     Kind(cell["kind"]),
		Terms:    cell["of"],
		Note:     cell["note"],
		NotedAt:  cell["noted_at"],
		Group:    cell["group"],
		Item:     cmp.Or(cell["item"], cell["configuration"]),
		SameAs:   cell["same_as"],
		Relative: cell["tolerance_kind"] == "relative",
	}
	for text := range strings.FieldsSeq(cell["jobs"]) {
		board, workload, _ := strings.Cut(text, "/")
		f.Jobs = append(f.Jobs, Job{board, workload})
	}
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
	return f, err
}
