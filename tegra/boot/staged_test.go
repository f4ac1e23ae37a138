package boot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
)

// machine is a board whose nvpmodel sets the id of its file at each boot.
type machine struct {
	t     *testing.T
	root  string
	boots int
	inUse int // the preset in force
	cutAt int // the power fails before this change, counted over all boots; 0: never
	then  int // and again before this change, counted from there
	steps int
}

const oldID, newID, nextID = 0, 2, 5

// newMachine returns a board at its old preset; before is the content of nvpmodel's file, "" for none.
func newMachine(t *testing.T, before string) *machine {
	m := &machine{t: t, root: inMemory(t)}
	must.NoError(t, os.MkdirAll(filepath.Join(m.root, "etc"), 0o755))
	if before != "" {
		put(t, m.root, tegra.PresetFile, before)
	}
	m.boot()
	return m
}

// inMemory returns a folder in which it costs nothing to wait for the disk.
func inMemory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "jtune")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (m *machine) boot() {
	m.boots++
	put(m.t, m.root, bootID, fmt.Sprintf("boot-%d\n", m.boots))
	m.inUse = oldID
	if id := tegra.PresetIn(m.file()); id.OK {
		m.inUse = id.V
	}
}

func (m *machine) file() string {
	text, _ := os.ReadFile(filepath.Join(m.root, tegra.PresetFile))
	return string(text)
}

var errCut = errors.New("the power fails")

// do carries out work on the unit; errCut if the power fails.
func (m *machine) do(work func(d *Dir) error) (err error) {
	m.t.Helper()
	d, err := OpenStaged(m.root)
	must.NoError(m.t, err)
	defer d.Close()
	d.cut = func() {
		if m.steps++; m.steps == m.cutAt {
			m.cutAt, m.then = m.steps+m.then, 0
			panic(errCut)
		}
	}
	defer func() {
		if failed := recover(); failed != nil {
			if err = errCut; failed != any(errCut) {
				panic(failed)
			}
		}
	}()
	return work(d)
}

func (m *machine) stage(ids ...int) error {
	r := Staged{Owner: "jtune apply, user worker", Old: Preset{oldID, "MAXN"}, Wait: time.Minute}
	for _, id := range ids {
		r.Presets = append(r.Presets, Preset{id, fmt.Sprintf("MODE_%d", id)})
	}
	return m.do(func(d *Dir) error { return d.Stage(r, "/usr/local/bin/jtune") })
}

// unit is what systemd does in a boot if the unit is there: its start, what happens in a trial, and its end. It reports
// whether the board boots again; errCut if the power fails.
func (m *machine) unit(inTrial func() error) (again bool, err error) {
	if _, err := os.Stat(filepath.Join(m.root, StagedPath)); err != nil {
		return false, nil
	}
	var next Next
	if err := m.do(func(d *Dir) (err error) { _, next, err = d.Begin(); return err }); err != nil {
		return false, err
	}
	if next == Trial {
		if id := tegra.PresetIn(m.file()); id.OK && id.V == m.inUse {
			m.t.Errorf("on trial, %q still is the boot default", m.file())
		}
		if err := inTrial(); err != nil {
			return false, err
		}
	}
	again = next == Reboot
	err = m.do(func(d *Dir) error {
		next, err := d.End(true)
		again = again || next == Reboot
		return err
	})
	return again, err
}

// run boots until nothing is left to do.
func (m *machine) run(inTrial func() error) {
	m.t.Helper()
	for range 8 {
		m.boot()
		again, err := m.unit(inTrial)
		switch {
		case errors.Is(err, errCut):
		case err != nil:
			m.t.Fatalf("boot %d: %v", m.boots, err)
		case !again:
			return
		}
	}
	m.t.Fatal("the board boots again and again")
}

// wantOver fails unless the board is in a preset, will be in it at every boot, and no unit is left.
func (m *machine) wantOver(id int) {
	m.t.Helper()
	was := m.inUse
	for range 2 {
		m.boot()
		if again, err := m.unit(nil); again || err != nil {
			m.t.Fatalf("another boot is no end: %v, %v", again, err)
		}
	}
	if was != id || m.inUse != id {
		m.t.Errorf("the board is at %d, and at %d after another boot, want %d; nvpmodel's file is %q", was, m.inUse, id,
			m.file())
	}
	for _, name := range names(m.t, m.root) {
		if name == StagedPath || strings.Contains(name, ".jtune-") && m.cutAt == 0 {
			m.t.Errorf("%s is left", name)
		}
	}
}

// nothing is an answer that nobody gives.
func nothing() error { return nil }

func (m *machine) keep() error { return m.do((*Dir).Keep) }

