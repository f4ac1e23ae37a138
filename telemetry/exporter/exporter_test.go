package exporter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
	"jtune/telemetry/exporter"
)

// still is a device of one reading.
type still struct {
	board tegra.Board
	r     tegra.Reading
	err   error
}

func (s *still) Board() tegra.Board           { return s.board }
func (s *still) Space() *tegra.Space          { return nil }
func (s *still) Presets() []tegra.Preset      { return []tegra.Preset{{ID: 2, Name: "MODE_30W"}} }
func (s *still) Read() (tegra.Reading, error) { return s.r, s.err }

func of(s *still, more exporter.Source) *exporter.Exporter {
	more.Device, more.Sampler = s, telemetry.NewSampler(s, tegra.RealClock())
	return exporter.New(more)
}

func written(t testing.TB, e *exporter.Exporter) string {
	t.Helper()
	var b bytes.Buffer
	must.NoError(t, e.Write(&b))
	return b.String()
}

// The lines of Prometheus's text format (its documentation, “Exposition formats”), version 0.0.4.
var (
	aboutLine  = regexp.MustCompile(`^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)$`)
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$`)
	labelPair  = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(?:,|$)`)
)

func wantFormat(t testing.TB, page string) {
	t.Helper()
	for _, fault := range faultsOf(page) {
		t.Error(fault)
	}
}

// faultsOf reads a page as Prometheus does: each metric has help and type before its samples, which stand together and
// differ in their labels. In the long form a real Prometheus reads one too.
func faultsOf(page string) (out []string) {
	fault := func(what, line string) { out = append(out, what+": "+line) }
	about, samples, last := map[string]bool{}, map[string]bool{}, ""
	if !utf8.ValidString(page) || !strings.HasSuffix(page, "\n") {
		fault("not UTF-8, or the last line has no end", page)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(page, "\n"), "\n") {
		if m := aboutLine.FindStringSubmatch(line); m != nil {
			known := m[1] == "HELP" || m[3] == "counter" || m[3] == "gauge" || m[3] == "summary"
			if about[m[1]+m[2]] || samples[m[2]] || !known {
				fault("twice, late or of no type", line)
			}
			about[m[1]+m[2]] = true
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			fault("not the text format", line)
			continue
		}
		name, labels := m[1], map[string]bool{}
		for rest := m[2]; rest != ""; {
			pair := labelPair.FindStringSubmatch(rest)
			if pair == nil || labels[pair[1]] {
				fault("not labels, or one twice", line)
				break
			}
			labels[pair[1]], rest = true, rest[len(pair[0]):]
		}
		if _, err := strconv.ParseFloat(m[3], 64); err != nil {
			fault("no number", line)
		}
		series := name + "{" + m[2] + "}"
		if samples[series] || samples[name] && last != name {
			fault("twice, or apart from its metric", line)
		}
		if !about["HELP"+name] || !about["TYPE"+name] {
			fault("no help or no type", line)
		}
		samples[series], samples[name], last = true, true, name
	}
	return out
}

func TestExporterPageThatPrometheusWouldRefuseHasAFault(t *testing.T) {
	t.Parallel()
	const about = "# HELP a text\n# TYPE a gauge\n"
	wantFormat(t, about+"a{x=\"1\",y=\"q \\\" } b\"} 1\na{x=\"2\"} NaN\n# HELP b text\n# TYPE b counter\nb 1.5e+09\n")
	for _, page := range []string{"a 1\n", about + "a 1", about + "a x\n", about + "a 1\na 1\n",
		about + about + "a 1\n", about + "a{x=1} 1\n", about + "a{x=\"1\",x=\"2\"} 1\n", about + "a{x=\"\xff\"} 1\n",
		about + "a-b 1\n", about + "a{x=\"1\\z\"} 1\n", "# HELP a text\na 1\n", "# HELP a t\n# TYPE a sum\na 1\n",
		about + "a  1\n", about + "# HELP b t\n# TYPE b gauge\na{x=\"1\"} 1\nb 1\na{x=\"2\"} 1\n"} {
		if len(faultsOf(page)) == 0 {
			t.Errorf("taken: %s", page)
		}
	}
}

