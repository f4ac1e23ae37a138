package record

import (
	"cmp"
	"slices"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/telemetry"
)

// The raw files of a campaign: every power sample and every minibatch, those that do not count marked with the reason,
// and a line for each epoch of each run.
var (
	sampleColumns = slices.Concat([]string{"t_s"}, sweep.Columns[:4],
		[]string{"power_w", "valid", "why", "meter_w"})
	minibatchColumns = slices.Concat(
		[]string{"t_s"},
		sweep.Columns[:4],
		[]string{"epoch", "batch", "time_ms", "fetch_ms", "stall_ms", "compute_ms", "overhead_ms", "clean", "why",
			jobColumn},
	)
	epochColumns = slices.Concat(
		[]string{"t_s"},
		sweep.Columns[:4],
		[]string{"epoch", "minibatches", "epoch_ms", "time_ms", "stall_ms", "compute_ms", "overhead_ms", "power_w",
			"energy_j"},
	)
)

// jobColumn says to which of two jobs a line of a pair's minibatches.csv belongs; other records have no such column.
const jobColumn = "job"

// Why a minibatch or a sample does not count, in the column "why".
const (
	WhyBefore   = "begun before the mode was set"
	WhyFirst    = "first minibatch"
	WhySettling = "power settling"
	WhyJob      = "marked by the job"
	WhyEpoch    = "beyond the epochs asked for"
)

// sampleLine is a line of samples.csv; the columns of other sensors and of the rails follow.
type sampleLine struct {
	T          float64 `csv:"t_s,.3"`
	tegra.Mode `csv:""`
	PowerW     tegra.Val[float64]   `csv:"power_w"`
	Valid      bool                 `csv:"valid"`
	Why        string               `csv:"why"`
	MeterW     tegra.Val[float64]   `csv:"meter_w"`
	Size       tegra.Val[int]       `csv:"bs"`
	sensors    []tegra.Val[float64] // by metric.Sensed
	rails      Rails
}

// minibatchLine is a line of minibatches.csv.
type minibatchLine struct {
	T          float64 `csv:"t_s,.3"`
	tegra.Mode `csv:""`
	Epoch      int                `csv:"epoch"`
	Batch      int                `csv:"batch"`
	TimeMS     float64            `csv:"time_ms"`
	FetchMS    tegra.Val[float64] `csv:"fetch_ms"`
	StallMS    tegra.Val[float64] `csv:"stall_ms"`
	ComputeMS  tegra.Val[float64] `csv:"compute_ms"`
	OverheadMS tegra.Val[float64] `csv:"overhead_ms"`
	Clean      bool               `csv:"clean"`
	Why        string             `csv:"why"`
	Job        string             `csv:"job"`
	Size       tegra.Val[int]     `csv:"bs"`
}

// epochLine is a line of epochs.csv.
type epochLine struct {
	T          float64 `csv:"t_s,.3"`
	tegra.Mode `csv:""`
	Part       `csv:""`
	EpochMS    float64        `csv:"epoch_ms"`
	Size       tegra.Val[int] `csv:"bs"`
}

// Minibatch records a raw minibatch; why is "" when it counts.
func (r *Record) Minibatch(s tegra.Setting, e harness.Event, why string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.minibatches == nil {
		return errClosed
	}
	r.minibatches.Add(r.minibatchCodec.Print(&minibatchLine{e.T.Seconds(), s.Mode, e.Epoch, e.Batch, e.TimeMS,
		e.FetchMS, e.StallMS, e.ComputeMS, e.OverheadMS, why == "", why, e.Job, tegra.Some(s.Batch)}))
	return r.minibatches.Spill()
}

// Settled returns a sample as it is recorded: while power settles it is not valid.
func Settled(s telemetry.Sample, settled bool) telemetry.Sample {
	if !settled {
		s.Valid, s.Why = false, cmp.Or(s.Why, WhySettling)
	}
	return s
}

// Sample records a raw power sample, with the reason if it is not valid.
func (r *Record) Sample(s tegra.Setting, of telemetry.Sample) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.samples == nil {
		return errClosed
	}
	line := sampleLine{T: of.T.Seconds(), Mode: s.Mode, PowerW: of.Reading.TotalW, Valid: of.Valid, Why: of.Why,
		MeterW: of.MeterW, Size: tegra.Some(s.Batch)}
	line.takes(of.Reading)
	r.samples.Add(r.sampleCodec.Print(&line))
	return r.samples.Spill()
}

// addEpochs keeps a line for each epoch of a run. It needs r.mu.
func (r *Record) addEpochs(s tegra.Setting, c Character) {
	for _, p := range c.Epochs {
		r.epochs.Add(r.epochCodec.Print(&epochLine{p.End.Seconds(), s.Mode, p,
			harness.RoundMS(float64(p.Span) / float64(time.Millisecond)), tegra.Some(s.Batch)}))
	}
}
