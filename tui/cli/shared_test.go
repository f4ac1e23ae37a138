package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

func TestEvaluateReportsTheContractsRows(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	o := jtune(t, "evaluate", "--truth", path, "--methods", "gp,linear,tune,maxn", "--sizes", "8,16", "--seeds", "2",
		"--budgets", "15:30:5", "--json").done(t)
	must.Lack(t, o.err, "minutes")
	var v struct{ Rows []any }
	must.NoError(t, json.Unmarshal([]byte(o.out), &v))
	rows := v.Rows
	if len(rows) == 0 {
		t.Fatal("no rows")
	}
	seen := map[string]bool{}
	for _, r := range rows {
		row := r.(map[string]any)
		for _, k := range strings.Fields("method size seeds time_mape_pct power_mape_pct minutes penalty_pct area_w " +
			"over_pct over1w_pct probes") {
			if _, ok := row[k]; !ok {
				t.Errorf("%v: key %q is missing", row["method"], k)
			}
		}
		seen[row["method"].(string)] = true
	}
	for _, m := range []string{"gp", "linear", "tune", "maxn"} {
		if !seen[m] {
			t.Errorf("no row of %s", m)
		}
	}
	text := jtune(t, "evaluate", "--truth", path, "--methods", "linear", "--sizes", "8", "--seeds", "1", "--budgets",
		"15:30:5").done(t).out
	must.Contain(t, text, "linear")
	table := jtune(t, "evaluate", "--truth", path, "--methods", "linear", "--sizes", "8", "--seeds", "1", "--budgets",
		"15:30:5", "--csv").done(t).out
	lines, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(lines) < 4 || lines[1][0] != "linear" || lines[1][3] != "all" || lines[2][3] == "all" {
		t.Errorf("%v, the CSV is\n%s", err, table)
	}

	var drawn []string
	for _, m := range toyModes()[:5] {
		drawn = append(drawn, fmt.Sprintf("'%d_%d_%d_%d'", m.Cores, int64(m.CPU/tegra.KHz), int64(m.GPU), int64(m.EMC)))
	}
	runs := filepath.Join(t.TempDir(), "theirs.csv")
	must.NoError(t, os.WriteFile(runs, fmt.Appendf(nil,
		"Val_MAPE_time,Val_MAPE_power,Sampled_powermodes\n9.5,9.5,\"[%s]\"\n", strings.Join(drawn, ", ")), 0o600))
	text = jtune(t, "evaluate", "--truth", path, "--methods", "gp", "--samples-of", runs, "--budgets",
		"20:30:10").done(t).out
	must.Contain(t, text, "950.0 / 950.0", "theirs.csv")
}

func TestConvertNvpmodelGivesTheContractsKeys(t *testing.T) {
	t.Parallel()
	path := sweeptest.Shared(t, "data/nvpmodel/nvpmodel_p3701_0000.conf")
	o := jtune(t, "convert", "nvpmodel", path, "--json").done(t)
	v := o.object(t, "default fan_default params modes mode_pairs_that_need_a_reboot errors")
	for _, m := range v["modes"].([]any) {
		hasKeys(t, m, "id name cores_on cores_off cpu_khz gpu_hz emc_max_hz masks")
	}
	data := must.Read(t, path)
	piped := jtuneWith(t, t.Context(), bytes.NewReader(data), "convert", "nvpmodel", "-", "--json").done(t)
	must.Equal(t, piped.out, o.out, "reading from a pipe gives another answer")
	jtune(t, "convert", "nvpmodel", "/nowhere.conf").fails(t, exitFailed, "/nowhere.conf")
	jtune(t, "convert", "nvpmodel", write(t, "cores,cpu\n1,2\n")).fails(t, exitFailed, "no power mode in it",
		"/etc/nvpmodel.conf")
}

func TestExportPrintsABlockThatReadsBack(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, "true")
	o := jtune(t, with(args, "export", "nvpmodel", "8c/1.34C/0.83G/2.13M", "--name", "TRY")...).done(t)
	if !strings.Contains(o.out, "\n< POWER_MODEL ID=") || !strings.Contains(o.out, "NAME=TRY >") ||
		!strings.HasPrefix(o.out, "# current limits and other parameters: from MAXN") {
		t.Errorf("got %s", o.out)
	}
	conf := must.Get(tegra.DiskFS(root).ReadFile("/etc/nvpmodel.conf"))(t)
	joined := strings.Replace(string(conf), "< PM_CONFIG", o.out+"\n< PM_CONFIG", 1)
	v := jtune(t, "convert", "nvpmodel", write(t, joined), "--json").done(t).object(t,
		"default fan_default params modes mode_pairs_that_need_a_reboot errors")
	modes := v["modes"].([]any)
	last := modes[len(modes)-1].(map[string]any)
	has(t, last, "name = TRY", "cores_on.# = 8")
	has(t, v, "errors.# <= 0")
	jtune(t, with(args, "export", "nvpmodel", "8c/1.34C/0.83G/2.13M")...).fails(t, exitUsage, "--name")
	jtune(t, with(args, "export", "nvpmodel", "MAXN", "--name", "two words")...).fails(t, exitUsage, "name")
}
