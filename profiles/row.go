package profiles

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Rejected  Status = "rejected"  // the board did not take the mode
	TimedOut  Status = "timeout"   // too few minibatches in the time a mode may take
	Failed    Status = "failed"    // anything else; Why tells
)

var statuses = []Status{OK, Unstable, Throttled, Rejected, TimedOut, Failed}

// Usable tells whether time and power of such a row may be learnt from.
func (s Status) Usable() bool { return s == OK || s == Unstable }

// Row is one finished mode. Time and power are zero when Status is not usable.
type Row struct {
	tegra.Measured
	Status       Status
	Why          string     // reason when Status is not ok
	Applied      tegra.Mode // read back; zero when no mode expresses it
	Minibatches  int        // clean ones
	PowerSamples int        // valid ones
	TimeIQRMS    float64    // quartile distance of the minibatch times
	PowerIQRW    float64
	StallMS      tegra.Val[float64] // medians; absent when no minibatch tells
	ComputeMS    tegra.Val[float64]
	OverheadMS   tegra.Val[float64]
	EnergyJ      float64 // per minibatch, from samples at their true times
	SettleS      float64 // apply to steady power
	TookS        float64 // the whole mode
	Raise        bool
	When         time.Time // calendar time of the end; zero when it is not known
	// Bare rows are of a foreign file: how they were measured, from Applied
	// to When, is not known but for the parts of a minibatch and the energy.
	Bare bool
	// Character is what the run was like; nil in rows that were read back,
	// whose characters ReadRuns gives.
	Character *Character
	// Extra holds the texts of columns that jtune does not know, in the order
	// of the file's header.
	Extra []string
}

// Columns are those of modes.csv: a sweep file's first.
var Columns = slices.Concat(sweep.Columns, []string{"status", "why", "applied_cores", "applied_cpu_khz", "applied_gpu_hz", "applied_mem_hz",
	"minibatches", "power_samples", "time_iqr_ms", "power_iqr_w", "stall_ms", "compute_ms", "overhead_ms", "energy_j", "settle_s", "took_s", "raise", "when"})

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// optional prints an absent value as an empty field.
func optional(v tegra.Val[float64]) string {
	if !v.OK {
		return ""
	}
	return decimal(v.V)
}

// fields prints the row in the order of Columns. Time and power of a row that
// is not usable are left empty: whoever reads a sweep skips it.
func (r Row) fields() []string {
	f := sweep.Fields(r.Measured)
	if !r.Status.Usable() {
		f[4], f[5] = "", ""
	}
	applied := sweep.Fields(tegra.Measured{Mode: r.Applied})
	f = slices.Concat(f, []string{string(r.Status), oneLine(r.Why)}, applied[:4], []string{
		strconv.Itoa(r.Minibatches), strconv.Itoa(r.PowerSamples), decimal(r.TimeIQRMS), decimal(r.PowerIQRW),
		optional(r.StallMS), optional(r.ComputeMS), optional(r.OverheadMS), decimal(r.EnergyJ), decimal(r.SettleS), decimal(r.TookS),
		strconv.FormatBool(r.Raise), r.When.UTC().Format(time.RFC3339)})
	if r.Bare {
		for i, name := range Columns {
			if slices.Contains(unknownWhenBare, name) {
				f[i] = ""
			}
		}
	}
	return f
}

// unknownWhenBare are the columns that a bare row leaves empty.
var unknownWhenBare = []string{"applied_cores", "applied_cpu_khz", "applied_gpu_hz", "applied_mem_hz", "minibatches", "power_samples",
	"time_iqr_ms", "power_iqr_w", "settle_s", "took_s", "raise", "when"}

// oneLine keeps a text on one line of the record.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > 400 {
		s = strings.ToValidUTF8(s[:400], "") + "…"
	}
	return strings.TrimSpace(s)
}

