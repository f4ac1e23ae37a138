package tegra_test

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// unreadable are the errors of a file, and nonsense its invalid contents.
var (
	unreadable = []syscall.Errno{syscall.EIO, syscall.EBUSY, syscall.EACCES, syscall.ENOENT, syscall.EAGAIN,
		syscall.ENODEV}
	nonsense = map[string]string{
		"garbage":        "\x00\xff no number\n",
		"empty":          "",
		"huge":           strings.Repeat("9", 2<<20),
		"far below zero": "-77777777\n",
		"beyond 64 bits": "99999999999999999999\n",
		"a newline":      "\n",
	}
)

// faultBoards returns the boards of the normal or the short run; the long form takes all.
func faultBoards() []tegratest.Board {
	if os.Getenv("JTUNE_LONG") != "" {
		return tegratest.Boards()
	}
	name := "agx-orin-36"
	if testing.Short() {
		name = "nano-32"
	}
	board, _ := tegratest.BoardNamed(name)
	return []tegratest.Board{board}
}

// faultFiles are one file of each kind; all of them in the long form.
func faultFiles(tr *tegratest.Tree) []string {
	kinds := map[string]string{}
	for name := range tr.Files {
		kind := path.Base(name)
		if os.Getenv("JTUNE_LONG") != "" {
			kind = name
		}
		if last := kinds[kind]; len(name) > len(last) || len(name) == len(last) && name > last { // cpu11 before cpu9
			kinds[kind] = name
		}
	}
	var out []string
	for _, name := range kinds {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// wrong lists the differences of a reading with a fault from a good one: a value may be absent, and a core off if it is
// reported off, but no value may be wrong.
func wrong(sound, got tegra.Reading) []string {
	var out []string
	differs := func(name string, a, b any, ok bool) {
		if ok && a != b {
			out = append(out, fmt.Sprintf("%s is %v, not %v", name, b, a))
		}
	}
	for name, pair := range map[string][2]tegra.ClockReading{"CPU": {sound.CPU, got.CPU}, "GPU": {sound.GPU, got.GPU},
		"EMC": {sound.EMC, got.EMC}} {
		differs(name+" actual", pair[0].Actual, pair[1].Actual, pair[1].Actual.OK)
		differs(name+" min", pair[0].Min, pair[1].Min, pair[1].Min.OK)
		differs(name+" max", pair[0].Max, pair[1].Max, pair[1].Max.OK)
		differs(name+" load", pair[0].LoadPct, pair[1].LoadPct, pair[1].LoadPct.OK)
	}
	for i, c := range got.Cores {
		said := why(got, fmt.Sprintf("core %d", i)) != ""
		differs(fmt.Sprintf("core %d online", i), sound.Cores[i].Online, c.Online, !said)
		differs(fmt.Sprintf("core %d clock", i), sound.Cores[i].Freq, c.Freq, c.Freq.OK)
	}
	for _, a := range sound.Rails {
		for _, b := range got.Rails {
			differs("rail "+a.Name, a.PowerW, b.PowerW, a.Name == b.Name && b.PowerW.OK)
		}
	}
	for _, a := range sound.Temps {
		for _, b := range got.Temps {
			differs(a.Name, a.C, b.C, a.Name == b.Name)
		}
	}
	differs("total", sound.TotalW, got.TotalW, got.TotalW.OK)
	differs("fan", sound.FanPct, got.FanPct, got.FanPct.OK)
	differs("throttled", sound.Throttled, got.Throttled, got.Throttled.OK)
	differs("memory", sound.RAMTotal, got.RAMTotal, got.RAMTotal.OK)
	differs("memory in use", sound.RAMUsed, got.RAMUsed, got.RAMUsed.OK)
	differs("mode", sound.Mode, got.Mode, got.Mode.OK)
	differs("locked", sound.Locked, got.Locked, got.Locked.OK)
	return out
}

// faultsMeet reports whether a file is tried with a fault: with every third one, in
// the long form with all.
func faultsMeet(file, fault int) bool { return os.Getenv("JTUNE_LONG") != "" || (file+fault)%3 == 0 }

func TestFaultsOfAFileNeverShowAWrongNumber(t *testing.T) {
	t.Parallel()
	for _, board := range faultBoards() {
		t.Run(board.Name, func(t *testing.T) {
			t.Parallel()
			tr := board.New()
			fsys := newBroken(tr)
			running := must.Get(tegra.Open(fsys, tegra.RealClock()))(t)
			defer running.Close()
			sound := read(t, running)
			for i, name := range faultFiles(tr) {
				for j, errno := range unreadable {
					if !faultsMeet(i, j) {
						continue
					}
					hurt := func(on bool) {
						err := error(errno)
						if !on {
							err = nil
						}
						fsys.breakFile(name, err)
					}
					fault(t, running, fsys, sound, name+" with "+errno.Error(), hurt)
				}
				for j, kind := range slices.Sorted(maps.Keys(nonsense)) {
					if !faultsMeet(i, j) {
						continue
					}
					hurt := func(on bool) {
						content := tr.Files[name]
						if on {
							content = nonsense[kind]
						}
						fsys.Set(name, content)
					}
					fault(t, running, fsys, sound, name+" "+kind, hurt)
				}
			}
		})
	}
}

// fault hurts a board that runs, and opens it hurt.
func fault(t *testing.T, running *tegra.Sysfs, fsys tegra.FS, sound tegra.Reading, what string, hurt func(bool)) {
	t.Helper()
	hurt(true)
	if r, err := running.Read(); err != nil {
		t.Errorf("%s while running: %v, as if the device were gone", what, err)
	} else if w := wrong(sound, r); len(w) > 0 {
		t.Errorf("%s while running: %s", what, strings.Join(w, "; "))
	}
	if s, err := tegra.Open(fsys, tegra.RealClock()); err == nil {
		if r, err := s.Read(); err == nil {
			if w := wrong(sound, r); len(w) > 0 {
				t.Errorf("%s from the start: %s", what, strings.Join(w, "; "))
			}
		}
		s.Close()
	}
	hurt(false)
	if r, err := running.Read(); err != nil || len(r.Missing) > 0 && len(sound.Missing) == 0 ||
		len(wrong(sound, r)) > 0 ||
		r.TotalW != sound.TotalW ||
		r.Mode != sound.Mode {
		t.Errorf("%s, then well again: %v, missing %v, %v", what, err, r.Missing, wrong(sound, r))
	}
}

func TestListsOfClocksThatChangeUnderUsAreReadAgain(t *testing.T) {
	t.Parallel()
	root := tegratest.New("agx-orin-35").Write(t)
	s := openRoot(t, root)
	top := s.Space().Max()
	must.NoError(t, s.Planner().Check(top))
	// As a board without Super firmware lists them.
	set(t, root, tegratest.GPU35+"/available_frequencies", "306000000 408000000 510000000 612000000 624750000 ")
	if err := s.Planner().
		Check(top); err == nil ||
		!strings.Contains(err.Error(), "624.75") && !strings.Contains(err.Error(), "0.62") {
		t.Errorf("a GPU clock that is listed no more passes: %v", err)
	}
	if got := s.Space().Len(); got != 12*29*5*4 {
		t.Errorf("%d modes after the list changed", got)
	}
	if r := read(t, s); r.Mode.OK || r.GPU.Cap.V != 624750*tegra.KHz {
		t.Errorf("mode %v at a limit that is not listed, cap %v", r.Mode, r.GPU.Cap)
	}
	// The CPU's list changes while we only watch.
	list := "115200 192000 268800 2000000 "
	for _, policy := range []string{"0", "4", "8"} {
		set(t, root, tegratest.CPU+"/cpufreq/policy"+policy+"/scaling_available_frequencies", list)
		set(t, root, tegratest.CPU+"/cpufreq/policy"+policy+"/scaling_max_freq", "2000000")
	}
	set(t, root, tegratest.GPU35+"/max_freq", "624750000")
	if r := read(t, s); r.Mode.V.String() != "12c/2.00C/0.62G/3.20M" {
		t.Errorf("mode %v by the new lists", r.Mode)
	}
	if got := s.Space().Len(); got != 12*4*5*4 {
		t.Errorf("%d modes by the new lists", got)
	}
	set(t, root, "/sys/kernel/debug/bpmp/debug/emc/possible_rates", "204000 3199000 (kHz)")
	if err := s.Planner().Check(s.Space().Max()); err != nil || s.Space().Len() != 12*4*5*2 {
		t.Errorf("%d modes by the new rates, %v", s.Space().Len(), err)
	}
}
