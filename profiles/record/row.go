package record

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/profiles/harness"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// Status is how measuring a mode ended.
type Status string

// Statuses.
const (
	OK        Status = "ok"
	Unstable  Status = "unstable"  // measured, but power never became steady
	Throttled Status = "throttled" // the board slowed itself: not a measurement of the mode
	Hot       Status = "hot"       // the board was close to its thermal limits, or they slowed it
	Misset    Status = "misset"    // a clock differed from its setting while the job ran
	Over      Status = "over"      // drew more than its step allows, and was ended early
	Rejected  Status = "rejected"  // the board did not take the mode
	TimedOut  Status = "timeout"   // too few minibatches within the mode's time limit
	Failed    Status = "failed"    // anything else, see Why
)

var statuses = []Status{OK, Unstable, Throttled, Hot, Misset, Over, Rejected, TimedOut, Failed}

// Usable reports whether a model may be fitted to time and power of such a row.
func (s Status) Usable() bool { return s == OK || s == Unstable }

// Row is one finished mode. Time and power are zero when Status is not usable, except the power that ended a mode.
type Row struct {
	tegra.Measured
	Status       Status     `csv:"status"`
	Why          string     `csv:"why"`           // reason when Status is not ok
	Applied      tegra.Mode `csv:"applied_"`      // read back; zero when no mode expresses it
	Minibatches  int        `csv:"minibatches"`   // clean ones
	PowerSamples int        `csv:"power_samples"` // valid ones
	TimeIQRMS    float64    `csv:"time_iqr_ms"`   // quartile distance of the minibatch times
	PowerIQRW    float64    `csv:"power_iqr_w"`
	// TimeMedianMS is the median of the minibatch times. A row without it comes from a version of jtune that recorded
	// medians of time and power, see Medians.
	TimeMedianMS tegra.Val[float64] `csv:"time_median_ms"`
	StallMS      tegra.Val[float64] `csv:"stall_ms"` // means of the same minibatches; absent when one of them lacks it
	ComputeMS    tegra.Val[float64] `csv:"compute_ms"`
	OverheadMS   tegra.Val[float64] `csv:"overhead_ms"`
	EnergyJ      float64            `csv:"energy_j"` // per minibatch, from samples at their true times
	SettleS      float64            `csv:"settle_s"` // from apply to steady power; of a mode over its limit to its end
	TookS        float64            `csv:"took_s"`   // the whole mode
	Raise        bool               `csv:"raise"`
	When         time.Time          `csv:"when"` // calendar time of the end; zero when it is not known
	// Bare rows come from a foreign file. How they were measured (Applied to When) is unknown except for the parts of a
	// minibatch and the energy.
	Bare bool
	// Serving is what an inference job answered; nil for a training job.
	Serving *Served `csv:""`
	// Pair is the result of two jobs that shared a GPU; nil for one job.
	Pair *Pair `csv:""`
	// Character sums up the run; nil in rows that were read back, whose characters ReadRuns
	// returns.
	Character *Character
	// Extra holds the texts of columns that jtune does not know, in the order
	// of the file's header.
	Extra []string
}

// Thresholds for samples that do not belong to their mode.
const (
	// ClockTolerance is how far a clock that follows its set value may be off it,
	// as a share of that value.
	ClockTolerance = 0.05
	// MissetTolerance is the same for a clock that is locked while it is measured.
	MissetTolerance = tegra.ClockTolerance
	// ThrottledShare is the share of samples that makes a mode throttled, or hot.
	ThrottledShare = 0.1
)

// Columns are the columns of modes.csv: a sweep file's first.
var Columns = slices.Concat(sweep.Columns, []string{
	"status", "why",
	"applied_cores", "applied_cpu_khz", "applied_gpu_hz", "applied_mem_hz",
	"minibatches", "power_samples",
	"time_iqr_ms", "power_iqr_w", "stall_ms", "compute_ms", "overhead_ms", "energy_j",
	"settle_s", "took_s", "raise", "when",
}, laterModes)

// LaterColumns is how many of the last of Columns a file of medians lacks.
var LaterColumns = len(laterModes)

// laterModes are the columns that a file of medians lacks: the median, and one standard error in per cent.
var laterModes = []string{"time_median_ms", "time_error_pct", "power_error_pct"}

// Medians reports whether time and power of a measured row are medians, as an import keeps them.
func (r *Row) Medians() bool { return r.Status.Usable() && !r.Bare && !r.TimeMedianMS.OK }

// rowLine is a line of modes.csv. Batch size, time and power come from its Measured.
type rowLine struct {
	Row           `csv:""`
	TimeErrorPct  tegra.Val[float64] `csv:"time_error_pct"`
	PowerErrorPct tegra.Val[float64] `csv:"power_error_pct"`
	Size          tegra.Val[int]     `csv:"bs"`
	Kind          string             `csv:"kind"`
	Prefill       PhaseOfServing     `csv:"prefill_"`
	Decode        PhaseOfServing     `csv:"decode_"`
	Timed         tegra.Val[int]     `csv:"requests_timed"`
	PeakW         tegra.Val[float64] `csv:"peak_w"` // this and the next two: not read, as they follow from the others
	MinibatchJ    tegra.Val[float64] `csv:"minibatch_j"`
	RequestJ      tegra.Val[float64] `csv:"request_j"`
}

