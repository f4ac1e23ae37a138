package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
)

func TestExporterRefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	jtune(t, "exporter", "--device", "virtual:nano", "--speed", "max", "--listen", address).fails(t, exitFailed,
		address, "give another")
}

// addressOf waits for the line with the exporter's address.
func addressOf(t *testing.T, said fmt.Stringer) string {
	t.Helper()
	where := regexp.MustCompile(`metrics at (http://\S+)`)
	must.Until(t, "it answers", func() bool { return where.MatchString(said.String()) })
	return where.FindStringSubmatch(said.String())[1]
}

func get(t testing.TB, address string) string {
	t.Helper()
	answer := must.Get(http.Get(address))(t)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v\n%.200s", answer.Status, err, text)
	}
	return string(text)
}

func TestExporterAnswersUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var out, said safeBuffer
	code := make(chan int)
	go func() {
		code <- Run(ctx, []string{"exporter", "--listen", "127.0.0.1:0", "--device", "virtual:nano", "--speed", "max",
			"--data-dir", t.TempDir()}, strings.NewReader(""), &out, &said)
	}()
	text := get(t, addressOf(t, &said))
	for _, series := range []string{"jetson_module_power_watts", "jetson_energy_joules_total"} {
		must.Contain(t, text, "\n"+series+" ")
	}
	cancel()
	must.Equal(t, <-code, exitInterrupted)
	must.Equal(t, out.String(), "")
}

func TestExporterWritesAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "jtune.prom")
	jtune(t, "exporter", "--once", "--textfile", file, "--sysroot", tegratest.AGXOrin35(t)).done(t)
	must.Contain(t, string(must.Read(t, file)), `virtual="false"`)
}

// long skips a test except in the long form, and if one of the programs is missing.
func long(t *testing.T, why string, programs ...string) {
	t.Helper()
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip(why + "; JTUNE_LONG=1 does")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not here: %v", p, err)
		}
	}
}

// started runs jtune as a process until the test ends.
func started(t *testing.T, args ...string) (*exec.Cmd, *safeBuffer) {
	t.Helper()
	cmd, said := child(args...), &safeBuffer{}
	cmd.Stderr = said
	must.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() })
	return cmd, said
}

// TestExporterFeedsARealPrometheus queries Debian's prometheus for what it has scraped from a virtual board on which
// another jtune profiles.
func TestExporterFeedsARealPrometheus(t *testing.T) {
	long(t, "runs Prometheus for half a minute", "prometheus", "promtool")
	dir := t.TempDir()
	board := []string{"--device", "virtual:agx-orin", "--speed", "60", "--data-dir", filepath.Join(dir, "data")}
	_, said := started(t, append([]string{"exporter", "--listen", "127.0.0.1:0"}, board...)...)
	address := addressOf(t, said)
	started(t, append([]string{"profile", "lstm", "--sample", "100"}, board...)...)

	check := exec.Command("promtool", "check", "metrics")
	check.Stdin = strings.NewReader(get(t, address))
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}

	target := strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/metrics")
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 1s}\nscrape_configs:\n"+
		"  - {job_name: jetson, static_configs: [{targets: [%q]}]}\n", target)
	must.NoError(t, os.WriteFile(config, []byte(text), 0o644))
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	web := l.Addr().String()
	l.Close()
	prometheus := exec.Command("prometheus", "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "tsdb"),
		"--web.listen-address="+web)
	log := &safeBuffer{}
	prometheus.Stderr = log
	must.NoError(t, prometheus.Start())
	defer func() { _ = prometheus.Process.Signal(syscall.SIGTERM); _ = prometheus.Wait() }()
	for query, least := range map[string]float64{
		"jetson_module_power_watts":                                 5,  // the exporter's own board is idle
		"rate(jetson_energy_joules_total[10s])":                     60, // watts, on a clock at 60 times the speed
		`jtune_units_total{unit="minibatch"} * on() jtune_job_info`: 1,
		`jetson_board_info{model="Jetson AGX Orin",virtual="true"}`: 1,
		"count(jetson_cpu_frequency_hertz)":                         12,
	} {
		if got := asked(t, web, query, log); got < least {
			t.Errorf("%s is %v, want %v at least", query, got, least)
		}
	}
}

