package cli

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/sweep/sweeptest"
)

// orinLine is made up, based on recordings of an AGX Orin.
const orinLine = "11-21-2025 08:49:48 RAM 13983/62840MB (lfb 4x4MB) SWAP 0/31420MB (cached 0MB) CPU " +
	"[10%@2201,30%@2201,off] EMC_FREQ 1%@2133 GR3D_FREQ 14%@[407,407] VIC_FREQ off " +
	"CPU@77.3C GPU@-256C VDD_GPU_SOC 3150mW/3150mW VDD_CPU_CV 14312mW/14000mW VIN_SYS_5V0 4968mW/4900mW"

func TestConvertTegrastatsGivesOneObjectPerLine(t *testing.T) {
	t.Parallel()
	log := write(t, orinLine+"\nsome other text\n\n"+orinLine+"\n")
	o := jtune(t, "convert", "tegrastats", log, "--json").done(t)
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if len(lines) != 2 || !strings.Contains(o.err, "1 line skipped") {
		t.Fatalf("got %d objects and %q on stderr, want 2 and the count of others", len(lines), o.err)
	}
	v := outcome{
		out: lines[0],
	}.object(
		t,
		"t_s t_from timestamp ram swap iram cpu emc gpu temps_c temps_off temps_max_c rails "+
			"total_power_mw total_power_rule engines",
	)
	has(t, v, "total_power_mw = 22430", "cpu.# = 3", "iram = null")
	piped := jtuneWith(t, t.Context(), strings.NewReader(orinLine), "convert", "tegrastats", "--json").done(t)
	must.Equal(t, piped.out, lines[0]+"\n", "a pipe gives another answer than a file")
}

func TestConvertTegrastatsAsTable(t *testing.T) {
	t.Parallel()
	o := jtune(t, "convert", "tegrastats", write(t, orinLine+"\n"), "--csv").done(t)
	rows, err := csv.NewReader(strings.NewReader(o.out)).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("got %d rows, %v", len(rows), err)
	}
	got := map[string]string{}
	for i, name := range rows[0] {
		got[name] = rows[1][i]
	}
	for name, want := range map[string]string{"total_power_mw": "22430", "cores_on": "2", "cpu_load_pct": "20",
		"gpu_freq_mhz": "407", "vdd_cpu_cv_mw": "14312", "temp_max_c": "77.3"} {
		must.Equal(t, got[name], want, name)
	}
}

func TestWatchReadsALog(t *testing.T) {
	t.Parallel()
	log := orinLine + "\n" + strings.Replace(orinLine, "08:49:48", "08:49:51", 1) + "\n" + orinLine + "\n"
	o := jtuneWith(t, t.Context(), strings.NewReader(log), "watch", "--from", "-", "--count", "2", "--json").done(t)
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if len(lines) != 2 {
		t.Fatalf("got %d lines, want 2", len(lines))
	}
	v := outcome{out: lines[1]}.object(t, watchKeys)
	has(t, v, "t_s = 3", "t_from = tegrastats", "total_power_w = 22.43", "device = null", "mode = null")
	steps := write(t, orinLine+"\n"+strings.Replace(orinLine, "11-21-2025", "01-01-1970", 1)+" NPU9 x\n")
	if o := jtune(t, "watch", "--from", steps).done(t); !strings.Contains(o.out, "1.0s") ||
		!strings.Contains(o.err, "lines 1 and 2: the clock goes from 11-21-2025") || !strings.Contains(o.err, "NPU9") {
		t.Errorf("got %s, %s", o.out, o.err)
	}
	jtune(t, "watch", "--from", write(t, "hello\n")).fails(t, exitFailed, "tegrastats")
	jtune(t, "watch", "--from", "/nowhere").fails(t, exitFailed, "/nowhere")
	must.Contain(t, jtune(t, "watch", "--from", write(t, orinLine)).done(t).out, "22.43 W")
}

func TestConvertOfEveryRecordedLog(t *testing.T) {
	t.Parallel()
	dir := sweeptest.Shared(t, "data/tegrastats")
	logs, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, log := range logs {
		text := must.Read(t, log)
		o := jtune(t, "convert", "tegrastats", log, "--json").done(t)
		got := strings.Count(o.out, "\n")
		must.Equal(t, got, strings.Count(strings.TrimSpace(string(text)), "\n")+1, filepath.Base(log))
		for line := range strings.Lines(o.out) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: not JSON: %s", filepath.Base(log), line)
			}
		}
	}
}

func TestConvertTegrastatsSkipsALineWithoutEnd(t *testing.T) {
	t.Parallel()
	const line = "RAM 1000/2000MB (lfb 1x4MB) CPU [1%@1190,off] EMC_FREQ 0%\n"
	path := write(t, line+strings.Repeat("x", longestLine+1)+"\n"+line)
	o := jtune(t, "convert", "tegrastats", path, "--json").done(t)
	must.Equal(t, strings.Count(o.out, "\n"), 2)
	must.Contain(t, o.err, "1 line skipped")
}
