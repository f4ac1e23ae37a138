package imports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/internal/usage"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry/tegrastats"
)

// Log is one run in one power mode: a power log, and a file with the times of its minibatches or epochs.
type Log struct {
	Power    string                // tegrastats log, or CSV from jtop
	Times    string                // CSV with epoch and epochtime_ms (or time_ms), and optionally log_time
	PerEpoch int                   // minibatches in an epoch, when Times has a row per epoch; 0: a row per minibatch
	Mode     tegra.Val[tegra.Mode] // absent: read from the clocks in a tegrastats log, if constant
	Every    time.Duration         // between lines without a time; 1 s
}

// Import creates a campaign folder for the run; outDir must not exist. The notes list what was left out or assumed.
func (l *Log) Import(outDir string) (notes []string, err error) {
	content, err := readBounded(l.Power)
	if err != nil {
		return nil, err
	}
	log, err := parsePower(content, l.Every)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Power, err)
	}
	for _, note := range log.notes {
		notes = append(notes, l.Power+": "+note)
	}
	if log.skipped > 0 {
		notes = append(notes, fmt.Sprintf("%s: %s without the module's power left out", l.Power,
			text.Count(log.skipped, "record")))
	}
	name := strings.TrimSuffix(filepath.Base(l.Power), filepath.Ext(l.Power))
	run := &rawRun{
		dir:     l.Power,
		set:     name,
		mode:    l.Mode.V,
		power:   log.samples,
		logs:    map[string][]byte{},
		batches: l.PerEpoch,
	}
	if !l.Mode.OK {
		if run.mode, err = log.mode(); err != nil {
			return notes, fmt.Errorf("%s: %w", l.Power, err)
		}
		notes = append(
			notes,
			fmt.Sprintf("%s: the log's clocks are taken for the mode, in whole MHz: %s", l.Power, run.mode),
		)
	}
	if l.Times == "" {
		return nil, l.errTimeless(run.power)
	}
	if run.logs["epoch"], err = readBounded(l.Times); err != nil {
		return notes, err
	}
	row, err := run.row()
	if err == nil {
		err = row.Plausible()
	}
	if err != nil {
		return notes, fmt.Errorf("%s: %w", l.Times, err)
	}
	row.When = fileTime(l.Power)
	return notes, recordRuns(l.Power, outDir, []*rawRun{run}, []record.Row{row})
}

// errTimeless returns the error for a log without minibatch times, from which no row can be made; it reports the power
// in the log.
func (l *Log) errTimeless(power []powerSample) error {
	watts := make([]float64, len(power))
	for i, s := range power {
		watts[i] = s.w
	}
	span := power[len(power)-1].t - power[0].t
	return fmt.Errorf(
		"%s has %.2f W over %s (median of %d readings) and no minibatch times: give them with %s",
		l.Power,
		stats.Median(watts),
		units.Span(span),
		len(watts),
		usage.EpochTimes.Value(),
	)
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(path, f)
}

