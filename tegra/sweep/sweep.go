// Package sweep reads and writes sweep files: one row per power mode with a workload's time and power.
//
//	modes.csv, published sweeps ──► Read ──► Table ──► virtual, profiles, learn, cli
//	tegra.Measured ──► Fields ──► a row of modes.csv
package sweep

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/tegra"
)

// Columns are the required columns in file order.
var Columns = []string{"cores", "cpu_khz", "gpu_hz", "mem_hz", "time_ms", "power_w"}

// VirtualColumn is true for a row from a simulation or replay, false for a real board. Files from other programs and
// older versions lack it.
const VirtualColumn = "virtual"

// ModeColumn holds modes in compact notation, such as 12c/2.20C/1.30G/3.20M, in a file without the four columns of
// their values.
const ModeColumn = "mode"

// alias is another name of one of Columns; unit converts its values to that column's.
type alias struct {
	column string
	unit   float64
}

// aliases are column names of published data without their unit: PowerTrain's, and FlexiBO's of a TX2 (time in s).
var aliases = map[string]alias{"cpu": {"cpu_khz", 1}, "gpu": {"gpu_hz", 1}, "mem": {"mem_hz", 1},
	"observed_time": {"time_ms", 1}, "observed_power": {"power_w", 1},
	"core_freq": {"cpu_khz", 1}, "gpu_freq": {"gpu_hz", 1}, "emc_freq": {"mem_hz", 1},
	"inference_time": {"time_ms", 1000}}

// named matches a quantity with its unit, as in cpu_mhz, "Power (mW)" or time_ms_median.
var named = regexp.MustCompile(
	`^(cpu|gpu|mem|emc|time|power)(?:_freq)?[ _]*[(\[]?([gmk]?hz|[mu]?s|m?w)[)\]]?(?:_median)?$`)

// quantities are the columns of named's quantities, and units its units in those of the columns.
var (
	quantities = map[string]alias{"cpu": {"cpu_khz", 1e-3}, "gpu": {"gpu_hz", 1}, "mem": {"mem_hz", 1},
		"emc": {"mem_hz", 1}, "time": {"time_ms", 1e3}, "power": {"power_w", 1}}
	units = map[string]float64{"hz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9, "s": 1, "ms": 1e-3, "us": 1e-6, "w": 1,
		"mw": 1e-3}
)

// aliasOf returns the column that a name means; the name itself for an unknown one.
func aliasOf(name string) alias {
	if a, ok := aliases[name]; ok {
		return a
	}
	m := named.FindStringSubmatch(name)
	if m == nil || strings.HasSuffix(m[2], "hz") != strings.HasSuffix(quantities[m[1]].column, "hz") ||
		strings.HasSuffix(m[2], "s") != (m[1] == "time") {
		return alias{name, 1}
	}
	of := quantities[m[1]]
	return alias{of.column, of.unit * units[m[2]]}
}

// coreStatus matches FlexiBO's columns for whether a core is on, 1 or 0; their sum is the number of cores.
var coreStatus = regexp.MustCompile(`^core\d+_status$`)

// soundsLikePower reports whether an unknown column may be power under another name, so that the file is not said to
// lack power.
func soundsLikePower(column string) bool {
	return column != notPower && likePower.MatchString(column)
}

var likePower = regexp.MustCompile(`power|watt|_m?w$`)

// notPower is a FlexiBO column: the sum of all readings during an inference, which grows with its time.
const notPower = "power_consumption"

// Problem is a skipped row and the reason.
type Problem struct {
	Line int
	Why  string
}

func (p Problem) String() string { return fmt.Sprintf("line %d: %s", p.Line, p.Why) }

// Table is a sweep file in memory.
type Table struct {
	Name     string
	Rows     []Row
	Extra    []string // names of the unknown columns
	Rounded  bool     // the clocks are as written in ModeColumn
	TimeOnly bool     // no row has power
	Problems []Problem
	Copies   int    // identical rows that were dropped: each group is one reading
	Doubt    string // what looks wrong about the rows as a whole; "" for nothing
}

// Options are the options of Read and ReadFile.
type Options struct {
	// Strict makes the first bad row fatal.
	Strict bool
	// ModesOnly requires only the four knob columns (predict --modes).
	ModesOnly bool
	// Space reads the column ModeColumn; nil: its clocks as written. With ModesOnly it also accepts a list without a
	// header; Space.Select then reads each line.
	Space *tegra.Space
	// Absent, in such a list, also accepts modes that Space does not have, with the values as typed.
	Absent bool
	// Presets may be named in such a list.
	Presets []tegra.Preset
	// TimeOnly also accepts a file without a power column; its rows have none. A column that may be power under another
	// name is still an error.
	TimeOnly bool
}

