package tegra

import (
	"maps"
	"slices"
	"testing"

	"jtune/internal/tools/reliability"
)

func TestCoreListsAreTheKernelsRanges(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{"0-3": {0, 1, 2, 3}, "0,3-5\n": {0, 3, 4, 5}, "7": {7}, "": nil, "\n": nil,
		"2,1": {1, 2}} {
		if got, err := cpuList(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"3-1", "a", "0-99999", "-1", "0--1", "1-2-3"} {
		if got, err := cpuList(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestFreqListComesInAnyUnit(t *testing.T) {
	t.Parallel()
	want := []Freq{204 * MHz, 665600 * KHz, 2133 * MHz}
	for _, text := range []string{"204000 665600 2133000 (kHz)\n", "2133000 204000 665600",
		"204000000 665600000 2133000000\n", "204 665600 2133"} {
		if got := freqList(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"", "(kHz)", "none", "-5 0"} {
		if got := freqList(text); len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestParseStatTakesTheLinesOfCores(t *testing.T) {
	t.Parallel()
	got := parseStat([]byte("cpu 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu1 1 0 0 1\ncpu2 1 2 3\n7 1 1 1 1 1\n" +
		"intr 5 5 5 5 5\ncpu-1 1 1 1 1 1\ncpu3 1 1 1 x 1\n"))
	want := map[int]cpuTicks{0: {busy: 27, total: 36}, 1: {busy: 1, total: 2}}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestParseMeminfoBoundsItsNumbers(t *testing.T) {
	t.Parallel()
	got := parseMeminfo([]byte("MemTotal: 31 kB\nHugePages_Total: 0\nTop: 1125899906842623 kB\n" +
		"More: 1125899906842624 kB\nBelow: -1 kB\nNone:\nno colon 5\n"))
	want := map[string]int64{"MemTotal": 31 << 10, "HugePages_Total": 0, "Top": 1125899906842623 << 10}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func FuzzCPUList(f *testing.F) {
	for _, seed := range []string{"0-3", "0,3-5", "", "9999999999", "1-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		list, err := cpuList(text)
		if err == nil && (len(list) > 1024 || !slices.IsSorted(list)) {
			t.Errorf("%q: %d cores", text, len(list))
		}
	})
}

func FuzzParseTables(f *testing.F) {
	for _, seed := range []string{"cpu0 1 2 3 4 5\ncpu1 1 1 1 1\n", "MemTotal: 1 kB\nCached: -1 kB\n",
		"204000 665600 (kHz)", "cpu0 18446744073709551615 1 1 1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		var m loadMeter
		m.take(parseStat([]byte(text)))
		for n, pct := range m.take(parseStat([]byte(text))) {
			if !(pct >= 0 && pct <= 100) {
				t.Errorf("core %d at %g %%", n, pct)
			}
		}
		for name, v := range parseMeminfo([]byte(text)) {
			if v < 0 {
				t.Errorf("%s is %d bytes", name, v)
			}
		}
		for _, q := range freqList(text) {
			if q <= 0 || q > maxFreq {
				t.Errorf("a rate of %d", q)
			}
		}
	})
}