func TestExporterWritesWhatTheDeviceReads(t *testing.T) {
	t.Parallel()
	s := &still{board: tegra.Board{Model: "Jetson AGX Orin", Module: "p3701-0000", L4T: "36.4", TotalRule: "VDD_IN"}}
	s.r = tegra.Reading{
		Rails: []tegra.RailReading{
			{Name: "VDD_IN", PowerW: tegra.Some(12.5), Volts: tegra.Some(5.0), Amperes: tegra.Some(2.5)},
			{Name: "VDD_GPU"}, // did not answer
		},
		TotalW: tegra.Some(12.5),
		Cores: []tegra.CoreReading{
			{Online: true, LoadPct: tegra.Some(25.0), Freq: tegra.Some(1300 * tegra.MHz)},
			{}, // offline
		},
		GPU:       tegra.ClockReading{Actual: tegra.Some(900 * tegra.MHz), LoadPct: tegra.Some(80.0)},
		Temps:     []tegra.TempReading{{Name: "CPU-therm", C: 41.5}},
		Heat:      tegra.Some(false),
		Throttled: tegra.Some(true),
		Slow:      []tegra.SlowClock{{Name: "GPU"}},
		FanPct:    tegra.Some(50.0),
		FanRPM:    tegra.Some(int64(1200)),
		Signals: tegra.Signals{{Name: tegra.UnderVoltage, Count: tegra.Some(int64(41))},
			{Name: tegra.InstantCurrent, Count: tegra.Some(int64(3)), Alarm: tegra.Some(true)}},
		RAMTotal: tegra.Some(int64(8 << 30)),
		Mode:     tegra.Some(tegra.Mode{Cores: 1, CPU: 1.3e9, GPU: 9e8, EMC: 2.133e9}),
	}
	job := exporter.Job{Name: "c1", Workload: "mine", Kind: "tune", Unit: "minibatch", Units: 120,
		UnitJ: tegra.Some(2.5), LimitW: tegra.Some(15.0),
		Latency: []exporter.Quantile{{Share: 0.5, MS: tegra.Some(20.0)}, {Share: 0.99}}}
	text := written(t, of(s, exporter.Source{PresetID: func() tegra.Val[int] { return tegra.Some(2) },
		Job: func() (exporter.Job, bool) { return job, true }}))
	wantFormat(t, text)
	for _, want := range []string{
		`jetson_board_info{model="Jetson AGX Orin",module="p3701-0000",l4t="36.4",virtual="false"} 1`,
		`jetson_mode_info{mode="1c/1.30C/0.90G/2.13M"} 1`,
		`jetson_nvpmodel_info{name="MODE_30W",id="2"} 1`,
		`jetson_power_watts{rail="VDD_IN"} 12.5`,
		`jetson_rail_volts{rail="VDD_IN"} 5`,
		`jetson_rail_amperes{rail="VDD_IN"} 2.5`,
		`jtune_rail_volts{rail="VDD_IN"} 5`,
		`jtune_rail_amperes{rail="VDD_IN"} 2.5`,
		`jetson_module_power_watts 12.5`,
		`jetson_undervoltage_events_total{signal="under-voltage"} 41`,
		`jetson_overcurrent_events_total{signal="instantaneous over-current"} 3`,
		`jetson_supply_alarm{signal="instantaneous over-current"} 1`,
		`jetson_temperature_celsius{zone="CPU-therm"} 41.5`,
		`jetson_throttled{reason="thermal"} 0`,
		`jetson_throttled{reason="clock"} 1`,
		`jetson_fan_duty_ratio{fan="pwm-fan"} 0.5`,
		`jetson_fan_rpm{fan="pwm-fan"} 1200`,
		`jetson_cpu_online{cpu="0"} 1`,
		`jetson_cpu_online{cpu="1"} 0`,
		`jetson_cpu_frequency_hertz{cpu="0"} 1.3e+09`,
		`jetson_cpu_busy_ratio{cpu="0"} 0.25`,
		`jetson_gpu_frequency_hertz 9e+08`,
		`jetson_gpu_busy_ratio 0.8`,
		`jetson_memory_total_bytes 8.589934592e+09`,
		`jtune_job_info{workload="mine",kind="tune",job="c1"} 1`,
		`jtune_units_total{unit="minibatch",job="c1"} 120`,
		`jtune_joules_per_unit{unit="minibatch"} 2.5`,
		`jtune_latency_seconds{quantile="0.5"} 0.02`,
		`jtune_limit_watts 15`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("not there: %s", want)
		}
	}
	for _, absent := range []string{ // what the device does not give
		"VDD_GPU", "emc", "memory_used", `frequency_hertz{cpu="1"}`, "energy", "VIRTUAL", `quantile="0.99"`,
	} {
		if strings.Contains(text, absent) {
			t.Errorf("%s is there:\n%s", absent, text)
		}
	}
}