// parseSized is parseRow of a file whose column behind Columns is, when sized,
// the minibatch size.
func parseSized(f []string, sized bool) (Row, error) {
	r, err := parseRow(f)
	if !sized || err != nil {
		return r, err
	}
	b, err := strconv.Atoi(r.Extra[0])
	if err != nil || b < 1 {
		return r, fmt.Errorf("%s cannot be read", sizeColumn)
	}
	r.Batch, r.Extra = b, r.Extra[1:]
	return r, nil
}

// parseRow reads the fields of a line of modes.csv; those beyond Columns are
// of columns that jtune does not know.
func parseRow(f []string) (Row, error) {
	if len(f) < len(Columns) {
		return Row{}, fmt.Errorf("%d fields where %d belong", len(f), len(Columns))
	}
	p := fieldParser{columns: Columns, fields: f[:len(Columns)]}
	r := Row{
		Measured: tegra.Measured{Mode: p.mode()},
		Status:   Status(f[6]),
		Why:      f[7],
	}
	if !slices.Contains(statuses, r.Status) {
		return Row{}, fmt.Errorf("status is %q", clip(f[6]))
	}
	if r.Mode.Cores <= 0 || r.Mode.CPU <= 0 || r.Mode.GPU <= 0 || r.Mode.EMC <= 0 {
		p.fail("power mode")
	}
	if r.Status.Usable() {
		r.TimeMS, r.PowerW = p.number(), p.number()
		if !(r.TimeMS > 0) || !(r.PowerW > 0) {
			p.fail("time or power")
		}
	}
	r.Extra = slices.Clone(f[len(Columns):])
	if r.Bare = f[12] == ""; r.Bare {
		p.at = 16
		r.StallMS, r.ComputeMS, r.OverheadMS, r.EnergyJ = p.optional(), p.optional(), p.optional(), p.number()
		return r, p.err
	}
	p.at = 8
	r.Applied = p.mode()
	r.Minibatches, r.PowerSamples = int(p.whole()), int(p.whole())
	r.TimeIQRMS, r.PowerIQRW = p.number(), p.number()
	r.StallMS, r.ComputeMS, r.OverheadMS = p.optional(), p.optional(), p.optional()
	r.EnergyJ, r.SettleS, r.TookS = p.number(), p.number(), p.number()
	r.Raise = p.text() == "true"
	when, err := time.Parse(time.RFC3339, p.text())
	if err != nil {
		p.fail("when")
	}
	r.When = when
	return r, p.err
}

// fieldParser reads fields one after another and keeps the first error.
type fieldParser struct {
	columns []string // their names
	fields  []string
	at      int
	err     error
}

func (p *fieldParser) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s cannot be read", what)
	}
}

func (p *fieldParser) text() string {
	p.at++
	return p.fields[p.at-1]
}

// number reads a value that is finite and not negative.
func (p *fieldParser) number() float64 {
	text := p.text()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		p.fail(p.columns[p.at-1])
		return 0
	}
	return v
}

// optional is a number that may be absent.
func (p *fieldParser) optional() tegra.Val[float64] {
	if p.fields[p.at] == "" {
		p.at++
		return tegra.Val[float64]{}
	}
	return tegra.Some(p.number())
}

// optionals are n numbers of which all are there or none; nil for none.
func (p *fieldParser) optionals(n int) (list []float64) {
	for range n {
		if v := p.optional(); v.OK {
			list = append(list, v.V)
		}
	}
	if len(list) != 0 && len(list) != n {
		p.fail(p.columns[p.at-n])
	}
	if len(list) < n {
		return nil
	}
	return list
}

// whole reads a count or a clock; none on a Jetson reaches 1e12.
func (p *fieldParser) whole() int64 {
	v, err := strconv.ParseInt(p.text(), 10, 64)
	if err != nil || v < 0 || v > 1e12 {
		p.fail(p.columns[p.at-1])
		return 0
	}
	return v
}

func (p *fieldParser) mode() tegra.Mode {
	return tegra.Mode{Cores: int(p.whole()), CPU: tegra.Freq(p.whole()) * tegra.KHz, GPU: tegra.Freq(p.whole()), EMC: tegra.Freq(p.whole())}
}
