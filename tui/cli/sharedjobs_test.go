package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
)

// The output of programs that the shared tool replays in real time is read within 3 % of the tool's own values, all at
// once and therefore on a busy machine; what was misread is read again alone. Skipped if the tool does not exist.
func TestRunReadsTheSharedFormatsUnchanged(t *testing.T) {
	if testing.Short() {
		t.Skip("replays in real time")
	}
	// Not beside the package's other tests: the tool itself would be late.
	dir := os.Getenv("JTUNE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	tool := must.Get(filepath.Abs(filepath.Join(dir, "tools", "job_lines.py")))(t)
	if _, err := os.Stat(tool); err != nil {
		t.Skip("the shared formats are not here")
	}
	truth, err := exec.Command("python3", tool, "truth").Output()
	if err != nil {
		t.Skip("no python3")
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var again []func() string
	n := 0
	for line := range strings.Lines(string(truth)) {
		f := strings.Fields(line) // name, unit, its median in ms or None, how it can be read
		want, _ := strconv.ParseFloat(f[len(f)-2], 64)
		if n++; n%3 > 0 && os.Getenv("JTUNE_LONG") == "" {
			continue // package harness reads them all, on a clock of its own
		}
		all.Go(func() {
			if fault := misread(t, tool, f, want); fault != "" {
				mu.Lock()
				defer mu.Unlock()
				again = append(again, func() string { return misread(t, tool, f, want) })
			}
		})
	}
	all.Wait()
	for _, read := range again { // alone: on a machine that has no time for all at once, the tool's lines are late
		fault := read()
		for range 2 {
			if fault != "" {
				t.Logf("%s: once more", fault)
				fault = read()
			}
		}
		must.Equal(t, fault, "")
	}
	if n < 20 {
		t.Errorf("%d formats", n)
	}
}

// misread replays a format, whose truth is a line in fields, and says how it was read otherwise; "" if it was not.
func misread(t *testing.T, tool string, truth []string, want float64) string {
	o := jtune(t, with(noDevice, "--", "python3", tool, truth[0], "E=3")...)
	var v struct {
		Reading struct {
			Unit   string
			TimeMS float64 `json:"time_ms"`
		}
	}
	if err := json.Unmarshal([]byte(o.out), &v); err != nil || o.code != exitOK {
		return fmt.Sprintf("%s: %v, exit code %d: %s", truth[0], err, o.code, tailOf(o.err))
	}
	unit := strings.Replace(truth[1], "step", "minibatch", 1)
	if r := v.Reading; r.Unit != unit || want > 0 && math.Abs(r.TimeMS/want-1) > 0.03 {
		return fmt.Sprintf("%s: %g ms a %s, want %g a %s", truth[0], r.TimeMS, r.Unit, want, unit)
	}
	return ""
}
