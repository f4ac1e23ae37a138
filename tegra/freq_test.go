package tegra_test

import (
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

func TestFreqPrintsInTheLargestFittingUnit(t *testing.T) {
	t.Parallel()
	for f, want := range map[tegra.Freq]string{
		0: "0 Hz", 999: "999 Hz", 12 * tegra.KHz: "12 kHz", 729600 * tegra.KHz: "729.6 MHz", 114750000: "114.75 MHz",
		665600000: "665.6 MHz", 1300500000: "1.30 GHz", 3199 * tegra.MHz: "3.20 GHz", 2201600 * tegra.KHz: "2.20 GHz",
	} {
		if got := f.String(); got != want {
			t.Errorf("%d prints %q, want %q", int64(f), got, want)
		}
	}
}

// clockFiles are the files of a board that hold clocks.
var clockFiles = regexp.MustCompile(`/(?:scaling|cpuinfo)_(?:cur|min|max)_freq$|/scaling_available_frequencies$|` +
	`/(?:cur|min|max|target)_freq$|/available_frequencies$|/clk/emc/(?:rate|min_rate|max_rate)$|/possible_rates$`)

// A kernel may print its clocks in another unit than most: the modes and the reading of every recorded board are the
// same in kHz and in Hz.
func TestReadingIsTheSameInEveryUnitOfItsClocks(t *testing.T) {
	t.Parallel()
	for name, tr := range tegratest.Trees() {
		s := open(t, tr)
		for unit, convert := range map[string]func(int64) int64{
			"kHz": func(v int64) int64 { return int64(tegra.ClockOf(v) / tegra.KHz) },
			"Hz":  func(v int64) int64 { return int64(tegra.ClockOf(v)) },
		} {
			other := &tegratest.Tree{Files: maps.Clone(tr.Files), Links: tr.Links}
			changed := map[string]bool{}
			for file, text := range tr.Files {
				if !clockFiles.MatchString(file) {
					continue
				}
				words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(text), "(kHz)"))
				for i, w := range words {
					v, err := strconv.ParseInt(w, 10, 64)
					if err != nil || tegra.ClockOf(v)%tegra.KHz != 0 {
						continue
					}
					words[i] = strconv.FormatInt(convert(v), 10)
					changed[path.Base(file)] = changed[path.Base(file)] || words[i] != w
				}
				other.Files[file] = strings.Join(words, " ") + "\n"
			}
			if !slices.Contains(slices.Collect(maps.Values(changed)), true) {
				t.Fatalf("%s in %s: no file differs", name, unit)
			}
			o := open(t, other)
			if a, b := o.Space().Modes(), s.Space().Modes(); !slices.Equal(a, b) {
				t.Errorf("%s in %s: %d modes, want %d", name, unit, len(a), len(b))
			}
			got, want := read(t, o), read(t, s)
			if !reflect.DeepEqual(got.GPU, want.GPU) || !reflect.DeepEqual(got.CPU, want.CPU) || got.EMC != want.EMC {
				t.Errorf("%s in %s: %+v %+v %+v, want %+v %+v %+v", name, unit, got.CPU, got.GPU, got.EMC, want.CPU,
					want.GPU, want.EMC)
			}
			for _, w := range planOf(t, o) {
				data, _ := tegratest.NewMemory(other).ReadFile(w.Path)
				is, _ := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
				v, err := strconv.ParseInt(w.Value, 10, 64)
				if err == nil && clockFiles.MatchString(w.Path) && is > 0 &&
					int64(tegra.ClockOf(v))*is != int64(tegra.ClockOf(is))*v {
					t.Errorf("%s in %s: %s to %s, which holds %d", name, unit, w.Value, w.Path, is)
				}
			}
		}
	}
}

// planOf plans the lowest mode of a board, locked.
func planOf(t *testing.T, s *tegra.Sysfs) []tegra.Write {
	t.Helper()
	now := must.Get(s.Planner().Snapshot())(t)
	return must.Get(s.Planner().Plan(now, tegra.Request{Mode: s.Space().Modes()[0]}, tegra.State{}))(t)
}

// A driver that prints -1 without a sign shows no clock.
func TestReadingHasNoClockOfMinusOne(t *testing.T) {
	t.Parallel()
	for name, tr := range tegratest.Trees() {
		broken := &tegratest.Tree{Files: maps.Clone(tr.Files), Links: tr.Links}
		for file := range tr.Files {
			base := path.Base(file)
			if strings.HasSuffix(base, "cur_freq") ||
				strings.Contains(file, "emc/") && (base == "rate" || base == "clk_rate") {
				broken.Files[file] = "4294967295\n"
			}
		}
		if r := read(t, open(t, broken)); r.CPU.Actual.OK || r.GPU.Actual.OK || r.EMC.Actual.OK {
			t.Errorf("%s: %v %v %v", name, r.CPU.Actual, r.GPU.Actual, r.EMC.Actual)
		}
	}
}
