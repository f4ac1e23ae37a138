package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/arrivals"
	"jtune/internal/text"
	"jtune/profiles/record/csvlines"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// PairKind is the source of the experiment whose runs are two jobs that share a GPU.
const PairKind = "pair"

// PairHeader describes what was measured beside the inference workload of a campaign, and what was searched for.
type PairHeader struct {
	Train    workload.Workload `toml:"train"`
	Load     arrivals.Spec     `toml:"load"`
	PowerW   float64           `toml:"power_limit_w,omitempty"`
	Policy   string            `toml:"policy,omitempty"` // of the turns, as it was requested
	Tau      int               `toml:"tau,omitempty"`
	Strategy string            `toml:"strategy,omitempty"`
	Pairs    int               `toml:"pairs,omitempty"`
	Requests int               `toml:"requests,omitempty"`
	Compare  bool              `toml:"compare,omitempty"`
	Separate bool              `toml:"separate,omitempty"`
}

// checkResume returns an error when a pair cannot continue another.
func (h *PairHeader) checkResume(o *PairHeader) error {
	switch {
	case h == nil || o == nil: // then the selection differs
		return nil
	case h.Train.Name != o.Train.Name:
		return fmt.Errorf("the campaign there has a different training: %s there, %s here; give the same flags or "+
			"another folder", h.Train.Name, o.Train.Name)
	case h.String() != o.String():
		return fmt.Errorf("the campaign there has other settings: %s there, %s here; give the same flags "+
			"or another folder", h, o)
	}
	if other := h.Train.Otherwise(o.Train); len(other) > 0 {
		return fmt.Errorf("%w %s with other settings: %s", ErrOtherJob, h.Train.Name, strings.Join(other, ", "))
	}
	return nil
}

// String describes what was searched for.
func (h *PairHeader) String() string {
	return says([]said{
		{"%v requests/s", h.Load.RatePerS, h.Load.RatePerS > 0},
		{"%v", h.Load.Arrivals, h.Load.Arrivals != ""},
		{"within %v ms", h.Load.LatencyMS, h.Load.LatencyMS > 0},
		{"quantile %v", h.Load.Quantile, h.Load.Quantile > 0},
		{"waiting %v ms at most", h.Load.MaxWaitMS, h.Load.MaxWaitMS > 0},
		{"at most %v W", h.PowerW, h.PowerW > 0},
		{"as %v", h.Load.PowerAs, h.Load.PowerAs != ""},
		{"idle %v W", h.Load.IdleW, h.Load.IdleW > 0},
		{"%v turns", h.Policy, h.Policy != ""},
		{"tau %v", h.Tau, h.Tau > 0},
		{"strategy %v", h.Strategy, h.Strategy != "" && h.Strategy != "auto"}, // "" of the screens is the same
		{"at most %v pairs", h.Pairs, h.Pairs > 0},
		{"%v requests each", h.Requests, h.Requests > 0},
		{"compared with free turns%v", "", h.Compare},
		{"separate modes%v", "", h.Separate},
	})
}

// Pair is the result of a training and an inference job that shared a GPU in one setting. The row's time belongs to a
// minibatch, or to a batch without training; its power is the mean over everything.
type Pair struct {
	Policy    string // strict, fill, free, or alone: without training
	Tau       int    // of strict turns: the most minibatches between two batches; 0: as many as fit
	MaxWaitMS float64
	// Each job alone in its setting, in turns without pauses: time of a turn and power.
	TrainAloneMS, TrainAloneW tegra.Val[float64]
	InferAloneMS, InferAloneW tegra.Val[float64]
	// Both: means of a turn, and rates.
	TrainMS, InferMS      tegra.Val[float64]
	TrainPerS, ServedPerS float64
	MeanW                 float64
	IdleShare             tegra.Val[float64] // share of the time in which neither had the GPU; absent without turns
	Latency               Latency            // of the requests, their waiting included
	Late                  int                // minibatches of strict turns that ended after a batch was due
	Minibatches           int
}

