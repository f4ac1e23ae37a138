package profiles

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"jtune/profiles/harness"
	"jtune/tegra/virtual"
)

// What was read of another counter is measured again where it is all of the first mode; later, it ends the campaign: no
// campaign mixes two counters.
func TestCampaignNeverMixesWhatIsWithdrawn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after, rows int
		end         End
	}{"in the first mode": {20, 3, Complete}, "in the second": {60, 1, Withdrawn}} {
		r := newRig(t, "resnet18", virtual.Options{Noise: noNoise()})
		after := c.after
		r.through(func(e harness.Event, err error) (harness.Event, error) {
			if after--; err == nil && after == 0 {
				return harness.Event{Kind: harness.Withdrawn, T: e.T, Message: `"Preparing" was not the job`,
					Info: map[string]string{harness.NotJob: "Preparing"}}, nil
			}
			return e, err
		})
		var said []string
		r.bench.Observe = func(p Progress) {
			if p.Line != "" {
				said = append(said, p.Line)
			}
		}
		sum, err := campaign(t, r, filepath.Join(t.TempDir(), "c"), 3, false).Run(t.Context())
		w, withdrawn := errors.AsType[*WithdrawnError](err)
		if sum.End != c.end || len(sum.Rows) != c.rows || withdrawn != (c.end == Withdrawn) {
			t.Errorf("%s: %s, %d rows, %v; want %s, %d", name, sum.End, len(sum.Rows), err, c.end, c.rows)
		}
		if withdrawn && w.Not != "Preparing" {
			t.Errorf("%s: %q was not the job", name, w.Not)
		}
		if c.end == Complete && (err != nil || !slices.Contains(said, `"Preparing" was not the job`)) {
			t.Errorf("%s: %v, said %q", name, err, said)
		}
		for _, row := range sum.Rows {
			if row.Minibatches != 40 || !row.Status.Usable() {
				t.Errorf("%s: %d minibatches, %s %s", name, row.Minibatches, row.Status, row.Why)
			}
		}
	}
}
