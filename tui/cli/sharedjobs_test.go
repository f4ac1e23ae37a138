package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/sweep/sweeptest"
)

// The output of programs that the shared tool replays in real time is read within 3 % of the tool's own values, all at
// once and therefore on a busy machine; what was misread is read again alone. In the default run package detect reads
// recordings of all of them, on a clock of its own.
func TestRunReadsTheSharedFormatsUnchanged(t *testing.T) {
	long(t, "replays in real time, alone: beside other tests the tool itself would be late", "python3")
	tool := sweeptest.Shared(t, "tools/job_lines.py")
	truth := must.Get(exec.Command("python3", tool, "truth").Output())(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	var again []func() string
	n := 0
	for line := range strings.Lines(string(truth)) {
		f := strings.Fields(line) // name, unit, its median in ms or None, how it can be read
		want, _ := strconv.ParseFloat(f[len(f)-2], 64)
		n++
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
