package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"jtune/tegra/tegratest"
)

// printed collects numbers by the names of tegratest.Tree.Numbers.
type printed map[string]float64

// It compares the numbers of watch, device, doctor and the exporter with the files of every tree.
func TestCommandsPrintTheNumbersOfTheTree(t *testing.T) {
	t.Parallel()
	all := 0
	t.Run("trees", func(t *testing.T) {
		for _, b := range tegratest.Boards() {
			tr := b.New()
			board := []string{"--sysroot", tr.Write(t), "--data-dir", t.TempDir()}
			truth := tr.Numbers()
			for command, says := range map[string]printed{
				"watch":    watched(t, with(board, "watch", "--count", "1", "--json")),
				"device":   described(t, with(board, "device", "--json")),
				"doctor":   diagnosed(t, with(board, "doctor", "--json")),
				"exporter": exported(t, with(board, "exporter", "--once")),
			} {
				for of, v := range says {
					want, known := truth[of]
					if !known || math.Abs(v-want) > 1e-6*math.Max(1, math.Abs(want)) {
						t.Errorf("%s, %s: %s is %v, and %v in the files", b.Name, command, of, v, want)
					}
					all++
				}
				for of := range truth {
					if _, said := says[of]; !said && command == "watch" && !strings.HasPrefix(of, "RAM") &&
						of != "fan rpm" {
						t.Errorf("%s: watch does not print %s", b.Name, of)
					}
				}
			}
		}
	})
	const fewest = 1000
	if t.Logf("%d numbers", all); all < fewest {
		t.Errorf("%d numbers were compared, want %d", all, fewest)
	}
}

func decoded[T any](t *testing.T, args []string) (out T) {
	t.Helper()
	lines := strings.TrimSpace(jtune(t, args...).done(t).out)
	if err := json.Unmarshal([]byte(lines), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// put adds a number unless it is absent.
func (p printed) put(of string, v *float64, scale float64) {
	if v != nil {
		p[of] = *v * scale
	}
}

// signalFiles are the files of the signals by their names.
var signalFiles = map[string]string{"under-voltage": "oc1", "average over-current": "oc2",
	"instantaneous over-current": "oc3"}

type signalLine struct {
	Name  string
	Count *float64
}

func (p printed) signals(list []signalLine) {
	for _, s := range list {
		file := signalFiles[s.Name]
		if file == "" {
			file = s.Name
		}
		p.put("signal "+file, s.Count, 1)
	}
}

func watched(t *testing.T, args []string) printed {
	t.Helper()
	type clock struct {
		Hz    *float64
		Asked *float64 `json:"asked_hz"`
	}
	p, w := printed{}, decoded[struct {
		Rails []struct {
			Name string
			W    *float64 `json:"power_w"`
			V    *float64 `json:"voltage_v"`
			A    *float64 `json:"current_a"`
		}
		CPU      []struct{ KHz *float64 }
		CPUAsked *float64 `json:"cpu_asked_khz"`
		GPU, EMC clock
		Temps    map[string]float64 `json:"temps_c"`
		Fan      *float64           `json:"fan_pct"`
		Signals  []signalLine
	}](t, args)
	for _, r := range w.Rails {
		p.put("rail "+r.Name+" W", r.W, 1)
		p.put("rail "+r.Name+" V", r.V, 1)
		p.put("rail "+r.Name+" A", r.A, 1)
	}
	for i, c := range w.CPU {
		p.put(fmt.Sprintf("core %d Hz", i), c.KHz, 1000)
	}
	for zone, c := range w.Temps {
		p["zone "+zone+" °C"] = c
	}
	p.put("CPU asked Hz", w.CPUAsked, 1000)
	p.put("GPU Hz", w.GPU.Hz, 1)
	p.put("GPU asked Hz", w.GPU.Asked, 1)
	p.put("EMC Hz", w.EMC.Hz, 1)
	p.put("fan %", w.Fan, 1)
	p.signals(w.Signals)
	return p
}

func described(t *testing.T, args []string) printed {
	t.Helper()
	p, d := printed{}, decoded[struct {
		Mode *struct {
			CPU *float64 `json:"cpu_khz"`
			GPU *float64 `json:"gpu_hz"`
		}
	}](t, args)
	if d.Mode != nil {
		p.put("CPU asked Hz", d.Mode.CPU, 1000)
		p.put("GPU asked Hz", d.Mode.GPU, 1)
	}
	return p
}

func diagnosed(t *testing.T, args []string) printed {
	t.Helper()
	p, d := printed{}, decoded[struct{ Signals []signalLine }](t, args)
	p.signals(d.Signals)
	return p
}

var (
	metricLine = regexp.MustCompile(`(?m)^(\w+)(?:\{\w+="([^"]*)"[^}]*\})? (\S+)$`)
	// metrics names the numbers of the exporter's metrics, with their label in place of %s.
	metrics = map[string]string{
		"jetson_power_watts": "rail %s W", "jetson_rail_volts": "rail %s V", "jetson_rail_amperes": "rail %s A",
		"jtune_rail_volts": "rail %s V", "jtune_rail_amperes": "rail %s A",
		"jetson_temperature_celsius": "zone %s °C", "jetson_cpu_frequency_hertz": "core %s Hz",
		"jetson_gpu_frequency_hertz": "GPU Hz", "jetson_emc_frequency_hertz": "EMC Hz",
		"jetson_fan_rpm": "fan rpm", "jetson_memory_used_bytes": "RAM used", "jetson_memory_total_bytes": "RAM total",
	}
)

func exported(t *testing.T, args []string) printed {
	t.Helper()
	p := printed{}
	for _, m := range metricLine.FindAllStringSubmatch(jtune(t, args...).done(t).out, -1) {
		v, err := strconv.ParseFloat(m[3], 64)
		switch of := metrics[m[1]]; {
		case err != nil:
			t.Errorf("%s: %v", m[0], err)
		case m[1] == "jetson_fan_duty_ratio":
			p["fan %"] = 100 * v
		case strings.Contains(of, "%s"):
			p[fmt.Sprintf(of, m[2])] = v
		case of != "":
			p[of] = v
		}
	}
	return p
}
