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

// jobColumn says which of two jobs a line of a pair's minibatches.csv is of; other records do without.
const jobColumn = "job"

// laterColumns are the last known ones of a raw file that not every jtune wrote.
const laterColumns = 2

// Why a minibatch or a sample does not count, in the column "why".
const (
	WhyBefore   = "begun before the mode was set"
	WhyFirst    = "first minibatch"
	WhySettling = "power settling"
	WhyJob      = "marked by the job"
	WhyEpoch    = "beyond the epochs asked for"
)

// goingOn are the columns of a raw file: one that an older jtune began keeps its own.
func (r *Record) goingOn(name string, columns []string) []string {
	there := r.columnsOf(name)
	n, rails := shared(there, columns), len(railColumns(railsIn(there)))
	if n < len(columns)-laterColumns || n < len(there)-rails && there[n] != SizeColumn &&
		there[n] != sweep.VirtualColumn {
		return columns
	}
	return columns[:n]
}

// shared counts the columns that a header has of those known, from the first on.
func shared(header, known []string) int {
	n := 0
	for n < len(known) && n < len(header) && header[n] == known[n] {
		n++
	}
	return n
}

// headed are the columns of a raw file by its header: those known, of an older jtune perhaps, the batch size, and the
// rails'.
func headed(header, known []string) []string {
	n := shared(header, known)
	if n < len(known)-laterColumns { // no file of jtune's
		return known
	}
	columns := known[:n]
	if n < len(header) && header[n] == SizeColumn {
		columns = slices.Concat(columns, []string{SizeColumn})
	}
	return slices.Concat(columns, railColumns(railsIn(header)))
}

// Minibatch keeps a raw minibatch; why is "" where it counts.
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
	r.minibatches.add(r.withSize(line[:r.minibatchWidth], s.Batch))
	return r.minibatches.spill()
}

// Sample keeps a raw power sample. One that is not valid has its reason.
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
	r.samples.add(append(r.withSize(line[:r.sampleWidth], s.Batch), r.railFields(of.Reading)...))
	return r.samples.spill()
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
		r.epochs.add(r.withSize(line, s.Batch))
	}
}

// seconds prints device time with a millisecond's digits.
func seconds(t time.Duration) string { return strconv.FormatFloat(t.Seconds(), 'f', 3, 64) }
