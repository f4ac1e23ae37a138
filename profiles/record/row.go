package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	Status       Status
	Why          string     // reason when Status is not ok
	Applied      tegra.Mode // read back; zero when no mode expresses it
	Minibatches  int        // clean ones
	PowerSamples int        // valid ones
	TimeIQRMS    float64    // quartile distance of the minibatch times
	PowerIQRW    float64
	// TimeMedianMS is the median of the minibatch times. A row without it comes from a version of jtune that recorded
	// medians of time and power, see Medians.
	TimeMedianMS tegra.Val[float64]
	StallMS      tegra.Val[float64] // means of the same minibatches; absent when one of them lacks it
	ComputeMS    tegra.Val[float64]
	OverheadMS   tegra.Val[float64]
	EnergyJ      float64 // per minibatch, from samples at their true times
	SettleS      float64 // from apply to steady power; for a mode over its limit, to its end
	TookS        float64 // the whole mode
	Raise        bool
	When         time.Time // calendar time of the end; zero when it is not known
	// Bare rows come from a foreign file. How they were measured (Applied to When) is unknown except for the parts of a
	// minibatch and the energy.
	Bare bool
	// Serving is what an inference job answered; nil for a training job.
	Serving *Served
	// Pair is the result of two jobs that shared a GPU; nil for one job.
	Pair *Pair
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

// LaterColumns is how many of the last of Columns a file of an older version of jtune lacks.
var LaterColumns = len(laterModes)

// laterModes are the columns that older versions of jtune did not write: the median, and one standard error in per
// cent.
var laterModes = []string{"time_median_ms", "time_error_pct", "power_error_pct"}

// Medians reports whether time and power of a measured row are medians: rows of versions of jtune before the mean
// became the measure, unless their minibatches and samples are there.
func (r *Row) Medians() bool { return r.Status.Usable() && !r.Bare && !r.TimeMedianMS.OK }

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// optional formats an absent value as an empty field.
func optional(v tegra.Val[float64]) string {
	if !v.OK {
		return ""
	}
	return decimal(v.V)
}