// rowCodec prints and reads the lines of a modes.csv.
type rowCodec struct {
	csvlines.Codec[rowLine]
	sweeps bool // it begins with the columns of a sweep file
	sized  bool
	extra  []int // its columns that jtune does not know
}

// ownRows is the codec of Columns.
var ownRows = newRowCodec(Columns)

// newRowCodec returns the codec of a file with that header. The columns of serving and of a pair are jtune's only where
// all of them are there: tables of others have columns of the same names.
func newRowCodec(header []string) (c rowCodec) {
	known := append(slices.Clone(Columns), SizeColumn)
	for _, more := range [][]string{servingColumns[:len(servingColumns)-2*phaseColumns], pairColumns} {
		if !slices.ContainsFunc(more, func(name string) bool { return !slices.Contains(header, name) }) {
			known = append(known, more...)
			if more[0] == servingColumns[0] {
				known = append(known, servingColumns...)
			}
		}
	}
	names := slices.Clone(header)
	for i, name := range names {
		if !slices.Contains(known, name) || slices.Index(header, name) < i {
			names[i], c.extra = "", append(c.extra, i)
		}
	}
	n := len(sweep.Columns)
	c.sweeps, c.sized = len(header) > n && slices.Equal(header[:n], sweep.Columns), slices.Contains(names, SizeColumn)
	c.Codec = csvlines.NewCodec[rowLine](names)
	return c
}

// print prints a row. The time of an unusable row stays empty, so that readers of sweeps skip it. So does its power,
// unless it was ended for that.
func (c *rowCodec) print(r Row) []string {
	l := rowLine{Row: r, TimeErrorPct: inPct(r.Errors.Time), PowerErrorPct: inPct(r.Errors.Power),
		Size: tegra.Some(r.Batch)}
	if s := r.Serving; s != nil {
		l.Kind = servingKind
		for _, p := range s.Phases {
			*l.phase(p.Phase) = p
		}
	}
	if p := r.Pair; p != nil {
		l.Timed, l.PeakW = tegra.Some(p.Latency.N), tegra.Some(p.PeakW())
		l.MinibatchJ, l.RequestJ = p.MinibatchJ(), p.RequestJ(r.Batch)
	}
	line, head := c.Print(&l), sweep.Fields(r.Measured)
	if !r.Status.Usable() {
		head[4] = ""
		if r.Status != Over || r.PowerW == 0 {
			head[5] = ""
		}
	}
	copy(line, head)
	for i, name := range c.Columns {
		if r.Bare && emptyWhenBare(name) {
			line[i] = ""
		}
	}
	for i := range min(len(c.extra), len(r.Extra)) {
		line[c.extra[i]] = r.Extra[i]
	}
	return line
}

// phase returns the columns of a phase.
func (l *rowLine) phase(name string) *PhaseOfServing {
	if name == Prefill {
		return &l.Prefill
	}
	return &l.Decode
}

// read reads a line.
func (c *rowCodec) read(line []string) (Row, error) {
	l, empty, err := c.Read(line)
	r := l.Row
	switch {
	case err != nil:
		return r, err
	case !c.sweeps:
		return r, csvlines.Unreadable(sweep.Columns[0])
	case !slices.Contains(statuses, r.Status):
		return r, fmt.Errorf("status is %q", text.Clip(string(r.Status)))
	}
	known := line[:len(sweep.Columns)]
	if !r.Status.Usable() {
		known = known[:tegra.NumKnobs]
	}
	if r.Measured, err = sweep.Parse(known); err != nil {
		return r, err
	}
	if !r.Status.Usable() {
		r.TimeMS, r.PowerW = 0, 0
	}
	if r.Status == Over && line[5] != "" { // earlier versions wrote none
		var ok bool
		if r.PowerW, ok = csvlines.Number(line[5]); !ok {
			return r, csvlines.Unreadable(sweep.Columns[5])
		}
	}
	r.Bare = slices.Contains(empty, "minibatches")
	for _, name := range empty {
		if !r.Bare || !emptyWhenBare(name) {
			return r, csvlines.Unreadable(name)
		}
	}
	if c.sized && l.Size.V < 1 {
		return r, csvlines.Unreadable(SizeColumn)
	}
	r.Batch = l.Size.V
	r.Errors = tegra.Errors{Time: ofPct(l.TimeErrorPct), Power: ofPct(l.PowerErrorPct)}
	if s := r.Serving; s != nil {
		s.Latency.N = s.Requests
		for _, name := range []string{Prefill, Decode} {
			if p := *l.phase(name); p.PerS.OK {
				p.Phase = name
				s.Phases = append(s.Phases, p)
			}
		}
	}
	if l.Kind != "" && l.Kind != servingKind || (l.Kind == "") != (r.Serving == nil) {
		return r, fmt.Errorf("kind is %q", text.Clip(l.Kind))
	}
	if r.Pair != nil {
		r.Pair.Latency.N = l.Timed.V
	}
	for _, i := range c.extra {
		r.Extra = append(r.Extra, line[i])
	}
	return r, nil
}

