package tegra

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestBinarySizeReadsUnitsUpToATebibyte(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"0": 0, "7": 7, "7B": 7, "19568K": 19568 << 10, "3M": 3 << 20,
		"2G": 2 << 30, "1024G": 1 << 40, "1099511627776": 1 << 40} {
		if got, ok := binarySize(text); !ok || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "K", "-1K", "1025G", "1099511627777", "1.5G", "3T", "x"} {
		if got, ok := binarySize(text); ok {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

// A list of clocks is limited in length and in the size of a clock.
func TestFreqListIsBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 5000 {
		b.WriteString(" " + (leastClock + Freq(i)*KHz).In(KHz))
	}
	if got := freqList(b.String()); len(got) != 4096 || got[0] != leastClock || got[4095] != leastClock+4095*KHz {
		t.Errorf("of 5000 clocks %d are taken", len(got))
	}
	if got := freqList(maxFreq.In(Hz) + " " + (maxFreq + KHz).In(Hz)); !slices.Equal(got, []Freq{maxFreq}) {
		t.Errorf("around the largest clock: %v", got)
	}
}

// The label of a rail has 64 letters at most; NC and none mean that it is not connected.
func TestLabelOfARailIsBounded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := &finder{fs: DiskFS(root)}
	for text, want := range map[string]bool{"VDD_GPU": true, "NC": false, "": false, strings.Repeat("x", 64): true,
		strings.Repeat("x", 65): false} {
		must.NoError(t, os.WriteFile(filepath.Join(root, "label"), []byte(text+"\n"), 0o644))
		if got, ok := f.label("/label"); ok != want || ok && got != text {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}

// A board with a single memory rate has modes too.
func TestEMCOfKnowsABoardWithOneRate(t *testing.T) {
	t.Parallel()
	s := &Sysfs{emc: &emcGroup{freqs: []Freq{1600 * MHz}}}
	locked := knobs{locked: Some(true), rate: Some(1600 * MHz)}
	if got, ok := s.emcOf(locked); !ok || got != 1600*MHz {
		t.Errorf("locked: %v, %v", got, ok)
	}
	locked.rate = Some(1600*MHz + 33*MHz) // more than a fiftieth off
	if got, ok := s.emcOf(locked); ok {
		t.Errorf("a rate that is none is taken for %v", got)
	}
	s.emc.freqs = nil
	if got, ok := s.emcOf(locked); ok {
		t.Errorf("of no rates: %v", got)
	}
	s.emc.freqs = []Freq{1600 * MHz}
	if got, ok := s.emcOf(knobs{rate: Some(1600 * MHz)}); ok {
		t.Errorf("where it is not known whether it is locked: %v", got)
	}
}
