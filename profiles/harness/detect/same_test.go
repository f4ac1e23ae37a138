package detect

import (
	"math"
	"slices"
	"testing"
	"time"
)

// A search chooses early and counts from then on; a run to the end reads all. Both tell the same quantity, or one of
// them refuses.
func TestReadOfASearchAndOfARunAreTheSame(t *testing.T) {
	t.Parallel()
	for _, f := range slices.Concat(formats, tutorials, programs, strangers) {
		if f.name == "an evaluation that counts as the training does" { // known only when the training continues
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			j := &job{now: time.Hour}
			f.run(j)
			search, run := New(Options{Batch: 16}), New(Options{Batch: 16})
			searched, ran := player{search, map[int]string{}}, player{run, map[int]string{}}
			var early Reading
			var took, units float64
			watched := time.Duration(0)
			for _, p := range j.out {
				searched.piece(p)
				ran.piece(p)
				if r, chosen, err := search.Choose(p.at); err != nil {
					return
				} else if chosen {
					early, watched = r, p.at
				}
				if p.at-watched > 5*time.Second && search.Chosen() {
					if _, now, yes := search.Overtaken(); yes {
						early, took, units = now, 0, 0
					}
					watched = p.at
				}
				for _, s := range search.Take(false) {
					if !s.Pause {
						took, units = took+float64(s.N)*s.TimeMS, units+float64(s.N)
					}
				}
			}
			ran.end()
			last, err := run.Read()
			if early.Unit == "" || err != nil || last.Summary || took < 5000 {
				return
			}
			if ms := took / units; early.Unit != last.Unit || math.Abs(ms/last.TimeMS-1) > 0.07 {
				t.Errorf("a search takes %s %q, %.4g ms a %s; a run %s %q, %.4g ms a %s", early.Form, early.What, ms,
					early.Unit, last.Form, last.What, last.TimeMS, last.Unit)
			}
		})
	}
}
