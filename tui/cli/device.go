package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"jtune/tegra"
	"jtune/tegra/figures"
	"jtune/tui/export"
	"jtune/tui/session"
)

// deviceJSON is `jtune device --json`.
type deviceJSON struct {
	Model      string       `json:"model"`
	Compatible []string     `json:"compatible"`
	SoC        *string      `json:"soc"`
	L4T        *string      `json:"l4t"`
	Virtual    bool         `json:"virtual"`
	Space      spaceJSON    `json:"space"`
	Rails      []string     `json:"rails"`
	TotalRule  *string      `json:"total_power_rule"`
	Presets    []presetJSON `json:"presets"`
	Rights     rightsJSON   `json:"rights"`
}

// spaceJSON lists the values that each knob can take; memory clocks and the
// number of modes are null for who may not read the whole list.
type spaceJSON struct {
	Cores  []int   `json:"cores"`
	CPUKHz []int64 `json:"cpu_khz"`
	GPUHz  []int64 `json:"gpu_hz"`
	MemHz  []int64 `json:"mem_hz"`
	Modes  *int    `json:"modes"`
}

type presetJSON struct {
	ID          int      `json:"id"`
	Name        string   `json:"name"`
	Mode        modeJSON `json:"mode"`
	NeedsReboot bool     `json:"needs_reboot"`
}

// rightsJSON tells who may do what.
type rightsJSON struct {
	Read  bool   `json:"read"`
	Apply bool   `json:"apply"`
	How   string `json:"how"`
	sudo  bool
}

func (a *app) device() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "device",
		Short: "Tell what board this is and what it can be set to",
		Args:  takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return a.onDevice(func(s *session.Session) error {
				if !s.Sysfs().Complete() {
					a.note("the memory clocks of this board can be read by root alone: run jtune device as root for the whole list of modes")
				}
				if asJSON {
					return printJSON(a.out, toDeviceJSON(s))
				}
				return a.printDevice(s)
			})
		},
	}
	jsonFlag(cmd.Flags(), &asJSON)
	return cmd
}

func toDeviceJSON(s *session.Session) deviceJSON {
	b, space := s.Device.Board(), s.Device.Space()
	out := deviceJSON{Model: b.Model, Compatible: append([]string{}, b.Compatible...), SoC: optionalText(b.SoC), L4T: optionalText(b.L4T), Virtual: b.Virtual,
		Space: toSpaceJSON(space, s.Sysfs().Complete()), Rails: append([]string{}, b.Rails...), TotalRule: optionalText(b.TotalRule), Presets: []presetJSON{}, Rights: rights(s)}
	for _, p := range s.Device.Presets() {
		out.Presets = append(out.Presets, presetJSON{p.ID, p.Name, export.ModeOf(p.Mode), p.NeedsReboot})
	}
	return out
}

func toSpaceJSON(s *tegra.Space, complete bool) spaceJSON {
	out := spaceJSON{Cores: append([]int{}, s.Cores...), CPUKHz: []int64{}, GPUHz: []int64{}}
	for _, f := range s.CPU {
		out.CPUKHz = append(out.CPUKHz, f.KHz())
	}
	for _, f := range s.GPU {
		out.GPUHz = append(out.GPUHz, int64(f))
	}
	if !complete {
		return out
	}
	modes := s.Len()
	out.Modes, out.MemHz = &modes, []int64{}
	for _, f := range s.EMC {
		out.MemHz = append(out.MemHz, int64(f))
	}
	return out
}

// rights tells whether this user can set modes, and by what way.
func rights(s *session.Session) rightsJSON {
	yes := func(how string) rightsJSON { return rightsJSON{Read: true, Apply: true, How: how} }
	no := func(how string) rightsJSON { return rightsJSON{Read: true, How: how} }
	switch {
	case s.Options.ReadOnly:
		return no("refused: --read-only")
	case s.Virtual != nil:
		return yes("in this process: the board is virtual")
	case s.Options.Sysroot != "/" && !writable(s.FS()):
		return no("not by this user: the files below " + s.Options.Sysroot + " are not writable; run as root")
	case s.Options.Sysroot != "/":
		return yes("directly, below " + s.Options.Sysroot)
	case os.Geteuid() == 0:
		return yes("directly: running as root")
	}
	if _, err := exec.LookPath("sudo"); err != nil {
		return no("not by this user, and there is no sudo: run as root")
	}
	r := yes("through sudo, which asks for the password")
	r.sudo = true
	return r
}

