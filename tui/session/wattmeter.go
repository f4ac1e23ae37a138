package session

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"jtune/internal/safefile"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tui/session/config"
)

const (
	// staleMeter is the maximum age of a meter's reading.
	staleMeter = 15 * time.Second
	// mostMeterW is more than the supply of any training machine provides.
	mostMeterW = 20_000
)

// wattMeter reads the configured meter, starting with its first call.
type wattMeter struct {
	table config.MeterTable
	begin sync.Once

	mu     sync.Mutex
	stream *harness.Stream
	now    tegra.Val[float64]
	at     time.Time // of the latest line
	bad    string    // the latest line, if it contains no watts
	why    string    // why it could not be started
}

// meterOf returns the configured power meter; nil for none.
func meterOf(o Options) (*wattMeter, error) {
	own, err := o.OwnTables()
	if err != nil || own.Meter.Command == nil && own.Meter.File == "" {
		return nil, err
	}
	return &wattMeter{table: own.Meter}, nil
}

// read returns the latest reading in watts; absent if there is none or it is too old.
func (m *wattMeter) read() tegra.Val[float64] {
	if m == nil {
		return tegra.Val[float64]{}
	}
	if m.table.File != "" {
		data, err := safefile.Read(m.table.File, mostMeterFile)
		w := watts(string(data))
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.why, m.bad = "", ""; err != nil {
			m.why = err.Error()
		} else if !w.OK {
			m.bad = strings.TrimSpace(string(data))
		}
		return w
	}
	m.begin.Do(m.start)
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.at) > staleMeter {
		return tegra.Val[float64]{}
	}
	return m.now
}

// mostMeterFile limits the bytes read from a meter's file.
const mostMeterFile = 4096

func (m *wattMeter) start() {
	stream, err := harness.StartStream(m.table.Command, m.line)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stream = stream; err != nil {
		m.why = err.Error()
	}
}

// line reads a line of the command's output.
func (m *wattMeter) line(text string) {
	w := watts(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !w.OK {
		m.bad = text
		return
	}
	m.now, m.at, m.bad = w, time.Now(), ""
}

// watts parses "12.5", "12.5 W" or "power=12.5": the last word that is a number.
func watts(line string) (out tegra.Val[float64]) {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t,;=:\r\n", r) }) {
		v, err := strconv.ParseFloat(strings.TrimSuffix(word, "W"), 64)
		if err == nil && v >= 0 && v <= mostMeterW && !math.IsNaN(v) {
			out = tegra.Some(v)
		}
	}
	return out
}

// problem returns why there is no reading; "" if there is one, or none is expected.
func (m *wattMeter) problem() string {
	if m == nil || m.read().OK {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	why := m.why
	if m.stream != nil {
		why = cmp.Or(why, m.stream.Why())
	}
	switch {
	case why != "":
	case m.bad != "":
		why = fmt.Sprintf("%q is not a number of watts", m.bad[:min(len(m.bad), 60)])
	default:
		why = "it has printed no reading yet"
	}
	return "the power meter ([meter]) gives nothing: " + why
}

func (m *wattMeter) close() error {
	if m == nil {
		return nil
	}
	m.begin.Do(func() {}) // prevents a later start
	m.mu.Lock()
	stream := m.stream
	m.mu.Unlock()
	if stream == nil {
		return nil
	}
	return stream.Close()
}
