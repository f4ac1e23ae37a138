package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/tegratest"
)

// Every number that watch, device, doctor and the exporter print, as text and as JSON, comes from the board's
// files: those of each third tree, and in the long form of all.
func TestCommandsPrintTheNumbersOfTheTree(t *testing.T) {
	t.Parallel()
	walkTrees(t, tegratest.Trees())
}

// The same on the trees of boards that their owners described.
func TestCommandsPrintTheNumbersOfOwnersTrees(t *testing.T) {
	t.Parallel()
	walkTrees(t, tegratest.Archives(t, sweeptest.Shared(t, "tools/devices/hand")))
}

func walkTrees(t *testing.T, trees map[string]*tegratest.Tree) {
	if len(trees) == 0 {
		t.Error("no tree")
	}
	for i, name := range slices.Sorted(maps.Keys(trees)) {
		if i%3 > 0 && os.Getenv("JTUNE_LONG") == "" {
			continue
		}
		tr := trees[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := walk{t: t, truth: tr.Numbers(), args: []string{"--sysroot", tr.Write(t), "--data-dir", t.TempDir()}}
			w.commands()
			const fewest = 150
			if t.Logf("%d numbers", w.count); w.count < fewest {
				t.Errorf("%d numbers were compared, want %d", w.count, fewest)
			}
		})
	}
}

// walk compares what the commands print about a tree.
type walk struct {
	t     *testing.T
	args  []string
	truth tegratest.Numbers
	said  map[string]bool // names of truth that watch printed
	count int
}

func (w *walk) commands() {
	w.said = map[string]bool{}
	for _, command := range []string{"doctor", "device", "watch --count 1"} {
		args := with(w.args, strings.Fields(command)...)
		text := jtune(w.t, args...).done(w.t).out
		if command == "doctor" {
			w.truth["sources ok"], w.truth["sources missing"], w.truth["sources"] = tallies(text)
		}
		n, strange := w.truth.Printed(ownWords.ReplaceAllString(text, " "))
		w.count += n
		if len(strange) > 0 {
			w.t.Errorf("%s: not in the files: %q\n%s", command, strange, text)
		}
		w.document("", decoded[any](w.t, with(args, "--json")), command)
	}
	series := jtune(w.t, with(w.args, "exporter", "--once")...).done(w.t).out
	for _, line := range metricLine.FindAllStringSubmatch(series, -1) {
		w.metric(line)
	}
	for of := range w.truth {
		watched := strings.HasPrefix(of, "rail ") || strings.HasPrefix(of, "zone ") || strings.HasPrefix(of, "core ") ||
			strings.HasPrefix(of, "signal ")
		if watched && !w.said[of] && !strings.HasSuffix(of, " max A") && !strings.HasSuffix(of, " crit A") {
			w.t.Errorf("watch does not print %s", of)
		}
	}
}

// ownWords are what jtune says of itself, of times and of files, and the names of sensors and releases.
var ownWords = regexp.MustCompile(`(?m)^(?:jtune itself: .*\n|jobs: |verdict: ready: ).*|^ +\d+\.\ds +|\S*/(?:sys|proc|etc|var|run)/\S*` +
	`|^(?:board|module|SoC) .*`)

// tallies counts the lines of doctor's table.
func tallies(text string) (found, missing, all float64) {
	found, missing = float64(strings.Count(text, "\nok ")), float64(strings.Count(text, "\nmissing "))
	return found, missing, found + missing
}

// document walks the numbers of a JSON document; of is where a value stands, an entry of a list by its name or id.
func (w *walk) document(of string, value any, command string) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			w.document(strings.TrimPrefix(of+"."+key, "."), inner, command)
		}
	case []any:
		for i, inner := range v {
			key := strconv.Itoa(i)
			if o, ok := inner.(map[string]any); ok && o["id"] != nil {
				key = fmt.Sprint(o["id"])
			} else if ok && o["name"] != nil {
				key = o["name"].(string)
			}
			w.document(of+"|"+key, inner, command)
		}
	case float64:
		w.number(command, of, v)
	}
}