// asked returns the value of a query, once Prometheus has one.
func asked(t *testing.T, web, query string, log fmt.Stringer) float64 {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		answer, err := http.Get("http://" + web + "/api/v1/query?query=" + url.QueryEscape(query))
		if err != nil {
			continue // not running yet
		}
		var got struct {
			Error string
			Data  struct{ Result []struct{ Value []any } }
		}
		err = json.NewDecoder(answer.Body).Decode(&got)
		answer.Body.Close()
		if err != nil || got.Error != "" {
			t.Fatalf("%s: %s %v", query, got.Error, err)
		}
		if len(got.Data.Result) == 1 {
			v := must.Get(strconv.ParseFloat(got.Data.Result[0].Value[1].(string), 64))(t)
			t.Logf("%s = %v", query, v)
			return v
		}
	}
	t.Fatalf("no answer to %s in 60 s; Prometheus says:\n%s", query, log)
	return 0
}

// TestExporterStaysFlat scrapes an AGX Orin's files as often as in a day of one scrape a second.
func TestExporterStaysFlat(t *testing.T) {
	long(t, "makes 86,400 scrapes")
	const scrapes, warm = 86_400, 5_000
	cmd, said := started(t, "exporter", "--listen", "127.0.0.1:0", "--sysroot", tegratest.AGXOrin35(t), "--data-dir",
		t.TempDir())
	address := addressOf(t, said)
	var early int
	for n := range scrapes {
		get(t, address)
		if n == warm {
			early = rssKB(t, cmd.Process.Pid)
		}
	}
	late := rssKB(t, cmd.Process.Pid)
	t.Logf("RSS %d kB after %d scrapes, %d kB after %d; %.2f ms of CPU time a scrape", early, warm, late, scrapes,
		cpuSeconds(t, cmd.Process.Pid)/scrapes*1000)
	if late > early+2048 {
		t.Errorf("RSS grew from %d to %d kB", early, late)
	}
}

// TestWatchOfThirtyDaysStaysFlat prints a reading every 10 s of a virtual board's clock.
func TestWatchOfThirtyDaysStaysFlat(t *testing.T) {
	long(t, "prints 259,200 readings")
	const readings, warm = 30 * 24 * 360, 5_000
	cmd := child("watch", "--device", "virtual:agx-orin", "--speed", "max", "--interval", "10s",
		"--count", strconv.Itoa(readings), "--json")
	out := must.Get(cmd.StdoutPipe())(t)
	must.NoError(t, cmd.Start())
	var early, late, n int
	var at, before struct {
		S float64 `json:"t_s"`
	}
	for lines := bufio.NewScanner(out); lines.Scan(); n++ {
		before = at
		if err := json.Unmarshal(lines.Bytes(), &at); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		if gap := at.S - before.S; n > 0 && (gap < 9 || gap > 11) {
			t.Errorf("reading %d comes %.1f s after the last", n, gap)
		}
		switch n {
		case warm:
			early = rssKB(t, cmd.Process.Pid)
		case readings - 100:
			late = rssKB(t, cmd.Process.Pid)
		}
	}
	if err := cmd.Wait(); err != nil || n != readings {
		t.Fatalf("%d readings of %d: %v", n, readings, err)
	}
	t.Logf("%d readings in %.1f days, RSS %d kB after %d, %d kB at the end", n, at.S/86400, early, warm, late)
	if late > early+2048 {
		t.Errorf("RSS grew from %d to %d kB", early, late)
	}
}

func rssKB(t *testing.T, pid int) int {
	t.Helper()
	text := must.Read(t, fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("no VmRSS:\n%s", text)
	}
	n := must.Get(strconv.Atoi(string(m[1])))(t)
	return n
}

// cpuSeconds returns the CPU time of a process, to hundredths of a second.
func cpuSeconds(t *testing.T, pid int) float64 {
	t.Helper()
	text := must.Read(t, fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	total := 0.0
	for _, f := range fields[11:13] { // utime and stime
		n := must.Get(strconv.ParseFloat(f, 64))(t)
		total += n / 100
	}
	return total
}
