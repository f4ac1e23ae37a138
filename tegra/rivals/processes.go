package rivals

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/sorted"
	"jtune/internal/text"
	"jtune/tegra"
)

// processes lists running programs that change knobs, and other jtune processes that do, by ascending PID.
func processes(fsys tegra.FS, self int) []Rival {
	names, err := fsys.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var out []Rival
	for _, dir := range names {
		pid, err := strconv.Atoi(path.Base(dir))
		if err != nil || pid == self {
			continue
		}
		cmdline, err := fsys.ReadFile(dir + "/cmdline")
		if err != nil || len(cmdline) == 0 { // ended, hidden from this user, or a kernel thread
			continue
		}
		comm, _ := fsys.ReadFile(dir + "/comm")
		if p, ok := known(strings.TrimSpace(string(comm)), words(cmdline)); ok {
			out = append(out, Rival{Name: p.name, Kind: Process, State: Running, Path: text.Optional(dir),
				Touches: p.touches, Note: p.note})
		}
	}
	// Glob sorts as text; PIDs need numeric order.
	sorted.Stable(out, func(a, b Rival) int { return len(a.Path) - len(b.Path) })
	return out
}

func words(cmdline []byte) []string {
	var out []string
	for w := range bytes.SplitSeq(bytes.TrimRight(cmdline, "\x00"), []byte{0}) {
		out = append(out, string(w))
	}
	return out
}

// interpreters run a script, named by the next word that is not a flag.
var interpreters = []string{"sh", "bash", "dash", "python", "python3"}

// commLen is the length to which the kernel truncates comm.
const commLen = 15

// known recognises a program by its own name, or by that of the script it runs, but not by its other arguments.
func known(comm string, argv []string) (program, bool) {
	candidates := []string{comm, path.Base(argv[0])}
	if base := path.Base(argv[0]); slices.ContainsFunc(interpreters,
		func(i string) bool { return base == i || strings.HasPrefix(base, i+".") }) {
		for _, w := range argv[1:] {
			if !strings.HasPrefix(w, "-") {
				candidates = append(candidates, path.Base(w))
				break
			}
		}
	}
	for _, p := range programs {
		for _, c := range candidates {
			if c == p.name || len(p.name) > commLen && c == p.name[:commLen] {
				return p, true
			}
		}
	}
	if path.Base(argv[0]) == "jtune" && len(argv) > 1 && argv[1] == "guard" {
		return program{"jtune guard", "clocks and cores, for another jtune", "one guard at a time may set modes"}, true
	}
	return program{}, false
}
