package detect

import (
	"strconv"
	"strings"
	"time"

	"jtune/internal/lazyregexp"
)

// looseNumber matches a number outside names such as top5 or acc@1; a line with one is no table header.
var looseNumber = lazyregexp.New(`(^|[^a-z@_\d])\d`)

// csvHead notes the column names of a table that has a counting column: step,loss,lr. It reports whether the line is
// such a header.
func (d *Detector) csvHead(line string) bool {
	if strings.ContainsAny(line, ":={[\"") {
		return false
	}
	f := fields(line)
	if len(f) < 2 {
		return false
	}
	counts := false
	for i, name := range f {
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" || len(name) > 40 || looseNumber.MatchString(name) {
			return false
		}
		f[i] = counted(words(name, 2))
		counts = counts || counters[f[i]] != ""
	}
	if counts {
		d.csv = f
	}
	return counts
}

// fields returns the columns of a line, separated by commas or by the rules of a table: | 3 | 450 |.
func fields(line string) []string {
	if inner, ok := strings.CutPrefix(line, "|"); ok {
		return strings.Split(strings.TrimSuffix(inner, "|"), "|")
	}
	return strings.Split(line, ",")
}

// csvRow takes a row of such a table. It counts by the column of steps, or else by the first column that counts.
func (d *Detector) csvRow(line string, now time.Duration) bool {
	f := fields(line)
	if len(d.csv) == 0 || len(f) != len(d.csv) {
		return false
	}
	epoch, at := 0, -1
	for i, text := range f {
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil && line[0] != '|' && strings.TrimSpace(text) != "" {
			return false
		}
		unit := counters[d.csv[i]]
		if err != nil || unit == "" || v < 0 || v > mostCount || v != float64(int(v)) {
			continue
		}
		if unit == Epoch {
			epoch = int(v)
		}
		if at < 0 || unit == Step && counters[d.csv[at]] != Step {
			at = i
		}
	}
	if at < 0 {
		return false
	}
	unit := counters[d.csv[at]]
	c := d.find(found{form: "csv", unit: unit, name: d.csv[at], label: "csv"})
	if c == nil {
		return false
	}
	if unit == Epoch {
		epoch = 0
	} else {
		d.epoch, d.fromZero = epoch, d.fromZero || epoch == 0
	}
	done, _ := strconv.ParseFloat(strings.TrimSpace(f[at]), 64)
	c.example = line
	c.count(int(done), epoch, now, 0)
	return true
}
