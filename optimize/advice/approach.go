package advice

import "time"

// Approach is a measuring approach for a kind of training.
type Approach struct {
	Scenario string `json:"scenario"` // kind of user
	Training string `json:"training"` // how often a training runs, and how long it takes
	Changes  string `json:"changes"`  // how often the workload changes
	Paper    string `json:"paper"`    // advice of PowerTrain's Table 1, with its profiling time
	Jtune    string `json:"jtune"`    // equivalent in jtune
	upTo     time.Duration

	often, changes string        // values of Often and Changing
	from           time.Duration // trainings are longer; 0: any length up to upTo
}

// Words for how often a training runs and how often its workload changes.
var (
	Often    = []string{"once", "occasionally", "periodically", "often"}
	Changing = []string{"never", "rarely", "often"}
)

// Scenario describes trainings; zero fields are unknown.
type Scenario struct {
	Often   string // one of Often
	Length  time.Duration
	Changes string // one of Changing
}

// ApproachOf returns the approach whose scenario fits best; among equals the one that measures less.
func ApproachOf(s Scenario) Approach {
	best, most := approaches[0], -1
	for _, a := range approaches {
		fits := 0
		if s.Often == a.often {
			fits++
		}
		if s.Changes == a.changes {
			fits++
		}
		if s.Length > 0 && s.Length > a.from && (a.upTo == 0 || s.Length <= a.upTo) {
			fits++
		}
		if fits >= most {
			best, most = a, fits
		}
	}
	return best
}

// approaches in the order of the paper's table.
var approaches = []Approach{
	{"training once on a large dataset", "one time, a few days", "never",
		"measure all modes, 1,200 to 1,800 minutes",
		"a thorough tune finds the mode with about 12 measured ones; measure a whole grid only if the last percent " +
			"is worth a day", 0, "once", "never", 24 * time.Hour},
	{"fine-tuning a model", "occasional, a few hours", "rare",
		"a network learned from at least 100 modes, 20 to 50 minutes",
		"one tune with about 10 measured modes; profile 30 for a whole front to choose from", 24 * time.Hour,
		"occasionally", "rarely", time.Hour},
	{"continuous learning", "periodic, under an hour", "rare",
		"PowerTrain: 50 modes and a transfer, 10 to 20 minutes",
		"tune once with about 10 modes and keep the answer for the runs that follow; the first run alone does not " +
			"pay for it", time.Hour, "periodically", "rarely", 0},
	{"federated learning on an edge cloud", "often, length unknown", "often",
		"PowerTrain: 50 modes and a transfer, 10 to 20 minutes",
		"a quick tune per workload, and the model of an earlier one on the same board as its reference", 0,
		"often", "often", 0},
}

// Approaches returns the table of scenarios (PowerTrain, Table 1) with jtune's equivalents. The paper's minutes are its
// own; jtune's follow from the number of modes a search measures.
func Approaches() []Approach { return append([]Approach(nil), approaches...) }
