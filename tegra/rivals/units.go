package rivals

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/boot"
)

// unitDirs are systemd's unit folders; the first that has a unit wins (systemd.unit(5)).
var unitDirs = []string{"/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
	"/lib/systemd/system", "/usr/lib/systemd/system"}

// findUnits lists installed known units, and the administrator's own units that run a known tool.
func findUnits(fsys tegra.FS) []Rival {
	var out []Rival
	for _, u := range units {
		if place, ok := findUnit(fsys, u.name); ok {
			out = append(out, unit(fsys, u, place))
		}
	}
	if content, err := fsys.ReadFile(boot.Path); err == nil {
		out = append(out, unit(fsys, program{boot.Name, "clocks and cores, at boot",
			text.Optional("runs: " + boot.Command(string(content)))},
			boot.Path))
	}
	out = append(out, homemade(fsys)...)
	if content, err := fsys.ReadFile("/etc/rc.local"); err == nil && setsKnobs.Match(content) {
		out = append(out, Rival{Name: "rc.local", Kind: Unit, State: Enabled, Path: "/etc/rc.local",
			Touches: "clocks or limits, at boot",
			Note:    text.Optional("it runs " + string(setsKnobs.FindSubmatch(content)[1]))})
	}
	return out
}

// findUnit returns the file that systemd would use. A link to /dev/null counts, since it masks the others.
func findUnit(fsys tegra.FS, name string) (string, bool) {
	for _, dir := range unitDirs {
		place := path.Join(dir, name)
		if _, err := fsys.Readlink(place); err == nil {
			return place, true
		}
		if _, err := fsys.Stat(place); err == nil {
			return place, true
		}
	}
	return "", false
}

func unit(fsys tegra.FS, u program, place string) Rival {
	return Rival{Name: u.name, Kind: Unit, State: unitState(fsys, u.name, place), Path: text.Optional(place),
		Touches: u.touches,
		Note:    u.note}
}

// unitState looks for the links that enable a unit through a target or another unit.
func unitState(fsys tegra.FS, name, place string) State {
	if target, err := fsys.Readlink(place); err == nil && target == "/dev/null" {
		return Masked
	}
	for _, dir := range unitDirs {
		for _, kind := range []string{"wants", "requires"} {
			links, err := fsys.Glob(dir + "/*." + kind + "/*.service")
			if err != nil {
				continue
			}
			if slices.ContainsFunc(links, func(l string) bool { return path.Base(l) == name }) {
				return Enabled
			}
		}
	}
	return Idle
}

// setsKnobs matches a line of a unit or script that runs NVIDIA's tools.
var setsKnobs = regexp.MustCompile(`(?m)^[^#\n]*\b(jetson_clocks|nvpmodel +-m)\b`)

// homemade lists unknown units in /etc that run jetson_clocks or nvpmodel -m.
func homemade(fsys tegra.FS) []Rival {
	names, err := fsys.Glob(unitDirs[0] + "/*.service")
	if err != nil {
		return nil
	}
	var out []Rival
	for _, place := range names {
		name := path.Base(place)
		if name == boot.Name || slices.ContainsFunc(units, func(u program) bool { return u.name == name }) {
			continue
		}
		content, err := fsys.ReadFile(place)
		if errors.Is(err, fs.ErrPermission) {
			out = append(out, Rival{Name: name, Kind: Unit, State: Unlooked, Path: text.Optional(place),
				Note: "no permission to read it"})
			continue
		}
		if m := setsKnobs.FindSubmatch(content); err == nil && m != nil {
			tool := strings.Join(strings.Fields(string(m[1])), " ")
			out = append(out, unit(fsys, program{name, "clocks or limits", text.Optional("it runs " + tool)}, place))
		}
	}
	return out
}