// keys name the numbers of documents: "$1" in a name of truth is what matched; "" is jtune's own measure.
var keys = []struct {
	of    *regexp.Regexp
	truth string
	scale float64
}{
	{regexp.MustCompile(`^(t_s|self\..*|overhead\..*|meter_w|inference.*)$`), "", 0},
	{regexp.MustCompile(`^rails\|(.+)\.power_w$`), "rail $1 W", 1},
	{regexp.MustCompile(`^rails\|(.+)\.voltage_v$`), "rail $1 V", 1},
	{regexp.MustCompile(`^rails\|(.+)\.current_a$`), "rail $1 A", 1},
	{regexp.MustCompile(`^cpu\|(\d+)\.khz$`), "core $1 Hz", 1000},
	{regexp.MustCompile(`^cpu_asked_khz$|^mode\.cpu_khz$`), "CPU asked Hz", 1000},
	{regexp.MustCompile(`^mode\.cores$`), "cores online", 1},
	{regexp.MustCompile(`^mode\.gpu_hz$|^gpu\.asked_hz$`), "GPU asked Hz", 1},
	{regexp.MustCompile(`^mode\.mem_hz$|^emc\.asked_hz$`), "EMC asked Hz", 1},
	{regexp.MustCompile(`^gpu\.hz$`), "GPU Hz", 1},
	{regexp.MustCompile(`^emc\.hz$`), "EMC Hz", 1},
	{regexp.MustCompile(`^gpu\.load_pct$`), "GPU load %", 1},
	{regexp.MustCompile(`^emc\.load_pct$`), "EMC load %", 1},
	{regexp.MustCompile(`^temps_c\.(.+)$`), "zone $1 °C", 1},
	{regexp.MustCompile(`^fan_pct$`), "fan %", 1},
	{regexp.MustCompile(`^total_power_w$`), "total W", 1},
	{regexp.MustCompile(`^signals\|(.+)\.count$`), "signal $1", 1},
	{regexp.MustCompile(`^signals\|.+\.per_s$`), "no events", 1},
	{regexp.MustCompile(`^signals\|under-voltage\.limit$`), "floor V", 1},
	{regexp.MustCompile(`^signals\|average over-current\.limit$`), "supply max A", 1},
	{regexp.MustCompile(`^signals\|instantaneous over-current\.limit$`), "supply crit A", 1},
	{regexp.MustCompile(`^space\.cores\|(\d+)$`), "cores of $1", 1},
	{regexp.MustCompile(`^space\.cpu_khz\|(\d+)$`), "CPU step $1 Hz", 1000},
	{regexp.MustCompile(`^space\.gpu_hz\|(\d+)$`), "GPU step $1 Hz", 1},
	{regexp.MustCompile(`^space\.mem_hz\|(\d+)$`), "EMC step $1 Hz", 1},
	{regexp.MustCompile(`^space\.modes$`), "modes", 1},
	{regexp.MustCompile(`^preset_id$`), "preset now", 1},
	{regexp.MustCompile(`^presets(?:_unusable)?\|(\d+)\.id$`), "preset $1 id", 1},
	{regexp.MustCompile(`^presets\|(\d+)\.mode\.cores$`), "preset $1 cores", 1},
	{regexp.MustCompile(`^presets\|(\d+)\.mode\.cpu_khz$`), "preset $1 CPU Hz", 1000},
	{regexp.MustCompile(`^presets\|(\d+)\.mode\.gpu_hz$`), "preset $1 GPU Hz", 1},
	{regexp.MustCompile(`^presets\|(\d+)\.mode\.mem_hz$`), "preset $1 EMC Hz", 1},
}

// signalFiles are the files of the signals by their names.
var signalFiles = strings.NewReplacer("signal under-voltage", "signal oc1", "signal average over-current", "signal oc2",
	"signal instantaneous over-current", "signal oc3")

func (w *walk) number(command, of string, v float64) {
	for _, k := range keys {
		m := k.of.FindStringSubmatchIndex(of)
		if m == nil {
			continue
		}
		if k.truth != "" {
			w.compare(command, of, signalFiles.Replace(string(k.of.ExpandString(nil, k.truth, of, m))), v*k.scale)
		}
		return
	}
	w.t.Errorf("%s: no file is known for %s = %v", command, of, v)
}