// writable tries the knob that every board has, without writing it.
func writable(fsys tegra.FS) bool {
	const write = 2 // W_OK of access(2)
	full, ok := tegra.HostPath(fsys, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq")
	return ok && syscall.Access(full, write) == nil
}

func (a *app) printDevice(s *session.Session) error {
	b, space, more := s.Device.Board(), s.Device.Space(), ""
	if !s.Sysfs().Complete() {
		more = " known to this user, root sees more"
	}
	rows := [][]string{
		{"board", b.Model + originOf(b)},
		{"module", orDash(b.Module)}, {"SoC", orDash(b.SoC)},
		{"software", fmt.Sprintf("L4T %s, JetPack %s", orDash(b.L4T), orDash(b.JetPack))},
		{"power modes", fmt.Sprintf("%s%s: %d core counts × %d CPU × %d GPU × %d memory clocks", figures.Thousands(space.Len()), more, len(space.Cores), len(space.CPU), len(space.GPU), len(space.EMC))},
		{"CPU clocks", clockRange(space.CPU)}, {"GPU clocks", clockRange(space.GPU)}, {"memory clocks", clockRange(space.EMC)},
		{"rails", orDash(strings.Join(b.Rails, ", "))},
		{"total power", fmt.Sprintf("%s; covers %s", orDash(b.TotalRule), orDash(b.TotalCovers))},
		{"setting modes", rights(s).How},
	}
	rows = append(rows, presentRows(s)...)
	if err := table(a.out, rows...); err != nil {
		return err
	}
	presets := [][]string{{"id", "preset", "mode", ""}}
	for _, p := range s.Device.Presets() {
		var marks []string
		if p.Default {
			marks = append(marks, "default")
		}
		if p.NeedsReboot {
			marks = append(marks, "needs a reboot")
		}
		presets = append(presets, []string{strconv.Itoa(p.ID), p.Name, space.Format(p.Mode), strings.Join(marks, ", ")})
	}
	fmt.Fprintln(a.out)
	return table(a.out, presets...)
}

// clockRange tells a knob's clocks from the slowest to the fastest; all of
// them where they are few.
func clockRange(list []tegra.Freq) string {
	const few = 5
	var names []string
	for i, f := range list {
		if len(list) <= few || i == 0 || i == len(list)-1 {
			names = append(names, f.String())
		}
	}
	switch {
	case len(list) == 0:
		return "– (jtune doctor tells why)"
	case len(list) <= few:
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%d from %s to %s", len(list), names[0], names[1])
}

// presentRows tells what the board is set to, and what cannot be seen.
func presentRows(s *session.Session) [][]string {
	r, err := s.Device.Read()
	if err != nil {
		return [][]string{{"now", err.Error()}}
	}
	now := "free: no mode expresses it"
	switch {
	case r.Mode.OK && r.Locked.Or(false):
		now = s.Device.Space().Format(r.Mode.V) + ", locked"
	case r.Mode.OK:
		now = s.Device.Space().Format(r.Mode.V) + ", clocks free below it"
	case !r.EMC.Max.OK:
		now = "– (the memory's limits cannot be read)"
	}
	missing := 0
	for _, p := range s.Sysfs().Probes() {
		if !p.Found {
			missing++
		}
	}
	sources := fmt.Sprintf("%d found, %d missing", len(s.Sysfs().Probes())-missing, missing)
	if missing+len(r.Missing) > 0 {
		sources += "; jtune doctor tells which and why"
	}
	return [][]string{{"now", now}, {"sources", sources}}
}

// originMark puts the words for what no real board measured behind a line.
func originMark(origin string) string {
	if origin == "" {
		return ""
	}
	return "  (VIRTUAL: " + origin + ")"
}

// originOf marks a board that is not real.
func originOf(b tegra.Board) string { return originMark(b.Origin()) }

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