func TestExporterOfABareDeviceHasNoSeriesOfIt(t *testing.T) {
	t.Parallel()
	text := written(t, of(&still{r: tegra.Reading{TotalW: tegra.Some(math.NaN())}}, exporter.Source{
		Job: func() (exporter.Job, bool) { return exporter.Job{}, false }}))
	wantFormat(t, text)
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "jetson_board_info{") &&
			!strings.HasPrefix(l, "jetson_exporter_scrape_seconds ") {
			t.Errorf("out of nothing: %s", l)
		}
	}
}

func TestExporterFiltersForeignText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rail, want string }{
		"quote and backslash": {`a"b\c`, `{rail="a\"b\\c"} 1`},
		"line feed":           {"a\nb 1\nc", `{rail="a\nb 1\nc"} 1`},
		"terminal command":    {"a\x1b[31mb\x9b", `{rail="a[31mb?"} 1`},
		"not UTF-8":           {"a\xff", `{rail="a?"} 1`},
		"very long":           {strings.Repeat("ä", 1000), `{rail="` + strings.Repeat("ä", 128) + `"} 1`},
	} {
		s := &still{board: tegra.Board{Model: c.rail}, r: tegra.Reading{Rails: []tegra.RailReading{
			{Name: c.rail, PowerW: tegra.Some(1.0)},
			{Name: c.rail, PowerW: tegra.Some(2.0)}, // two sensors of one name: Prometheus would refuse all
		}}}
		text := written(t, of(s, exporter.Source{}))
		wantFormat(t, text)
		if !strings.Contains(text, "\njetson_power_watts"+c.want+"\n") {
			t.Errorf("%s: no %s in:\n%s", name, c.want, text)
		}
	}
}

// TestExporterEnergyIsTheSumOfItsSamples compares the counter with the sum of power times time that
// another subscriber of the same sampler makes: 0.1 % at most between them.
func TestExporterEnergyIsTheSumOfItsSamples(t *testing.T) {
	t.Parallel()
	board := must.Get(virtual.New(virtual.Options{Name: "orin-nano", Speed: math.Inf(1)}))(t)
	device := must.Get(board.Open())(t)
	defer device.Close()
	sampler := telemetry.NewSampler(device, board.Clock())
	e := exporter.New(exporter.Source{Device: device, Sampler: sampler})
	sum, last, begun := 0.0, time.Duration(0), false
	defer sampler.Subscribe(time.Second, func(s telemetry.Sample) {
		if begun {
			sum += s.Reading.TotalW.V * (s.T - last).Seconds()
		}
		last, begun = s.T, true
	})()
	e.Begin()
	defer e.End()
	must.NoError(t, board.Clock().Sleep(context.Background(), 10*time.Minute))
	text := written(t, e)
	_, rest, found := strings.Cut(text, "\njetson_energy_joules_total ")
	var got float64
	if _, err := fmt.Sscan(rest, &got); err != nil || !found {
		t.Fatalf("no energy counter: %v\n%s", err, text)
	}
	if sum < 100 || math.Abs(got/sum-1) > 1e-3 {
		t.Errorf("energy %.1f J, the samples add up to %.1f J", got, sum)
	}
	if !strings.Contains(text, "VIRTUAL") || !strings.Contains(text, `virtual="true"`) {
		t.Error("a simulation is not marked")
	}
}

