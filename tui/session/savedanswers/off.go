package savedanswers

import (
	"math"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/tui/session/campaigns"
)

// Off is the deviation of calculated values of a quantity from later measurements of a workload on its board.
type Off struct {
	What      string  `json:"what"`
	N         int     `json:"n"`          // number of pairs
	MedianPct float64 `json:"median_pct"` // positive: calculated values are higher
	MostPct   float64 `json:"most_pct"`   // largest deviation
	// Calculated and Measured are the newest pair, in Unit.
	Calculated float64 `json:"calculated"`
	Measured   float64 `json:"measured"`
	Unit       string  `json:"unit"`
}

// pairs collects calculated and measured values by quantity, in order of first appearance.
type pairs struct {
	offs []Off
	pcts map[string][]float64
}

func (p *pairs) add(what, unit string, calculated, measured float64) {
	if !(calculated > 0 && measured > 0) || math.IsInf(calculated, 0) || math.IsInf(measured, 0) {
		return
	}
	if p.pcts[what] == nil {
		p.offs = append(p.offs, Off{What: what, Unit: unit})
	}
	pct := 100 * (calculated/measured - 1)
	p.pcts[what] = append(p.pcts[what], pct)
	for i := range p.offs {
		if o := &p.offs[i]; o.What == what {
			o.N++
			o.Calculated, o.Measured, o.MedianPct = calculated, measured, stats.Median(p.pcts[what])
			if math.Abs(pct) > math.Abs(o.MostPct) {
				o.MostPct = pct
			}
		}
	}
}

// CalculatedOff compares calculated values of a model's workload with measurements: predictions of answers with their
// readings, calculated queue latencies with real requests, and epochs extrapolated from a minibatch with full epochs.
func CalculatedOff(list []campaigns.Campaign, from learn.Provenance) []Off {
	p := &pairs{pcts: map[string][]float64{}}
	for _, c := range list {
		if !about(c, from) {
			continue
		}
		p.answers(c)
		if c.Header.Plan.Kind == campaigns.RunKind {
			p.epochs(c)
		}
	}
	return p.offs
}

// answers adds the predictions and measurements of a search's answers.
func (p *pairs) answers(c campaigns.Campaign) {
	k, err := Answer(c)
	if err != nil || k == nil || k.Worked {
		return
	}
	for _, a := range k.Answers {
		if a.Measured() && !a.Fitted {
			p.add("time of a mode", "ms", a.Predicted.TimeMS, a.Reading.TimeMS)
			p.add("power of a mode", "W", a.Predicted.PowerW, a.Reading.PowerW)
		}
		if a.Served != nil && a.Trial != nil && !a.Trial.Users {
			p.add("latency under load", "ms", a.Served.LatencyMS, a.Trial.LatencyMS.Or(0))
		}
	}
}

// epochs adds the full epochs of a run: extrapolated from the median minibatch, and measured.
func (p *pairs) epochs(c campaigns.Campaign) {
	rows := c.Rows()
	runs, _, err := record.ReadRuns(c.Dir)
	if err != nil || len(runs) == 0 || len(rows) == 0 || !rows[0].Status.Usable() {
		return
	}
	row, of := rows[0], runs[0].Character
	part := of.Later.Or(of.First.V)
	whole, n := float64(of.PerEpoch), float64(part.Minibatches)
	if of.PerEpoch == 0 || n < nearlyWhole*whole {
		return
	}
	took := part.Span.Hours() * whole / n
	calculated := row.TimeMS * whole / 3.6e6 // h
	p.add("time of an epoch", "s", 3600*calculated, 3600*took)
	p.add("energy of an epoch", "Wh", calculated*row.PowerW, took*part.PowerW.Or(0))
}

// nearlyWhole is the share of an epoch's minibatches that a run must have counted: the first one never counts.
const nearlyWhole = 0.99