func bounded(name string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(safefile.Lines(safefile.Most(r, maxRawFile)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// IsPowerLog reports whether a file looks like a tegrastats or jtop log.
func IsPowerLog(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 1<<16))
	return looksLikePower(head)
}

func looksLikePower(text []byte) bool {
	if _, ok := powerColumn(text); ok {
		return true
	}
	records, _ := tegrastats.Records(firstLines(text, 20))
	return slices.ContainsFunc(records, func(r tegrastats.Record) bool { return len(r.Rails) > 0 || len(r.CPU) > 0 })
}

// firstLines returns the first n lines of a text.
func firstLines(text []byte, n int) string {
	end := 0
	for range n {
		at := bytes.IndexByte(text[end:], '\n')
		if at < 0 {
			return string(text)
		}
		end += at + 1
	}
	return string(text[:end])
}

// powerSample is one row of a power log.
type powerSample struct {
	t time.Duration
	w float64
}

// powerLog is the content of a power log.
type powerLog struct {
	samples []powerSample
	clocks  [][4]float64 // of a tegrastats log: cores online, CPU, GPU and memory clock in MHz
	skipped int          // records without the module's power
	notes   []string
}

// powerColumns are the names of the module's power in mW in jtop logs: the first up to version 3, the second
// (UNVERIFIED, no log available) from version 4 on.
var powerColumns = []string{"power cur", "Power TOT"}

// powerColumn finds the module's power in the header of a CSV.
func powerColumn(text []byte) (name string, ok bool) {
	head := header(text)
	for _, c := range powerColumns {
		if slices.Contains(head, c) {
			return c, true
		}
	}
	return "", false
}

// parsePower parses a jtop or tegrastats log. every is the interval between tegrastats lines without a time; 0 means
// its default, 1 s.
func parsePower(content []byte, every time.Duration) (log powerLog, err error) {
	if column, ok := powerColumn(content); ok {
		log.samples, err = jtopSamples(content, column)
	} else if looksLikePower(content) {
		err = log.tegrastats(content, every)
	} else {
		first, _, _ := strings.Cut(string(content), "\n")
		return log, fmt.Errorf("power log: neither of tegrastats nor CSV of jtop, which has a column %q: it "+
			"begins %q", powerColumns[0], text.Clip(first))
	}
	switch {
	case err != nil:
		return log, fmt.Errorf("power log: %w", err)
	case len(log.samples) == 0:
		return log, errors.New("power log: no sample in it")
	}
	for i, s := range log.samples {
		if math.Abs(s.t.Seconds()) > maxRawNumber || i > 0 && s.t < log.samples[i-1].t {
			return log, fmt.Errorf("power log: sample %d at %g s is out of order", i+1, s.t.Seconds())
		}
	}
	return log, nil
}

// jtopSamples parses a CSV from jtop. Times come from a column log_time, or else from the column time, counted from the
// first row.
func jtopSamples(text []byte, column string) ([]powerSample, error) {
	clock := "log_time"
	if !slices.Contains(header(text), clock) {
		clock = calendar
	}
	rows, err := numbers(text, column, clock)
	if err != nil {
		return nil, err
	}
	list := make([]powerSample, len(rows))
	for i, r := range rows {
		s := r[1]
		if clock == calendar {
			s -= rows[0][1]
		}
		if math.Abs(s) > maxRawNumber {
			return nil, fmt.Errorf("a sample at %g s", s)
		}
		list[i] = powerSample{ofSeconds(s), r[0] / 1000}
	}
	return list, nil
}

// tegrastats reads a log of tegrastats.
func (log *powerLog) tegrastats(content []byte, every time.Duration) error {
	records, reader := tegrastats.Records(string(content))
	times := tegrastats.Times{Every: every}
	for i := range records {
		r := &records[i]
		t, _ := times.Of(r)
		if r.TotalPowerMW == nil {
			log.skipped++
			continue
		}
		if len(log.samples) >= maxRawRows {
			return fmt.Errorf("more than %d records", maxRawRows)
		}
		log.clocks = append(log.clocks, clocksOf(r.Reading()))
		log.samples = append(log.samples, powerSample{t, float64(*r.TotalPowerMW) / 1000})
	}
	if len(log.samples) == 0 {
		return fmt.Errorf(
			"none of %d records has the power of the module (rails are read by root alone on most boards)",
			len(records),
		)
	}
	log.notes = tegrastats.Notes(reader, &times)
	log.spread()
	return nil
}

// spread spreads samples of the same whole second over that second.
func (log *powerLog) spread() {
	for i, n := 0, 1; i < len(log.samples); i += n {
		for n = 1; i+n < len(log.samples) && log.samples[i+n].t == log.samples[i].t; n++ {
		}
		for k := range n {
			log.samples[i+k].t += time.Duration(k) * time.Second / time.Duration(n)
		}
	}
}

// clocksOf returns the clocks of a reading that define the power mode.
func clocksOf(r tegra.Reading) [4]float64 {
	online := 0
	for _, c := range r.Cores {
		if c.Online {
			online++
		}
	}
	return [4]float64{float64(online), r.CPU.Actual.V.MHz(), r.GPU.Actual.V.MHz(), r.EMC.Actual.V.MHz()}
}

// mode returns the power mode that matches the clocks in a log, if they are constant.
func (log powerLog) mode() (tegra.Mode, error) {
	if len(log.clocks) == 0 {
		return tegra.Mode{}, fmt.Errorf("a log of jtop has no clocks: give the mode with %s", usage.Mode)
	}
	var list [4][]float64
	for _, clocks := range log.clocks {
		for i, v := range clocks {
			list[i] = append(list[i], v)
		}
	}
	var typical [4]float64
	for i, name := range []string{"number of cores", "CPU clock", "GPU clock", "memory clock"} {
		typical[i] = stats.Median(list[i])
		off := 0
		for _, v := range list[i] {
			if math.Abs(v-typical[i]) > record.ClockTolerance*typical[i] {
				off++
			}
		}
		if typical[i] == 0 || float64(off) > record.ThrottledShare*float64(len(list[i])) {
			return tegra.Mode{}, fmt.Errorf("the %s is missing or not constant: give the mode with %s", name,
				usage.Mode)
		}
	}
	mhz := func(v float64) tegra.Freq { return tegra.Freq(math.Round(v)) * tegra.MHz }
	return tegra.Mode{Cores: int(typical[0]), CPU: mhz(typical[1]), GPU: mhz(typical[2]), EMC: mhz(typical[3])}, nil
}
