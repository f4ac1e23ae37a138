package detect

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// A job whose every fourth step waits keeps its period where a busy board reads two lines at once now and then.
func TestReadKeepsThePeriodOfLinesReadTogether(t *testing.T) {
	t.Parallel()
	j, held := &job{now: time.Hour}, ""
	for i := range 202 {
		j.wait(time.Duration([]int{5, 5, 5, 195}[i%4]) * time.Millisecond)
		if held += fmt.Sprintf("step %d\n", i+1); i%11 != 5 {
			j.print("%s", held)
			held = ""
		}
	}
	d := New(Options{})
	play(d, j.out)
	r, err := d.Read()
	if err != nil || math.Abs(r.TimeMS/52.5-1) > 0.01 || r.ErrorMS > 0.01*r.TimeMS ||
		r.Why != "every 4th minibatch takes 195 ms" {
		t.Errorf("%.4g ± %.3g ms, %q, %v", r.TimeMS, r.ErrorMS, r.Why, err)
	}
}
