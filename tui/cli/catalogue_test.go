package cli

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestDeviceListsJetsonsAndMachinesToCompareWith(t *testing.T) {
	t.Parallel()
	text := jtune(t, "device", "--list").done(t).out
	must.Contain(t, strings.Join(strings.Fields(text), " "), "AGX Xavier", "29,232",
		"Raspberry Pi 5, no Jetson, as stated elsewhere", "Edge TPU, no Jetson, as stated elsewhere: does not train",
		"2560?", "? not checked", "TX2, presets: MAXN, MAXQ, MAXP_CORE_ALL, MAXP_CORE_ARM")
	var list []map[string]any
	must.NoError(t, json.Unmarshal([]byte(jtune(t, "device", "--list", "--json").done(t).out), &list))
	for _, d := range list {
		switch d["name"] {
		case "Nano":
			if d["cores"] != 4.0 || d["modes"] != 1440.0 || d["jetson"] != true { // as the virtual board: not checked
				t.Errorf("got %v", d)
			}
		case "RTX A5000":
			has(t, d, "price_usd = null", "cores = 32", "jetson = false")
		case "TX2":
			want := []any{"cuda_cores", "storage", "price_usd", "size_mm"}
			must.Equal(t, d["not_checked"], any(want))
		}
	}
}

// Every format marks an unchecked value.
func TestDeviceListMarksUncheckedValuesInCSVToo(t *testing.T) {
	t.Parallel()
	rows := must.Get(csv.NewReader(strings.NewReader(jtune(t, "device", "--list", "--csv").done(t).out)).ReadAll())(t)
	column := map[string]int{}
	for i, key := range rows[0] {
		column[key] = i
	}
	marked := 0
	for _, row := range rows[1:] {
		for key := range strings.FieldsSeq(row[column["not_checked"]]) {
			marked++
			if i, ok := column[key]; !ok || row[i] == "" {
				t.Errorf("%s: %q is marked as not checked and has no value", row[0], key)
			}
		}
		if row[column["name"]] == "AGX Xavier" && (row[column["cpu_ghz"]] != "2.2656" || row[column["peak_w"]] != "" ||
			row[column["modes"]] != "29232" || row[column["not_checked"]] != "") {
			t.Errorf("got %q", row)
		}
	}
	if marked == 0 {
		t.Error("nothing is marked")
	}
}