// Fields formats the row in the order of Columns.
func (r Row) Fields() []string { return ownRows.print(r) }

// ParseRow reads what Fields formats.
func ParseRow(f []string) (Row, error) { return ownRows.read(f) }

// emptyWhenBare reports whether a bare row lacks a column.
func emptyWhenBare(column string) bool {
	return slices.Index(Columns, column) > slices.Index(Columns, "why") && !slices.Contains(knownWhenBare, column)
}

// ofPct converts per cent to a share.
func ofPct(pct tegra.Val[float64]) tegra.Val[float64] {
	pct.V = math.Round(1e4*pct.V) / 1e6
	return pct
}

// inPct converts a share to per cent, without the digits that an error does not have.
func inPct(share tegra.Val[float64]) tegra.Val[float64] {
	share.V = math.Round(1e6*share.V) / 1e4
	return share
}

// SetParts sets the means of the parts of the minibatches.
func (r *Row) SetParts(clean []harness.Event) {
	r.StallMS = part(clean, func(e harness.Event) tegra.Val[float64] { return e.StallMS })
	r.ComputeMS = part(clean, func(e harness.Event) tegra.Val[float64] { return e.ComputeMS })
	r.OverheadMS = part(clean, func(e harness.Event) tegra.Val[float64] { return e.OverheadMS })
}

// part is the mean of a part of the clean minibatches; absent when one of them lacks it.
func part(clean []harness.Event, of func(harness.Event) tegra.Val[float64]) tegra.Val[float64] {
	sum := 0.0
	for _, e := range clean {
		v := of(e)
		if !v.OK {
			return v
		}
		sum += v.V
	}
	return tegra.Val[float64]{V: harness.RoundMS(sum / float64(max(1, len(clean)))), OK: len(clean) > 0}
}

// RoundW removes the rounding errors of summing rails in watts; sensors resolve microwatts at best.
func RoundW(w float64) float64 { return math.Round(w*1e9) / 1e9 }

// knownWhenBare are the columns after the status that a bare row has.
var knownWhenBare = []string{"stall_ms", "compute_ms", "overhead_ms", "energy_j"}

// RowsOf returns the rows of a campaign folder.
func RowsOf(dir string) ([]Row, error) {
	rows, _, err := readRows(dir)
	return withErrors(rows), err
}

// readRows reads modes.csv. A line that is not a row is reported in bad and left out; its mode
// will be measured again.
func readRows(dir string) (rows []Row, bad []string, err error) {
	data, err := readIfThere(dir, modesName)
	if bytes.Count(data, []byte("\n")) > mostRows+1 {
		return nil, nil, fmt.Errorf("campaign folder %s: %w", dir, errRows)
	}
	rows, bad = parseRows(data)
	return rows, bad, err
}

// readIfThere reads a file of a folder; nil if it does not exist.
func readIfThere(dir, name string) ([]byte, error) {
	text, err := safefile.ReadIfThere(filepath.Join(dir, name), most(name))
	if err != nil {
		return nil, fmt.Errorf("campaign folder: %w", err)
	}
	return text, nil
}

// readable returns an error when a line could not be read back from modes.csv: a value that is not a number, as foreign
// counters may produce, would lose the mode.
func (r *Record) readable(line []string) error {
	if _, err := r.rowCodec.read(line); err != nil {
		return fmt.Errorf("the row could not be read again: %w", err)
	}
	return nil
}

func parseRows(text []byte) (rows []Row, bad []string) {
	var codec rowCodec
	rows = make([]Row, 0, min(bytes.Count(text, []byte("\n")), mostRows)) // a row is large: no copies while they grow
	csvlines.Each(bytes.NewReader(text), func(n int, fields []string, err error) error {
		if n == 1 { // header
			codec = newRowCodec(fields)
			return nil
		}
		var row Row
		if err == nil {
			row, err = codec.read(fields)
		}
		if err != nil {
			bad = append(bad, unreadable(modesName, n, err))
			return err
		}
		rows = append(rows, row)
		return nil
	})
	return rows, bad
}

// unreadable is the note on a line that is left out.
func unreadable(file string, n int, err error) string {
	return fmt.Sprintf("%s: line %d is unreadable and left out: %v", file, n, err)
}

// Modes returns the settings of the rows, usable or not, each once and in order. Everything that counts modes uses it.
func Modes(rows []Row) (out []tegra.Setting) {
	seen := map[tegra.Setting]bool{}
	for _, r := range rows {
		if !seen[r.Setting] {
			seen[r.Setting] = true
			out = append(out, r.Setting)
		}
	}
	return out
}

// Usable returns the rows that a model may be fitted to.
func Usable(rows []Row) []tegra.Measured {
	var out []tegra.Measured
	for _, r := range rows {
		if r.Status.Usable() {
			out = append(out, r.Measured)
		}
	}
	return out
}
