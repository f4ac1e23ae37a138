package hold

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
)

// FuzzWatcher plays samples made of bytes: sensors that come and go, values that are no numbers, clocks that fall, a
// time of day that jumps. A load that was seen above its limit never holds.
func FuzzWatcher(f *testing.F) {
	for _, s := range []string{"\x00", strings.Repeat("\x01\x02\x03\x04\x05\x06\x07\x08", 200),
		strings.Repeat("\xff", 1600), strings.Repeat("\x80\x00\x40\x10\x00\x00\x00\x00", 100)} {
		f.Add([]byte(s), uint8(0xff), 15.0, 85.0, 5.0, 4.75)
	}
	f.Add([]byte{}, uint8(0), math.NaN(), -1.0, math.Inf(1), 0.0)
	f.Fuzz(func(t *testing.T, in []byte, given uint8, w, c, a, v float64) {
		defer reliability.Input(t)()
		l := metric.Limits{}
		for bit, b := range []metric.Bound{{Metric: metric.Power, Value: w}, {Metric: metric.Temperature, Value: c},
			{Metric: metric.Current, Value: a}, {Metric: metric.Voltage, Value: v}} {
			if given&(1<<bit) != 0 && b.Value > 0 && b.Value <= b.Most {
				l = l.With(b)
			}
		}
		before := reading(40, 5)
		watcher := New(Start{Board: tegra.Board{TotalRule: "VDD_IN"}, Limits: l, Wall: morning,
			Counted: before.Signals, IdleC: tegra.Some(40.0)})
		at, wall, hottest := time.Duration(0), morning, math.Inf(-1)
		for ; len(in) >= 8; in = in[8:] {
			b := in[:8]
			step := time.Duration(1+int(b[0])) * 250 * time.Millisecond
			at, wall = at+step, wall.Add(step)
			if b[7]&1 != 0 {
				wall = wall.Add(time.Duration(int16(binary.LittleEndian.Uint16(b[1:]))) * time.Minute)
			}
			r := reading(float64(b[1])/1.5, float64(b[2])/4)
			if b[7]&2 != 0 {
				r.Temps = nil
			} else {
				hottest = max(hottest, float64(b[1])/1.5)
			}
			if b[7]&4 != 0 {
				r.TotalW = tegra.Val[float64]{}
			}
			if b[7]&8 != 0 {
				r.Rails = nil
			}
			if b[7]&16 != 0 {
				r.Signals = counts(int64(int8(b[3])), int64(int8(b[4])))
			}
			if b[7]&32 != 0 {
				r.Locked, r.GPU.Actual = tegra.Some(false), tegra.Some(tegra.Freq(b[4])*tegra.MHz)
			}
			if b[7]&128 != 0 {
				r.TotalW = tegra.Finite(math.Float64frombits(uint64(b[5])<<56 | uint64(b[6])<<48))
			}
			watcher.Take(telemetry.Sample{T: at, Reading: r, Valid: true}, wall)
		}
		got := watcher.Judge(Ending{Asked: at}, tegra.Val[tegra.Mode]{})
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%v: %+v", err, got)
		}
		if got.Verdict == Holds && hottest > l.Val(metric.Temperature).Or(math.Inf(1)) {
			t.Errorf("holds at %v °C over %v", hottest, l)
		}
		if s := got.Sentence(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("%q", s)
		}
	})
}
