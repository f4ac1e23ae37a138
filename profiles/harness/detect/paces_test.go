package detect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// loop is a training program in power modes that are up to slowest times slower than the first.
type loop struct {
	line, end string // of a step, by epoch, step, epoch's length and steps in all; of an epoch
	every, of int    // steps a line and an epoch; the count goes on from epoch to epoch, or not
	slowest   float64
	pause     float64 // after an epoch, in steps
}

func (l loop) String() string {
	return fmt.Sprintf("%q every %d steps of %d, %g times slower, pauses of %g", l.line, l.every, l.of, l.slowest,
		l.pause)
}

// pace is one power mode, or one pause.
type pace struct {
	from, to time.Duration
	ms       float64 // of a step
}

// inModes runs a loop for 15 minutes and returns its modes, its pauses and the steps taken.
func (l loop) inModes() (modes, pauses []pace, out []Done, refused error) {
	rnd := rand.New(rand.NewPCG(1, 2))
	d, now, all, watched := New(Options{}), time.Second, 0, time.Duration(0)
	for e := 0; now < 15*time.Minute; e++ {
		for i := 1; i <= l.of; i++ {
			if n := len(modes); n == 0 || now > modes[n-1].to {
				ms := 50.
				if n > 0 {
					modes[n-1].to = now
					ms *= 1 + (l.slowest-1)*rnd.Float64()
				}
				long := max(40*time.Second, time.Duration(4.5*float64(l.every)*ms)*time.Millisecond)
				modes = append(modes, pace{now, now + long, ms})
			}
			all++
			ms := modes[len(modes)-1].ms
			now += time.Duration(ms * float64(time.Millisecond) * (0.96 + 0.08*rnd.Float64()))
			if i%l.every != 0 {
				continue
			}
			d.Line(fmt.Appendf(nil, l.line, e+1, i, l.of, all), now, true)
			if _, _, err := d.Choose(now); err != nil {
				return modes, pauses, out, err
			}
			if now-watched > 15*time.Second {
				watched = now
				if err := d.Overtaken(); err != nil {
					return modes, pauses, out, err
				}
			}
			out = append(out, d.Take(false)...)
		}
		rest := time.Duration(l.pause * modes[len(modes)-1].ms * float64(time.Millisecond))
		pauses = append(pauses, pace{from: now, to: now + rest})
		now += rest
		d.Line(fmt.Appendf(nil, l.end, e+1), now, true)
	}
	return modes, pauses, out, nil
}

// A campaign goes through modes of any order. Steps of a slower mode count from its third line at the latest, pauses do
// not, and the count of epochs does not overtake that of the steps.
func TestTakeFollowsThePaceThroughPowerModes(t *testing.T) {
	t.Parallel()
	for _, lines := range [][2]string{
		{"Epoch [%[1]d/90], Step [%[2]d/%[3]d], Loss: 2.1", "Epoch %d: val accuracy 0.5"},
		{"Epoch: [%[1]d][%4[2]d/%[3]d]\tTime  0.050 ( 0.050)\tLoss 7.0e+00 (7.1e+00)", " *   Acc@1 %d.2 Acc@5 50.1"},
		{"step %[4]d loss 2.1", "Epoch %d: train loss 2.0, val loss 2.1"},
	} {
		for _, every := range []int{20, 50, 100} {
			for _, of := range []int{200, 391} {
				for _, slowest := range []float64{1, 2.5, 6} {
					for _, pause := range []float64{0, 60} {
						loop{lines[0], lines[1], every, of, slowest, pause}.check(t)
					}
				}
			}
		}
	}
}

func (l loop) check(t *testing.T) {
	t.Helper()
	modes, pauses, out, refused := l.inModes()
	if refused != nil {
		t.Errorf("%v: refused: %v", l, refused)
	}
	in, lost, counted, wrong := -1, 0, 0, 0
	for _, s := range out {
		for i, m := range modes {
			if s.Begin >= m.from && s.End <= m.to && i != in {
				in, lost = i, 0
			}
		}
		if in < 0 || s.Begin < modes[in].from || s.End > modes[in].to {
			continue // of two modes
		}
		if !s.Pause {
			counted++
			if math.Abs(s.TimeMS/modes[in].ms-1) > 0.1 {
				wrong++
			}
			lost = 0
			continue
		}
		real := false
		for _, p := range pauses {
			real = real || p.from <= s.End && p.to >= s.Begin
		}
		if !real {
			lost++
		}
		if lost == 3 {
			t.Errorf("%v: three lines of mode %d do not count", l, in)
		}
	}
	if counted < 10 || 20*wrong > counted {
		t.Errorf("%v: %d lines count, %d of them with another time", l, counted, wrong)
	}
}
