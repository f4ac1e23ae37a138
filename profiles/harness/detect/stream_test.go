package detect

import (
	"math"
	"testing"
	"time"
)

// A count that goes on by ten holds a validation and a checkpoint now and then: its ten steps are handed on as a pause.
func TestTakeKeepsPausesOutOfStepsThatComeInTens(t *testing.T) {
	t.Parallel()
	j := &job{now: time.Hour}
	j.train(every(10, func(e, i, all int, s float64) { j.print("iter: %d  total_loss: 2.3\n", all) }), nil, nil)
	d := New(Options{})
	play(d, j.out)
	if err := d.ChooseAtEnd(); err != nil {
		t.Fatal(err)
	}
	steps, pauses, sum := 0, 0, 0.0
	for _, s := range d.Take(true) {
		if s.Pause {
			pauses++
			continue
		}
		steps += s.N
		sum += float64(s.N) * s.TimeMS
	}
	if mean := sum / float64(steps); math.Abs(mean/50-1) > 0.01 || pauses != epochs-1 || steps < 290 {
		t.Errorf("%d steps of %.3g ms, %d pauses, want 300 of 50 ms and %d", steps, mean, pauses, epochs-1)
	}
}
