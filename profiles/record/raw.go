package record

import (
	"slices"
	"strconv"
	"time"

	"jtune/internal/text"
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

// laterColumns is how many of the last known columns of a raw file older versions may lack.
const laterColumns = 2

// Why a minibatch or a sample does not count, in the column "why".
const (
	WhyBefore   = "begun before the mode was set"
	WhyFirst    = "first minibatch"
	WhySettling = "power settling"
	WhyJob      = "marked by the job"
	WhyEpoch    = "beyond the epochs asked for"
)

// goingOn returns the columns of a raw file; a file from an older jtune keeps its own.
func (r *Record) goingOn(name string, columns []string) []string {
	return asIn(r.columnsOf(name), columns)
}

// asIn returns the known columns that a header of jtune's has: all, or fewer in an older jtune's file.
func asIn(header, known []string) []string {
	if n := shared(header, known); n >= len(known)-laterColumns {
		return known[:n]
	}
	return known
}

// shared counts the leading columns that a header shares with the known ones.
func shared(header, known []string) int {
	n := 0
	for n < len(known) && n < len(header) && header[n] == known[n] {
		n++
	}
	return n
}

// headed returns the columns of a raw file by its header: the known ones (fewer from an older jtune), the batch size,
// and those of the rails.
func headed(header, known []string) []string {
	columns := asIn(header, known)
	if n := len(columns); n < len(header) && header[n] == SizeColumn {
		columns = slices.Concat(columns, []string{SizeColumn})
	}
	return slices.Concat(columns, railColumns(railsIn(header)))
}

// Minibatch records a raw minibatch; why is "" when it counts.
func (r *Record) Minibatch(s tegra.Setting, e harness.Event, why string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.minibatches == nil {
		return errClosed
	}
	line := slices.Concat([]string{seconds(e.T)}, sweep.ModeFields(s.Mode), []string{
		strconv.Itoa(e.Epoch),
		strconv.Itoa(e.Batch),
		decimal(e.TimeMS),
		optional(e.FetchMS),
		optional(e.StallMS),
		optional(e.ComputeMS),
		optional(e.OverheadMS),
		strconv.FormatBool(why == ""),
		text.OneLine(why),
		e.Job,
	})
	r.minibatches.Add(r.withSize(line[:r.minibatchWidth], s.Batch))
	return r.minibatches.Spill()
}

// Sample records a raw power sample, with the reason if it is not valid.
func (r *Record) Sample(s tegra.Setting, of telemetry.Sample) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.samples == nil {
		return errClosed
	}
	line := slices.Concat([]string{seconds(of.T)}, sweep.ModeFields(s.Mode), []string{
		optional(of.Reading.TotalW),
		strconv.FormatBool(of.Valid),
		text.OneLine(of.Why),
		optional(of.MeterW),
	})
	r.samples.Add(append(r.withSize(line[:r.sampleWidth], s.Batch), r.railFields(of.Reading)...))
	return r.samples.Spill()
}

// addEpochs keeps a line for each epoch of a run. It needs r.mu.
func (r *Record) addEpochs(s tegra.Setting, c Character) {
	for _, p := range c.Epochs {
		line := slices.Concat([]string{seconds(p.End)}, sweep.ModeFields(s.Mode), []string{
			strconv.Itoa(p.Epoch),
			strconv.Itoa(p.Minibatches),
			decimal(harness.RoundMS(float64(p.Span) / float64(time.Millisecond))),
			decimal(p.TimeMS),
			optional(p.StallMS),
			optional(p.ComputeMS),
			optional(p.OverheadMS),
			optional(p.PowerW),
			optional(p.EnergyJ),
		})
		r.epochs.Add(r.withSize(line, s.Batch))
	}
}

// seconds prints device time with a millisecond's digits.
func seconds(t time.Duration) string { return strconv.FormatFloat(t.Seconds(), 'f', 3, 64) }