// Limits of a file, in addition to those of package safefile.
const (
	mostBytes   = 32 << 20
	mostLines   = 100_000 // three times the modes of the largest board, including bad, empty and duplicate lines
	mostColumns = 1000
	mostCells   = 2_000_000
	mostClocks  = 1000 // per knob; boards list a few dozen
	// hopeless is the number of bad rows without a good one at which reading stops.
	hopeless = 10_000
)

// ReadFile reads a sweep file, or the modes.csv of a campaign folder.
func ReadFile(path string, o Options) (*Table, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		path = filepath.Join(path, "modes.csv")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, o)
}

// Read reads a sweep. It skips rows that do not parse, or hold NaN or a value that is not positive, and lists them in
// Problems. Each line is one row, so an unclosed quote affects only its line. No usable row is an error, except in an
// empty list of modes. Rows identical in every digit, including unknown columns, count as one reading.
func Read(r io.Reader, name string, o Options) (*Table, error) {
	t := &Table{Name: name}
	r = safefile.Lines(safefile.Most(r, mostBytes))
	if o.ModesOnly && o.Space != nil {
		from := bufio.NewReader(r)
		if r = from; selects(from, o.Presets) {
			return t, t.selections(from, o)
		}
	}
	l := NewLines(r, mostLines)
	place, err := t.header(l, o)
	if err != nil {
		return nil, err
	}
	seen := map[uint64]int{} // row indices by hash
	cells := 0
	for {
		record, err := l.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if cells += len(record); cells > mostCells {
			return nil, fmt.Errorf("%s: more than %s cells", name, text.Thousands(mostCells))
		}
		var row Row
		var bad *csv.ParseError
		switch {
		case errors.As(err, &bad):
			err = bad.Err // its line number is not the file's
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		default:
			row, err = place.row(record, o)
		}
		if err != nil {
			p := Problem{l.Number, err.Error()}
			if o.Strict {
				return nil, fmt.Errorf("%s: %s", name, p)
			}
			t.Problems = append(t.Problems, p)
			if len(t.Rows) == 0 && len(t.Problems) >= hopeless {
				break
			}
			continue
		}
		if !o.ModesOnly {
			hash := row.hash()
			if i, ok := seen[hash]; ok && row.alike(t.Rows[i]) {
				t.Copies++
				continue
			}
			seen[hash] = len(t.Rows)
		}
		row.Line = l.Number
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		if len(t.Problems) > 0 {
			return nil, fmt.Errorf("%s: no usable row; first problem: %s", name, t.Problems[0])
		}
		if !o.ModesOnly {
			return nil, fmt.Errorf("%s: header only, no measured modes", name)
		}
	}
	if all := t.Readings(); !o.ModesOnly {
		if err := cmp.Or(scattered(all), Swapped(all)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t.Doubt = doubt(all)
	}
	return t, nil
}

// Parse reads fields in the order of Columns: a mode, or a mode with its time and power. An absent value is NaN.
func Parse(fields []string) (tegra.Measured, error) { return parse(fields, nil) }

// parse is Parse with values multiplied by units first; nil: the units of Columns.
func parse(fields []string, units []float64) (tegra.Measured, error) {
	v := [6]float64{4: math.NaN(), 5: math.NaN()}
	for i, raw := range fields {
		x, err := number(Columns[i], raw)
		if err != nil {
			return tegra.Measured{}, err
		}
		if v[i] = x; units != nil {
			v[i] *= units[i]
		}
	}
	if err := plausible(v[0], v[1], v[2], v[3]); err != nil {
		return tegra.Measured{}, err
	}
	mode := tegra.Mode{Cores: int(v[0]), CPU: hertz(v[1]) * tegra.KHz, GPU: hertz(v[2]), EMC: hertz(v[3])}
	m := tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: v[4], PowerW: v[5]}
	return m, m.Plausible()
}

// number parses the value of a column.
func number(column, raw string) (float64, error) {
	raw = strings.TrimSpace(raw)
	v, err := strconv.ParseFloat(raw, 64)
	switch {
	case strings.ContainsAny(raw, "_xX"), err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%s is %q, not a number", column, text.Clip(raw))
	case v <= 0:
		return 0, fmt.Errorf("%s is %s, must be positive", column, raw)
	}
	return v, nil
}

func hertz(v float64) tegra.Freq { return tegra.Freq(math.Round(v)) }