func TestStagedPresetStaysWithAYesAndElseLeadsBack(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"pmode:0000 fmode:quiet\n", "pmode:0000", ""} {
		m := newMachine(t, before)
		must.NoError(t, m.stage(newID))
		if want := strings.Replace(before, "0000", "0002", 1); before != "" &&
			strings.TrimSpace(m.file()) != strings.TrimSpace(want) {
			t.Errorf("staged: %q, want %q", m.file(), want)
		}
		if err := m.stage(nextID); !errors.Is(err, ErrStaged) || !strings.Contains(err.Error(), "user worker") {
			t.Errorf("a second staging: %v, want its owner", err)
		}
		tried := 0
		m.run(func() error { tried = m.inUse; return nil })
		if tried != newID || m.file() != before {
			t.Errorf("tried %d, then the file is %q, want %d and %q", tried, m.file(), newID, before)
		}
		m.wantOver(oldID)

		must.NoError(t, m.stage(newID))
		m.run(m.keep)
		m.wantOver(newID)
		if err := m.keep(); !errors.Is(err, ErrNotInstalled) {
			t.Errorf("a second yes: %v, want %v", err, ErrNotInstalled)
		}
	}
}

func TestStagedPresetsAreTriedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "pmode:0000\n")
	must.NoError(t, m.stage(newID, nextID))
	var tried []int
	m.run(func() error { tried = append(tried, m.inUse); return nil })
	if fmt.Sprint(tried) != "[2 5]" {
		t.Errorf("tried %v, want both", tried)
	}
	m.wantOver(oldID)
}

// The power fails before any change, and once more before any change after that.
func TestStagedPresetSurvivesTwoPowerCutsAnywhere(t *testing.T) {
	t.Parallel()
	const changes = 16 // a whole trial makes fewer
	for answer, ids := range map[string][]int{"yes": {newID}, "none": {newID}, "campaign": {newID, nextID}} {
		for first := range changes {
			for second := range changes {
				m := newMachine(t, "pmode:0000 fmode:quiet\n")
				m.cutAt, m.then = first+1, second
				if err := m.stage(ids...); err != nil && !errors.Is(err, errCut) {
					t.Fatal(err)
				}
				kept := false // the yes is on the disk
				m.run(func() error {
					if answer != "yes" {
						return nil
					}
					err := m.keep()
					return errors.Join(err, m.do(func(d *Dir) error {
						r, err := d.Staged()
						kept = err == nil && (r == nil || r.Kept)
						return err
					}))
				})
				want := oldID
				if kept {
					want = newID
				}
				m.wantOver(want)
				if t.Failed() {
					t.Fatalf("%s: the power failed before change %d, and then %d", answer, first+1, second)
				}
			}
		}
	}
}

func TestStagedUnitThatIsKilledOrStoppedLeadsBack(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "pmode:0000\n")
	must.NoError(t, m.stage(newID, nextID))
	m.boot()
	must.NoError(t, m.do(func(d *Dir) error {
		if r, next, err := d.Begin(); r == nil || next != Trial || err != nil {
			t.Errorf("the first start: %v, %v, %v", r, next, err)
		}
		if _, next, err := d.Begin(); next != Trial || err != nil {
			t.Errorf("a second start in this boot: %v, %v", next, err)
		}
		next, err := d.End(false)
		if next != Reboot {
			t.Errorf("the end after a failure: %v, want a reboot, not the next preset", next)
		}
		return err
	}))
	m.run(nothing)
	m.wantOver(oldID)

	must.NoError(t, m.stage(newID))
	must.NoError(t, m.do((*Dir).Cancel))
	m.run(nothing)
	m.wantOver(oldID)
}

func TestStagedIDOfSomebodyElseStays(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "pmode:0000\n")
	must.NoError(t, m.stage(newID))
	m.run(func() error { put(t, m.root, tegra.PresetFile, "pmode:0007\n"); return nil })
	m.wantOver(7)
}

func TestStagedTextIsAUnit(t *testing.T) {
	t.Parallel()
	text := must.Get(Staged{Presets: []Preset{{newID, "M\nX"}}}.Text("/opt/a b/jtune"))(t)
	for _, want := range []string{"ExecStart=\"/opt/a b/jtune\" staged --device=jetson\n",
		"ExecStopPost=\"/opt/a b/jtune\" staged --device=jetson --end=${SERVICE_RESULT}\n",
		"After=nvpower.service nvpmodel", "WantedBy=multi-user.target\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the unit lacks %q:\n%s", want, text)
		}
	}
	if strings.Count(text, "\nX") > 0 {
		t.Errorf("a name breaks out of the record: %s", text)
	}
	if _, err := (Staged{Presets: []Preset{{}}}).Text("jtune"); err == nil {
		t.Error("a program without a path is taken")
	}
}

func TestStagedRecordThatIsDamagedIsNamed(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "pmode:0000\n")
	put(t, m.root, StagedPath, stagedMark+"\n"+recordMark+"{\n[Service]\n")
	for what, err := range map[string]error{"begin": m.do(func(d *Dir) error { _, _, err := d.Begin(); return err }),
		"stage": m.stage(newID), "keep": m.keep()} {
		if err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), StagedPath) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if m.file() != "pmode:0000\n" {
		t.Errorf("nvpmodel's file is %q", m.file())
	}
}

// Where nvpmodel's file names no preset, the text has no id.
func TestPresetWithoutANameIsNoID(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Preset{"the earlier preset": {}, "MODE_30W (id 2)": {ID: 2, Name: "MODE_30W"}} {
		if got := p.String(); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
}
