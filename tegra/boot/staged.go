package boot

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"jtune/tegra"
)

// Presets that need a reboot are tried by staging their ids, one after the other, in nvpmodel's file of the last id,
// which nvpmodel sets at boot (UNVERIFIED on a Jetson). The unit of a staging is its record too: one file, which
// appears and vanishes at once.
//
//	Stage: the unit, then the id ──► boot in the preset ──► Begin: the old id is back ──► Keep: the id again, no unit
//	                                          ▲                                       └─► End: boot in the old preset,
//	                                          └──────────────── the next id ──────────┘   where Begin removes the unit
//
// Each step may be cut off and repeated. Only a record with Kept leads to the new preset; without it the board is in
// the old one after every boot but those in which a preset is on trial.

// StagedPath is the unit of a staged preset, below the root.
const StagedPath = units + stagedName

const stagedName = "jtune-staged.service"

const stagedMark = "# Written by jtune apply --reboot; it removes itself after the trial."

// recordMark begins the line of the unit that holds the record.
const recordMark = "# record: "

// bootID names the present boot.
const bootID = "/proc/sys/kernel/random/boot_id"

// Staged is a trial of presets that need a reboot.
type Staged struct {
	Owner   string        `json:"owner"`          // who staged it: command, user and time
	Presets []Preset      `json:"presets"`        // the first is staged or on trial, the others come after it
	Old     Preset        `json:"old"`            // the preset before
	Before  *string       `json:"before"`         // content of tegra.PresetFile; nil: there was no file
	Wait    time.Duration `json:"wait_ns"`        // for an answer
	Then    []string      `json:"then,omitempty"` // command that runs in each preset instead of waiting; nil: none
	Dir     string        `json:"dir,omitempty"`  // of that command
	User    [2]int        `json:"user"`           // user and group of its jobs; 0: root
	Boot    string        `json:"boot,omitempty"` // the boot in which the first preset is on trial; "" until then
	Kept    bool          `json:"kept,omitempty"` // the answer was yes
}

// Preset is a preset of nvpmodel.
type Preset struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func (p Preset) String() string {
	if p.Name == "" { // nvpmodel has set none that its file names
		return "the earlier preset"
	}
	return fmt.Sprintf("%s (id %d)", p.Name, p.ID)
}

// ErrStaged reports that a trial of presets has not ended yet.
var ErrStaged = errors.New("a preset that needs a reboot is on trial already")

// Next is what is left to do for a staged preset.
type Next int

// Values of Next.
const (
	Nothing Next = iota // the staging is over, or is another boot's
	Trial               // the board may be in the preset now
	Reboot              // the next boot sets another id
)

// OpenStaged opens the system below root for the unit of a staged preset.
func OpenStaged(root string) (*Dir, error) { return open(root, stagedName, stagedMark) }

// Text returns the unit file of a staging by a program, which is an absolute path on the device.
func (r Staged) Text(program string) (string, error) {
	command, err := commandLine([]string{program, "staged", "--device=jetson"})
	if err != nil || !path.IsAbs(program) {
		return "", errors.Join(err, fmt.Errorf("program %q: a unit needs an absolute path", program))
	}
	data, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s\n%s%s", stagedMark, recordMark, data)
	line("[Unit]\nDescription=Trial of presets that need a reboot (jtune)")
	line("After=%s", strings.TrimSuffix(after, " multi-user.target"))
	line("ConditionPathExists=%s\n", strings.ReplaceAll(program, "%", "%%"))
	line("[Service]\nUser=root\nExecStart=%s\nExecStopPost=%s --end=${SERVICE_RESULT}", command, command)
	line("TimeoutStopSec=120\n\n[Install]\nWantedBy=multi-user.target")
	return b.String(), nil
}

// Staged returns the staged preset; nil if there is none.
func (d *Dir) Staged() (*Staged, error) {
	text, err := d.Installed()
	if err != nil || text == "" {
		return nil, err
	}
	_, rest, _ := strings.Cut(text, "\n"+recordMark)
	line, _, _ := strings.Cut(rest, "\n")
	var r Staged
	if err := json.Unmarshal([]byte(line), &r); err != nil || len(r.Presets) == 0 {
		return nil, fmt.Errorf("%s: its record is damaged (%v): remove the file", d.unit(), err)
	}
	return &r, nil
}

// save replaces the record in the unit.
func (d *Dir) save(r Staged) error {
	text, err := d.Installed()
	if err != nil {
		return err
	}
	text, err = r.Text(strings.TrimSuffix(Command(text), " staged --device=jetson"))
	if err != nil {
		return err
	}
	return d.write(d.unit(), text, true)
}

// ThisBoot names the present boot.
func (d *Dir) ThisBoot() (string, error) {
	text, err := d.root.ReadFile(below(bootID))
	if id := strings.TrimSpace(string(text)); id != "" || err != nil {
		return id, kind(err)
	}
	return "", fmt.Errorf("%s is empty", bootID)
}

