package record

import (
	"fmt"
	"strings"

	"jtune/internal/arrivals"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// PairKind is the source of the experiment whose runs are two jobs that share a GPU.
const PairKind = "pair"

// PairAsked is how a pair's setting is looked for: a part of the request, which the folder keeps to repeat it. Zero
// values are defaults.
type PairAsked struct {
	Policy string `toml:"policy,omitempty"` // of the turns; "": the better of strict and fill
	Tau    int    `toml:"tau,omitempty"`    // of strict turns: most minibatches between two batches; 0: as many as fit
	// Strategy is how the setting is searched; "" and auto: by predictions. The others only measure, with fill turns
	// unless Policy is set.
	Strategy string `toml:"strategy,omitempty"`
	Pairs    int    `toml:"pairs,omitempty"`    // to measure at most; 0: mix.MostVerified
	Requests int    `toml:"requests,omitempty"` // answered in each measurement; 0: as many as a 99 % quantile needs
	Compare  bool   `toml:"compare,omitempty"`  // also measure the answer without turns
	Separate bool   `toml:"separate,omitempty"` // also evaluate a mode for each job, with the cost of a switch
}

// PairHeader describes what was measured beside the inference workload of a campaign, and what was searched for.
type PairHeader struct {
	Train  workload.Workload `toml:"train"`
	Load   arrivals.Spec     `toml:"load"`
	PowerW float64           `toml:"power_limit_w,omitempty"`
	PairAsked
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
	asked := h.PairAsked
	if asked.Strategy == "auto" { // "" of the screens is the same
		asked.Strategy = ""
	}
	list := given(h.Load, asked)
	if h.PowerW > 0 {
		list = append(list, fmt.Sprintf("at most %v W", h.PowerW))
	}
	return strings.Join(list, ", ")
}

// Pair is the result of a training and an inference job that shared a GPU in one setting. The row's time belongs to a
// minibatch, or to a batch without training; its power is the mean over everything.
type Pair struct {
	Policy    string  `csv:"policy"` // strict, fill, free, or alone: without training
	Tau       int     `csv:"tau"`    // of strict turns: the most minibatches between two batches; 0: as many as fit
	MaxWaitMS float64 `csv:"max_wait_ms"`
	// Each job alone in its setting, in turns without pauses: time of a turn and power.
	TrainAloneMS tegra.Val[float64] `csv:"train_alone_ms"`
	TrainAloneW  tegra.Val[float64] `csv:"train_alone_w"`
	InferAloneMS tegra.Val[float64] `csv:"infer_alone_ms"`
	InferAloneW  tegra.Val[float64] `csv:"infer_alone_w"`
	// Both: means of a turn, and rates.
	TrainMS     tegra.Val[float64] `csv:"train_turn_ms"`
	InferMS     tegra.Val[float64] `csv:"infer_turn_ms"`
	TrainPerS   float64            `csv:"train_per_s"`
	ServedPerS  float64            `csv:"pair_served_per_s"`
	MeanW       float64            `csv:"mean_w"`
	IdleShare   tegra.Val[float64] `csv:"idle_share"` // of the time in which neither had the GPU; absent without turns
	Latency     Latency            `csv:"latency_"`   // of the requests, their waiting included
	Late        int                `csv:"late_turns"` // minibatches of strict turns that ended after a batch was due
	Minibatches int                `csv:"train_turns"`
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

// Policies of a pair beside strict and fill.
const (
	Free  = "free"
	Alone = "alone"
)
