package config

import (
	"fmt"
	"strings"
	"testing"

	"jtune/internal/tomlfile"
	"jtune/internal/tools/reliability"
)

// The largest files that are decoded, with a fault in every line: each takes a second of computing at most, and not
// all faults are looked up.
func TestCheckConfigOfAFileOfFaultsEnds(t *testing.T) { // not parallel: it measures the process
	for name, form := range map[string]string{
		"keys":               "k%d = 1\n",
		"tables":             "[t%d]\n",
		"tables of keys":     "[t%[1]d]\nk%[1]d = 1\n",
		"colours":            "theme.c%d = 'x'\n",
		"actions":            "keys.a%d = ['x']\n",
		"boards":             "board.b%d = {ssh = '-x'}\n",
		"keys of boards":     "board.b.k%d = 1\n",
		"keys of a workload": "workload.w.k%d = 1\n",
		"workloads":          "workload.w%d.batch = -1\n",
		"long names":         "'" + strings.Repeat("x", 90) + "%d' = 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := range 4900 {
				fmt.Fprintf(&b, form, i)
			}
			end := reliability.Input(t)
			faults := CheckConfig("f.toml", b.String(), ScreenTables{
				CheckKeys:  func(map[string][]string) (string, error) { return "a1", fmt.Errorf("unknown") },
				CheckTheme: func(map[string]string) (string, error) { return "c1", fmt.Errorf("unknown") },
			})
			end()
			if len(faults) == 0 || len(faults) > 3*tomlfile.MostFaults {
				t.Errorf("%d faults", len(faults))
			}
		})
	}
}
