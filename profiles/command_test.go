package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

func TestCampaignMeasuresAnOwnCommandAcrossModes(t *testing.T) {
	t.Parallel()
	// A real process on the machine's clock, on a board that answers at once.
	r := newRig(t, "lstm", virtual.Options{})
	dir := t.TempDir()
	r.use(&ageless{Device: r.device, n: 0}, tegra.RealClock())
	r.bench.Settings = record.Settings{Minibatches: 10, SampleEvery: 20 * time.Millisecond,
		SteadyGiveUp: 200 * time.Millisecond}
	w := workload.Workload{Name: "own", Batch: 16, Dir: dir, Command: []string{"sh", "-c",
		`echo Loading; i=0; while true; do i=$((i+1)); echo '{"event":"minibatch","batch":'$i',"time_ms":5,"fetch_ms":1,"compute_ms":4}'; sleep 0.005; done`}}
	r.bench.Workload = w
	log := filepath.Join(dir, "log.txt")
	r.bench.NewHarness = w.NewHarness(workload.HarnessOptions{Clock: r.bench.Clock, Log: log, Silence: time.Minute})
	sum, err := (&Campaign{Bench: r.bench, Plan: listOf(r.device.Space().Sample(3, 2))}).Run(t.Context())
	if err != nil || sum.End != Complete || sum.Failed != 0 {
		t.Fatalf("%s, %d failed, %v: %+v", sum.End, sum.Failed, err, sum.Rows)
	}
	for _, row := range sum.Rows {
		if row.TimeMS != 5 || row.StallMS != tegra.Some(1.0) || row.PowerW != 25 || row.Minibatches < 10 {
			t.Errorf("%+v", row)
		}
	}
	if text, _ := os.ReadFile(log); strings.Count(string(text), "jtune: started") != 1 ||
		!strings.Contains(string(text), "Loading") {
		t.Errorf("the job was not kept running from mode to mode:\n%s", text)
	}
}

// ageless is a device with a constant power and nothing else to say.
type ageless struct {
	tegra.Device
	n int
}

func (d *ageless) Read() (tegra.Reading, error) {
	return tegra.Reading{TotalW: tegra.Some(25.0)}, nil
}