// plausible rejects values in the wrong unit: the slowest clock a Jetson lists is 40.8 MHz (TX2 memory), the fastest
// 4.3 GHz.
func plausible(cores, cpuKHz, gpuHz, memHz float64) error {
	switch {
	case cores != math.Trunc(cores) || cores > 1024:
		return fmt.Errorf("cores is %g, not a core count", cores)
	case math.Abs(cpuKHz-math.Round(cpuKHz)) > 1e-3: // more than unit conversion can leave
		return fmt.Errorf("cpu_khz is %g, not a whole number of kHz", cpuKHz)
	case cpuKHz > 2e7:
		return fmt.Errorf("cpu_khz is %.0f: looks like Hz where kHz belongs", cpuKHz)
	case cpuKHz < 2e4:
		return fmt.Errorf("cpu_khz is %g: looks like MHz where kHz belongs", cpuKHz)
	case gpuHz < 2e7:
		return fmt.Errorf("gpu_hz is %.0f: looks like kHz where Hz belongs", gpuHz)
	case memHz < 2e7:
		return fmt.Errorf("mem_hz is %.0f: looks like kHz where Hz belongs", memHz)
	case gpuHz > 2e10 || memHz > 2e10:
		return fmt.Errorf("gpu_hz %.0f or mem_hz %.0f is above 20 GHz", gpuHz, memHz)
	}
	return nil
}

// ForBatches returns the rows with one of these batch sizes.
func (t *Table) ForBatches(sizes []int) *Table {
	kept := *t
	kept.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return !slices.Contains(sizes, r.Batch) })
	return &kept
}

// Workload returns the common value of the column "workload"; "" without one, or if rows differ.
func (t *Table) Workload() string {
	at := slices.Index(t.Extra, "workload")
	if at < 0 || len(t.Rows) == 0 {
		return ""
	}
	first := t.Rows[0].Extra[at]
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Extra[at] != first }) {
		return ""
	}
	return first
}

// Virtual reports whether VirtualColumn marks any row as not measured on a real board.
func (t *Table) Virtual() bool {
	at := slices.Index(t.Extra, VirtualColumn)
	return at >= 0 && slices.ContainsFunc(t.Rows, func(r Row) bool { return strings.TrimSpace(r.Extra[at]) == "true" })
}

// Batches lists the batch sizes in the file, ascending; tegra.Own without their column.
func (t *Table) Batches() []int {
	return tegra.BatchSizes(tegra.SettingsOf(t.Readings()))
}

// Readings returns all rows as measurements with their batch sizes.
func (t *Table) Readings() []tegra.Measured {
	out := make([]tegra.Measured, len(t.Rows))
	for i, r := range t.Rows {
		out[i] = r.Measured
	}
	return out
}

// Measured returns one measurement per distinct mode, the median of repeats, in order of first appearance.
func (t *Table) Measured() []tegra.Measured {
	rows := t.Readings()
	for i := range rows {
		rows[i].Batch = 0
	}
	return tegra.OncePerSetting(rows)
}

// Settings is Measured per distinct mode and batch size.
func (t *Table) Settings() []tegra.Measured { return tegra.OncePerSetting(t.Readings()) }

// Modes lists the distinct modes in the order of first appearance.
func (t *Table) Modes() []tegra.Mode {
	return tegra.ModesOf(tegra.SettingsOf(t.Measured()))
}

// ModeFields prints a mode's columns as in files.
func ModeFields(m tegra.Mode) []string {
	v := m.Values()
	v[tegra.KnobCPU] /= int64(tegra.KHz)
	var out []string
	for _, x := range v {
		out = append(out, strconv.FormatInt(x, 10))
	}
	return out
}

// ParseMode reads what ModeFields prints.
func ParseMode(fields []string) (tegra.Mode, error) {
	var v [tegra.NumKnobs]int64
	if len(fields) != len(v) {
		return tegra.Mode{}, errors.New("want cores, CPU kHz, GPU Hz and memory Hz")
	}
	for i, f := range fields {
		var err error
		if v[i], err = strconv.ParseInt(f, 10, 64); err != nil || v[i] <= 0 || v[i] > 1e12 {
			return tegra.Mode{}, fmt.Errorf("%q is not a value of a power mode", text.Clip(f))
		}
	}
	v[tegra.KnobCPU] *= int64(tegra.KHz)
	return tegra.ModeOfValues(v), nil
}

// Fields prints the six required columns of a row as in files.
func Fields(m tegra.Measured) []string {
	num := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	return append(ModeFields(m.Mode), num(m.TimeMS), num(m.PowerW))
}