func (w *walk) compare(command, of, truth string, v float64) {
	w.count++
	w.said[truth] = true
	want, known := w.truth[truth]
	if !known || math.Abs(v-want) > 1e-6*math.Max(1, math.Abs(want)) {
		w.t.Errorf("%s: %s is %v, and %s is %v in the files", command, of, v, truth, want)
	}
}

var (
	metricLine = regexp.MustCompile(`(?m)^(\w+)(?:\{(?:(\w+)="([^"]*)"[^}]*)?\})? (\S+)$`)
	// metrics name the numbers of the exporter's metrics, with their label in place of %s; "" is jtune's own measure.
	metrics = map[string]struct {
		truth string
		scale float64
	}{
		"jetson_power_watts": {"rail %s W", 1}, "jetson_rail_volts": {"rail %s V", 1},
		"jetson_rail_amperes": {"rail %s A", 1}, "jtune_rail_volts": {"rail %s V", 1},
		"jtune_rail_amperes":        {"rail %s A", 1},
		"jetson_module_power_watts": {"total W", 1}, "jetson_temperature_celsius": {"zone %s °C", 1},
		"jetson_undervoltage_events_total": {"signal %s", 1}, "jetson_overcurrent_events_total": {"signal %s", 1},
		"jetson_supply_alarm": {"alarm %s", 1}, "jetson_throttled": {"throttled %s", 1},
		"jetson_cpu_online": {"online %s", 1}, "jetson_cpu_frequency_hertz": {"core %s Hz", 1},
		"jetson_gpu_frequency_hertz": {"GPU Hz", 1}, "jetson_gpu_busy_ratio": {"GPU load %%", 100},
		"jetson_emc_frequency_hertz": {"EMC Hz", 1}, "jetson_emc_busy_ratio": {"EMC load %%", 100},
		"jetson_fan_rpm": {"fan rpm", 1}, "jetson_fan_duty_ratio": {"fan %%", 100},
		"jetson_memory_used_bytes": {"RAM used B", 1}, "jetson_memory_total_bytes": {"RAM total B", 1},
		"jetson_board_info": {}, "jetson_exporter_scrape_seconds": {},
	}
)

// metric compares a line of the exporter.
func (w *walk) metric(line []string) {
	m, known := metrics[line[1]]
	v, err := strconv.ParseFloat(line[4], 64)
	switch {
	case err != nil:
		w.t.Errorf("%s: %v", line[0], err)
	case line[1] == "jetson_mode_info":
		n, strange := w.truth.Printed(line[3])
		if w.count += n; n != 4 || len(strange) > 0 {
			w.t.Errorf("%q in %s", strange, line[0])
		}
	case line[1] == "jetson_nvpmodel_info":
		_, id, _ := strings.Cut(line[0], `id="`)
		id, _, _ = strings.Cut(id, `"`)
		n, _ := strconv.ParseFloat(id, 64)
		w.compare("exporter", line[0], "preset now", n)
	case strings.HasPrefix(line[0], `jetson_throttled{reason="clock"} `) && (v == 0 || v == 1): // a judgement
	case !known && (strings.Contains(line[0], `job="`) || strings.HasPrefix(line[1], "jtune_")):
		// such as another test's soak: no file shows it
	case !known:
		w.t.Errorf("no file is known for %s", line[0])
	case m.truth != "":
		truth := m.truth
		if strings.Contains(truth, "%s") {
			truth = fmt.Sprintf(truth, line[3])
		}
		truth = signalFiles.Replace(strings.ReplaceAll(truth, "%%", "%"))
		w.compare("exporter", line[0], truth, v*m.scale)
	}
}

// decoded decodes what a command prints as JSON.
func decoded[T any](t testing.TB, args []string) (out T) {
	t.Helper()
	lines := strings.TrimSpace(jtune(t, args...).done(t).out)
	must.NoError(t, json.Unmarshal([]byte(lines), &out))
	return out
}
