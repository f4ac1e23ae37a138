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
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			j := &job{now: time.Hour}
			f.run(j)
			search, run := New(Options{Batch: 16}), New(Options{Batch: 16})
			searched, ran := player{search, map[int]string{}}, player{run, map[int]string{}}
			var early Reading
			var taken []span
			watched := time.Duration(0)
			for _, p := range j.out {
				searched.piece(p)
				ran.piece(p)
				if r, chosen, err := search.Choose(p.at); err != nil {
					return
				} else if chosen {
					early, watched = r, p.at
				}
				_, _, _ = run.Choose(p.at)
				if p.at-watched > 15*time.Second && search.Chosen() {
					if watched = p.at; search.Overtaken() != nil {
						return
					}
				}
				taken = append(taken, steps(search.Take(false))...)
			}
			ran.end()
			taken = append(taken, steps(search.Take(true))...)
			last, err := run.Read()
			if early.Unit == "" || err != nil || last.Summary || len(taken) < 3 {
				return
			}
			if ms := weighted(taken, 0.5); early.Unit != last.Unit || math.Abs(ms/last.TimeMS-1) > 0.05 {
				t.Errorf("a search takes %s %q, %.4g ms a %s; a run %s %q, %.4g ms a %s", early.Form, early.What, ms,
					early.Unit, last.Form, last.What, last.TimeMS, last.Unit)
			}
		})
	}
}

func steps(all []Done) (out []span) {
	for _, s := range all {
		if !s.Pause {
			out = append(out, span{n: float64(s.N), ms: s.TimeMS})
		}
	}
	return out
}
