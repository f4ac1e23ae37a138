package telemetry

import (
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"jtune/tegra"
)

// Ten minutes before, one between and five after decide, each of them; a tenth less is no drop yet.
func TestDropLooksAtEachOfItsMinutes(t *testing.T) {
	t.Parallel()
	look := func(change func(i int, m *minute)) bool {
		var d Drop
		for i := range dropBefore + 1 + dropAfter {
			m := minute{from: time.Duration(i) * time.Minute, watts: 100, samples: 1, ms: 50, steps: 1}
			if i > dropBefore {
				m.watts = 80
			}
			change(i, &m)
			d.past = append(d.past, m)
		}
		d.look()
		if f := d.Found(); f.OK && f.V.At != dropBefore*time.Minute {
			t.Errorf("dropped at %v", f.V.At)
		}
		return d.Found().OK
	}
	if !look(func(int, *minute) {}) {
		t.Fatal("a drop by 20 % is not found")
	}
	if look(func(i int, m *minute) {
		if i > dropBefore {
			m.watts = 90
		}
	}) {
		t.Error("found where power is a tenth less")
	}
	for one := range dropBefore + 1 + dropAfter {
		watts := 85.0 // before: too little to have dropped from
		if one > dropBefore {
			watts = 95
		}
		if got := look(func(i int, m *minute) {
			if i == one {
				m.watts = watts
			}
		}); got != (one == dropBefore) {
			t.Errorf("with %g W in minute %d: found %v", watts, one, got)
		}
		if look(func(i int, m *minute) {
			if i == one {
				m.ms = 56
			}
		}) {
			t.Errorf("found although minibatches took 12 %% longer in minute %d", one)
		}
	}
}

// One sample and one minibatch a minute are enough.
func TestDropTakesMinutesOfOneSample(t *testing.T) {
	t.Parallel()
	var d Drop
	for i := range 18 {
		watts := 100.0
		if i > 10 {
			watts = 70
		}
		d.Power(time.Duration(i)*time.Minute, watts)
		d.Minibatch(time.Duration(i)*time.Minute+time.Second, 50)
	}
	if f := d.Found(); !f.OK || f.V.FromW != 100 || f.V.ToW != 70 {
		t.Errorf("found %+v", f)
	}
}

func TestSteadySpreadOfNoPowerIsInfinite(t *testing.T) {
	t.Parallel()
	for _, recent := range [][]float64{nil, {0, 0}, {-1, 1}, {-2, -2}} {
		if got := (&Steady{recent: recent}).SpreadNow(); !math.IsInf(got, 1) {
			t.Errorf("%v: %g", recent, got)
		}
	}
	if got := (&Steady{recent: []float64{9, 11}}).SpreadNow(); got != 0.2 {
		t.Errorf("9 and 11 W: %g", got)
	}
}

func TestDiskTakesALineOfSixFields(t *testing.T) {
	t.Parallel()
	if got := parseDiskstats("259 0 nvme0n1 10 0 80\n259 1 sda 5 0\n", ""); got != tegra.Some(DiskCount{10, 80 * 512}) {
		t.Errorf("%+v", got)
	}
	if _, err := DiskOf(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path that is not there: %v", err)
	}
}

func TestResidencyOfNoTimeIsNone(t *testing.T) {
	t.Parallel()
	if got := residency(map[tegra.Freq]time.Duration{tegra.GHz: 0}, "kernel"); !reflect.DeepEqual(got, Residency{}) {
		t.Errorf("%+v", got)
	}
}

// A second of computing within four, or a little more on a busy machine, is about a quarter of a core.
func TestSelfSharesWhatItUsedByTheTime(t *testing.T) {
	t.Parallel()
	s := &Self{at: time.Now().Add(-4 * time.Second), used: OwnCPU() - time.Second}
	if got := s.CPUPct(); !got.OK || got.V > 60 || got.V < 5 {
		t.Errorf("%+v, want about 25", got)
	}
}