// Free returns an error that names the owner if a trial has not ended: then errors.Is(err, ErrStaged).
func (d *Dir) Free() error {
	was, err := d.Staged()
	if was != nil {
		err = fmt.Errorf("%w: %s, by %s", ErrStaged, was.Presets[0], was.Owner)
	}
	return err
}

// Stage makes the id of the first preset nvpmodel's for the next boot, after it has written the unit of a program.
// errors.Is(err, ErrStaged) if another trial has not ended.
func (d *Dir) Stage(r Staged, program string) error {
	err := d.Free()
	if err != nil {
		return err
	}
	if r.Before, err = d.preset(); err != nil {
		return err
	}
	text, err := r.Text(program)
	if err != nil {
		return err
	}
	if err := d.Install(text); err != nil {
		return err
	}
	return d.setID(r)
}

// Cancel makes the old id nvpmodel's again and ends the trial; the preset in force stays until the next boot.
func (d *Dir) Cancel() error {
	r, err := d.Staged()
	if err == nil && r != nil {
		err = d.putBack(*r)
	}
	if err != nil {
		return err
	}
	return d.Remove()
}

// Begin is the first step in a boot: it makes the old id nvpmodel's again.
func (d *Dir) Begin() (*Staged, Next, error) {
	r, err := d.Staged()
	if r == nil || err != nil {
		return nil, Nothing, err
	}
	boot, bad := d.ThisBoot()
	staged, err := d.staged(*r)
	if err = errors.Join(err, bad); err != nil {
		return r, Nothing, err
	}
	switch {
	case r.Kept && staged:
		return r, Nothing, d.Remove()
	case r.Kept: // the yes was cut off: this boot came up in the old preset
		return r, Reboot, d.Keep()
	case staged:
		r.Boot = boot
		return r, Trial, errors.Join(d.save(*r), d.putBack(*r))
	case r.Boot == boot:
		return r, Trial, nil
	}
	return r, Nothing, d.Remove()
}

// Keep makes the preset on trial nvpmodel's at every boot, and removes the unit. errors.Is(err, ErrNotInstalled) if
// none is on trial in this boot.
func (d *Dir) Keep() error {
	r, err := d.Staged()
	if err != nil {
		return err
	}
	if boot, err := d.ThisBoot(); err != nil || r == nil || r.Boot != boot && !r.Kept {
		return cmp.Or(err, ErrNotInstalled)
	}
	r.Kept = true
	if err := d.save(*r); err != nil {
		return err
	}
	if err := d.setID(*r); err != nil {
		return err
	}
	return d.Remove()
}

// End is the last step in the boot of a trial. It stages the next preset if this one was tried with success.
func (d *Dir) End(success bool) (Next, error) {
	r, err := d.Staged()
	if r == nil || err != nil {
		return Nothing, err
	}
	boot, err := d.ThisBoot()
	switch {
	case err != nil || r.Boot != boot:
		return Nothing, err
	case r.Kept:
		return Nothing, d.Keep()
	case !success || len(r.Presets) == 1:
		return Reboot, d.putBack(*r)
	}
	r.Boot, r.Presets = "", r.Presets[1:]
	if err := d.save(*r); err != nil {
		return Reboot, err
	}
	return Reboot, d.setID(*r)
}

// preset returns the content of tegra.PresetFile; nil if there is no such file.
func (d *Dir) preset() (*string, error) {
	f, err := d.root.OpenFile(below(tegra.PresetFile), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, kind(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxUnit))
	out := string(text)
	return &out, kind(err)
}

// staged reports whether nvpmodel sets r at the next boot.
func (d *Dir) staged(r Staged) (bool, error) {
	text, err := d.preset()
	return text != nil && tegra.PresetIn(*text) == tegra.Some(r.Presets[0].ID), err
}

// setID makes the id of r nvpmodel's for the next boot.
func (d *Dir) setID(r Staged) error {
	text := ""
	if r.Before != nil {
		text = strings.TrimRight(*r.Before, "\n")
	}
	if err := d.root.MkdirAll(path.Dir(below(tegra.PresetFile)), 0o755); err != nil {
		return kind(err)
	}
	return d.write(tegra.PresetFile, tegra.WithPreset(text, r.Presets[0].ID)+"\n", true)
}

// putBack makes the id before r nvpmodel's again, unless another one has been set since.
func (d *Dir) putBack(r Staged) error {
	staged, err := d.staged(r)
	switch {
	case err != nil || !staged:
		return err
	case r.Before != nil:
		return d.write(tegra.PresetFile, *r.Before, true)
	}
	d.step()
	if err := d.root.Remove(below(tegra.PresetFile)); err != nil {
		return kind(err)
	}
	return d.sync(path.Dir(below(tegra.PresetFile)))
}