// Fields formats the row in the order of Columns. The time of an unusable row stays empty, so that readers of sweeps
// skip it, and so does its power, unless it was ended for that.
func (r Row) Fields() []string {
	f := sweep.Fields(r.Measured)
	if !r.Status.Usable() {
		f[4] = ""
		if r.Status != Over || r.PowerW == 0 {
			f[5] = ""
		}
	}
	f = slices.Concat(f, []string{string(r.Status), text.OneLine(r.Why)}, sweep.ModeFields(r.Applied), []string{
		strconv.Itoa(r.Minibatches), strconv.Itoa(r.PowerSamples), decimal(r.TimeIQRMS), decimal(r.PowerIQRW),
		optional(
			r.StallMS,
		), optional(r.ComputeMS), optional(r.OverheadMS), decimal(r.EnergyJ), decimal(r.SettleS), decimal(r.TookS),
		strconv.FormatBool(r.Raise), r.When.UTC().Format(time.RFC3339),
		optional(r.TimeMedianMS), optional(inPct(r.Errors.Time)), optional(inPct(r.Errors.Power))})
	if r.Bare {
		for i := 8; i < len(f); i++ {
			if !slices.Contains(knownWhenBare, Columns[i]) {
				f[i] = ""
			}
		}
	}
	return f
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

// parseSized is ParseRow for a file whose column after Columns is, when sized, the batch size.
func parseSized(f []string, sized bool) (Row, error) {
	r, err := ParseRow(f)
	if !sized || err != nil {
		return r, err
	}
	b, err := strconv.Atoi(r.Extra[0])
	if err != nil || b < 1 {
		return r, fmt.Errorf("%s cannot be read", SizeColumn)
	}
	r.Batch, r.Extra = b, r.Extra[1:]
	return r, nil
}

// ParseRow reads the fields of a line of modes.csv. Fields after Columns are kept as Extra.
func ParseRow(f []string) (Row, error) {
	if len(f) < len(Columns) {
		return Row{}, fmt.Errorf("%d fields where %d belong", len(f), len(Columns))
	}
	r := Row{Status: Status(f[6]), Why: f[7]}
	if !slices.Contains(statuses, r.Status) {
		return Row{}, fmt.Errorf("status is %q", text.Clip(f[6]))
	}
	known := f[:len(sweep.Columns)]
	if !r.Status.Usable() {
		known = f[:tegra.NumKnobs]
	}
	var err error
	if r.Measured, err = sweep.Parse(known); err != nil {
		return Row{}, err
	}
	if !r.Status.Usable() {
		r.TimeMS, r.PowerW = 0, 0
	}
	p := csvlines.Fields{Columns: Columns, List: f[:len(Columns)]}
	if r.Status == Over && f[5] != "" { // earlier versions wrote none
		p.At = 5
		r.PowerW = p.Number()
	}
	r.Extra = slices.Clone(f[len(Columns):])
	if r.Bare = f[12] == ""; r.Bare {
		p.At = 16
		r.StallMS, r.ComputeMS, r.OverheadMS, r.EnergyJ = p.Optional(), p.Optional(), p.Optional(), p.Number()
		return r, p.Err
	}
	p.At = 8
	r.Applied = p.Mode()
	r.Minibatches, r.PowerSamples = int(p.Whole()), int(p.Whole())
	r.TimeIQRMS, r.PowerIQRW = p.Number(), p.Number()
	r.StallMS, r.ComputeMS, r.OverheadMS = p.Optional(), p.Optional(), p.Optional()
	r.EnergyJ, r.SettleS, r.TookS = p.Number(), p.Number(), p.Number()
	r.Raise = p.Text() == "true"
	when, err := time.Parse(time.RFC3339, p.Text())
	if err != nil {
		p.Fail("when")
	}
	r.When = when
	r.TimeMedianMS = p.Optional()
	r.Errors = tegra.Errors{Time: p.Share(), Power: p.Share()}
	return r, p.Err
}

// RowsOf returns the rows of a campaign folder whose header is known.
func RowsOf(dir string, h Header) ([]Row, error) {
	rows, _, err := rowsOf(dir, h)
	return rows, err
}

func rowsOf(dir string, h Header) (rows []Row, notes []string, err error) {
	rows, notes, err = readRows(dir)
	return measuredAgain(dir, h, rows), notes, err
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
	text, err := safefile.Read(filepath.Join(dir, name), most(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("campaign folder: %w", err)
	}
	return text, nil
}

// readable returns an error when a line could not be read back from modes.csv: a value that is not a number, as foreign
// counters may produce, would lose the mode.
func (r *Record) readable(line []string) error {
	head := append(r.knownColumns(), r.extra...)
	if _, bad := parseRows([]byte(csvlines.Line(head) + csvlines.Line(line))); len(bad) > 0 {
		_, why, _ := strings.Cut(bad[0], "left out: ")
		return fmt.Errorf("the row could not be read again: %s", why)
	}
	return nil
}

func parseRows(text []byte) (rows []Row, bad []string) {
	var order columnOrder
	rows = make([]Row, 0, min(bytes.Count(text, []byte("\n")), mostRows)) // a row is large: no copies while they grow
	csvlines.Each(bytes.NewReader(text), func(n int, fields []string, err error) error {
		if n == 1 { // header
			order = orderOf(fields)
			return nil
		}
		var row Row
		switch {
		case err != nil:
		case len(fields) != order.width:
			err = fmt.Errorf("%d fields where %d belong", len(fields), order.width)
		default:
			if row, err = parseSized(order.fields(fields), order.sized); err == nil {
				err = row.takeServing(order.further)
			}
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

// columnOrder is where a file of modes has its columns.
type columnOrder struct {
	width   int
	later   []int // index of each of laterModes; -1 if the file lacks it
	sized   bool
	further []string // names of the columns after the known ones and the batch size
}

// orderOf finds laterModes in a header by name; the columns before them never moved.
func orderOf(header []string) columnOrder {
	o := columnOrder{later: make([]int, len(laterModes))}
	names := slices.Clone(header)
	for i, name := range laterModes {
		if o.later[i] = slices.Index(header, name); o.later[i] >= 0 {
			names = slices.DeleteFunc(names, func(n string) bool { return n == name })
		}
	}
	first := len(Columns) - len(laterModes)
	o.width = max(len(header), first+len(header)-len(names))
	o.further = slices.Clone(names[min(len(names), first):])
	if o.sized = len(o.further) > 0 && o.further[0] == SizeColumn; o.sized {
		o.further = o.further[1:]
	}
	return o
}

// fields returns the fields of a line with those of laterModes after the known ones, empty where the file lacks them.
func (o *columnOrder) fields(line []string) []string {
	first := len(Columns) - len(laterModes)
	out, rest := make([]string, 0, len(line)+len(laterModes)), []string(nil)
	for i, f := range line {
		switch {
		case slices.Contains(o.later, i):
		case len(out) < first:
			out = append(out, f)
		default:
			rest = append(rest, f)
		}
	}
	for _, i := range o.later {
		if i < 0 {
			out = append(out, "")
		} else {
			out = append(out, line[i])
		}
	}
	return append(out, rest...)
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