// PeakW returns the mean power of the job that draws more; where they were not measured separately, that of both.
func (p *Pair) PeakW() float64 { return max(p.TrainAloneW.V, p.InferAloneW.V, p.MeanW) }

// MinibatchJ and RequestJ return the energy per minibatch and per request, each by its job's own power; a turn answers
// batch requests.
func (p *Pair) MinibatchJ() tegra.Val[float64] { return joules(p.TrainAloneW, p.TrainMS, 1) }

// RequestJ is described at MinibatchJ.
func (p *Pair) RequestJ(batch int) tegra.Val[float64] { return joules(p.InferAloneW, p.InferMS, batch) }

func joules(watts, ms tegra.Val[float64], units int) tegra.Val[float64] {
	return tegra.Val[float64]{V: watts.V * ms.V / 1000 / float64(max(1, units)), OK: watts.OK && ms.OK}
}

// pairColumns are further columns in the modes.csv of a pair.
var pairColumns = strings.Fields("policy tau max_wait_ms train_alone_ms train_alone_w infer_alone_ms infer_alone_w " +
	"train_turn_ms infer_turn_ms train_per_s pair_served_per_s mean_w peak_w idle_share minibatch_j request_j " +
	"requests_timed latency_p50_ms latency_p95_ms latency_p99_ms late_turns train_turns")

// fields formats the values in the order of pairColumns; all empty when p is nil.
func (p *Pair) fields(batch int) []string {
	if p == nil {
		return make([]string, len(pairColumns))
	}
	return []string{
		text.OneLine(p.Policy),
		strconv.Itoa(p.Tau),
		decimal(p.MaxWaitMS),
		optional(p.TrainAloneMS),
		optional(p.TrainAloneW),
		optional(p.InferAloneMS),
		optional(p.InferAloneW),
		optional(p.TrainMS),
		optional(p.InferMS),
		decimal(p.TrainPerS),
		decimal(p.ServedPerS),
		decimal(p.MeanW),
		decimal(p.PeakW()),
		optional(p.IdleShare),
		optional(p.MinibatchJ()),
		optional(p.RequestJ(batch)),
		strconv.Itoa(p.Latency.N),
		decimal(p.Latency.P50),
		decimal(p.Latency.P95),
		decimal(p.Latency.P99),
		strconv.Itoa(p.Late),
		strconv.Itoa(p.Minibatches),
	}
}

// parsePair reads the fields of pairColumns; nil where they are empty.
func parsePair(f []string) (*Pair, error) {
	if f[0] == "" {
		return nil, nil
	}
	r := csvlines.Fields{Columns: pairColumns, List: f}
	p := &Pair{Policy: r.Text(), Tau: int(r.Whole()), MaxWaitMS: r.Number()}
	p.TrainAloneMS, p.TrainAloneW = r.Optional(), r.Optional()
	p.InferAloneMS, p.InferAloneW = r.Optional(), r.Optional()
	p.TrainMS, p.InferMS = r.Optional(), r.Optional()
	p.TrainPerS, p.ServedPerS, p.MeanW = r.Number(), r.Number(), r.Number()
	r.At++ // peak_w, which follows
	p.IdleShare = r.Optional()
	r.At += 2 // energies, which follow
	n := int(r.Whole())
	p.Latency = Latency{P50: r.Number(), P95: r.Number(), P99: r.Number(), N: n}
	p.Late, p.Minibatches = int(r.Whole()), int(r.Whole())
	if r.Err != nil {
		return nil, fmt.Errorf("of a pair: %w", r.Err)
	}
	return p, nil
}

// takePair reads the columns of a pair where names, those after the ones of serving, begin with them.
func (r *Row) takePair(names []string) (err error) {
	n := len(pairColumns)
	if len(names) < n || !slices.Equal(names[:n], pairColumns) || len(r.Extra) < n {
		return nil
	}
	r.Pair, err = parsePair(r.Extra[:n])
	r.Extra = r.Extra[n:]
	return err
}

// Policies of a pair beside strict and fill.
const (
	Free  = "free"
	Alone = "alone"
)
