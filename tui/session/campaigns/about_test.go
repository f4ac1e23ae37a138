package campaigns

import (
	"strings"
	"testing"

	"jtune/profiles/record"
	"jtune/profiles/workload"
)

// A campaign over batch sizes has not run at the workload's own.
func TestAboutNamesTheBatchSizesThatWereRun(t *testing.T) {
	t.Parallel()
	h := record.Header{Workload: workload.Workload{Name: "resnet18", Batch: 16}}
	for want, sizes := range map[string][]int{"resnet18, batch size 16": nil, "resnet18, batch sizes 8 32": {8, 32}} {
		h.Plan.Batches = sizes
		if got := About(h, nil).Known()[0][1]; !strings.HasPrefix(got, want) {
			t.Errorf("%v: %q", sizes, got)
		}
	}
}
