package virtual

import (
	"fmt"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/virtual/physics"
)

// /proc/meminfo matches the memory budget: a job that fits leaves exactly the remainder, never more than exists, and
// the page cache then holds that much of the data.
func TestMemoryHasOneAccount(t *testing.T) {
	t.Parallel()
	for _, m := range models {
		for _, job := range append(Workloads(), InferenceJobs()...) {
			b := fast(t, Options{Name: m.name})
			account, need := b.Memory(), b.Needs(job, 0)
			left := account.Left(need)
			if err := b.Fits(job, 0); (err == nil) != (left >= 0) {
				t.Errorf("%s on %s: %v with %d bytes left", job, m.name, err, left)
			}
			if left < 0 {
				continue
			}
			must.NoError(t, b.Start(Job{Workload: job}))
			d := open(t, b)
			r, err := d.Read()
			if err != nil || r.RAMTotal.V-r.RAMUsed.V < left-3*kib || r.RAMTotal.V-r.RAMUsed.V > left+3*kib {
				t.Errorf("%s on %s: %d of %d used, %v; the account leaves %d", job, m.name, r.RAMUsed.V, r.RAMTotal.V,
					err, left)
			}
			w, _ := physics.Find(job)
			if share := b.cacheable(w); w.DatasetMB > 0 && share < 1 && share*w.DatasetMB*1e6 > float64(left)+1 {
				t.Errorf("%s on %s: %.2f of the data cached in %d bytes", job, m.name, share, left)
			}
		}
	}
}

// A batch of requests needs memory; one too large is rejected before it starts.
func TestMemoryGrowsWithTheBatchOfAnInference(t *testing.T) {
	t.Parallel()
	b := fast(t, Options{Name: "nano"})
	if small, large := b.Needs("mobilenet-infer", 1), b.Needs("mobilenet-infer", 64); small >= large {
		t.Errorf("%d bytes at batch 1, %d at 64", small, large)
	}
	for _, job := range physics.Networks() {
		if err := b.Fits(job.Infer(1).Name, 64); err != nil {
			t.Errorf("published at this size: %v", err)
		}
	}
	err := b.Start(Job{Workload: "bert-infer", Batch: 64})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("bert-infer at batch size %d needs", 64)) {
		t.Errorf("%v", err)
	}
}