func TestExporterAnswersOnlyWhatItHas(t *testing.T) {
	t.Parallel()
	good, dead := of(&still{}, exporter.Source{}), of(&still{err: errors.New("gone")}, exporter.Source{})
	for _, c := range []struct {
		e            *exporter.Exporter
		method, path string
		status       int
	}{
		{good, "GET", "/metrics", 200},
		{good, "HEAD", "/metrics", 200},
		{good, "GET", "/", 200},
		{good, "POST", "/metrics", 405},
		{good, "GET", "/etc/passwd", 404},
		{dead, "GET", "/metrics", 503},
	} {
		w := httptest.NewRecorder()
		c.e.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, w.Code, c.status)
		}
		series := strings.Contains(w.Body.String(), "jetson_board_info")
		if want := c.status == 200 && c.path == "/metrics"; series != want {
			t.Errorf("%s %s: series %v, want %v", c.method, c.path, series, want)
		}
	}
}

func TestExporterServesUntilItIsToldToEnd(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- of(&still{}, exporter.Source{}).Serve(ctx, l) }()
	for range 40 { // more than it takes at a time: their ends free places
		held, err := net.Dial("tcp", l.Addr().String())
		must.NoError(t, err)
		held.Close()
	}
	var answer *http.Response
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if answer, err = http.Get("http://" + l.Addr().String() + "/metrics"); err == nil || time.Now().After(end) {
			break
		}
	}
	must.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 || answer.Header.Get("Content-Type") != exporter.ContentType {
		t.Errorf("%s, %s: %v", answer.Status, answer.Header.Get("Content-Type"), err)
	}
	wantFormat(t, string(text))
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// Connections that have asked once, that begin a request and do not end it, and that say nothing: more than are kept.
func TestExporterAnswersWhileOthersHoldConnections(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	go func() { _ = of(&still{}, exporter.Source{}).Serve(t.Context(), l) }()
	url := "http://" + l.Addr().String() + "/metrics"
	scrape := func(client *http.Client) {
		t.Helper()
		answer := must.Get(client.Get(url))(t)
		defer answer.Body.Close()
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %v", answer.Status, err)
		}
	}
	for name, hold := range map[string]func(){
		"asked once": func() { scrape(&http.Client{Transport: &http.Transport{}}) },
		"a header without end": func() {
			c := must.Get(net.Dial("tcp", l.Addr().String()))(t)
			t.Cleanup(func() { c.Close() })
			fmt.Fprint(c, "GET /metrics HTTP/1.1\r\nHost: a\r\nX: ")
		},
		"nothing": func() {
			c := must.Get(net.Dial("tcp", l.Addr().String()))(t)
			t.Cleanup(func() { c.Close() })
		},
	} {
		for range 100 {
			hold()
		}
		begun := time.Now()
		scrape(&http.Client{Transport: &http.Transport{}})
		t.Logf("%s: a scrape takes %v", name, time.Since(begun))
	}
}

func TestExporterReplacesAFileWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "jtune.prom")
	s := &still{}
	e := of(s, exporter.Source{})
	must.NoError(t, e.WriteFile(path))
	before := must.Read(t, path)
	wantFormat(t, string(before))
	s.err = errors.New("gone")
	if err := e.WriteFile(path); err == nil {
		t.Error("a dead device gives a file")
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed: %v", err)
	}
}

// BenchmarkExporterAnswer is an answer; BenchmarkExporterReading the reading that is in it.
func BenchmarkExporterAnswer(b *testing.B) {
	device, sampler, _ := simulated(b)
	e := exporter.New(exporter.Source{Device: device, Sampler: sampler})
	for b.Loop() {
		must.NoError(b, e.Write(io.Discard))
	}
}

func BenchmarkExporterReading(b *testing.B) {
	_, sampler, _ := simulated(b)
	for b.Loop() {
		_, err := sampler.Read()
		must.NoError(b, err)
	}
}

// simulated is a virtual board whose clock never waits.
func simulated(t testing.TB) (tegra.Device, *telemetry.Sampler, tegra.Clock) {
	t.Helper()
	board := must.Get(virtual.New(virtual.Options{Name: "agx-orin", Speed: math.Inf(1)}))(t)
	device := must.Get(board.Open())(t)
	t.Cleanup(func() { device.Close() })
	return device, telemetry.NewSampler(device, board.Clock()), board.Clock()
}
