package plan

import (
	"slices"
	"strings"
	"testing"
)

// floors lists the packages of the two layers with rooms, lowest first. A package imports only packages of lower
// floors; those of one floor do not import each other.
var floors = [][]string{
	{"optimize/ladder", "optimize/design", "optimize/pareto", "optimize/standing"},
	{"optimize/earlier"},
	{"optimize"},
	{"optimize/energy", "optimize/advice"},
	{"optimize/mix", "optimize/outlook"},
	{"optimize/serving", "optimize/rank"},
	{"optimize/lab"},
	{"tui/session/fleet"},
	{"tui/session/further"},
	{"tui/session/config", "tui/session/answers"},
	{"tui/session"},
	{"tui/session/preflight"},
	{"tui/session/kept"},
	{"tui/session/reboot"},
	{"tui/session/workloads", "tui/session/doctor", "tui/session/campaigns"},
	{"tui/session/models", "tui/session/sessiontest"},
	{"tui/session/fit", "tui/session/savedanswers", "tui/session/readiness"},
	{"tui/session/plots"},
	{"tui/session/measure"},
	{"tui/session/soak"},
	{"tui/session/search", "tui/session/run", "tui/session/study"},
	{"tui/session/pair"},
	{"tui/session/task"},
	{"tui/session/control"},
	{"tui/session/handover"},
	{"tui/session/lab"},
}

// floorOf returns the index of a package's floor; -1 if its room has no floors. Test support and laboratory packages
// have their folder's floor.
func floorOf(pkg string) int {
	for i, rooms := range floors {
		for _, room := range rooms {
			laboratory := strings.HasSuffix(room, "/lab") && strings.HasPrefix(pkg, room+"/")
			if pkg == room || laboratory {
				return i
			}
		}
	}
	return -1
}

// climbs reports whether an import leads to the same or a higher floor.
func climbs(from, to string) bool {
	a, b := floorOf(from), floorOf(to)
	if a < 0 || b < 0 || from == to {
		return false
	}
	return b > a || b == a && !ofLaboratory(from)
}

func TestFloorsAreClimbedByNoImport(t *testing.T) {
	found := 0
	for _, f := range sources(t, false, "optimize", "tui/session") {
		if ofTests(f.pkg) && f.pkg != "tui/session/sessiontest" {
			continue
		}
		if floorOf(f.pkg) < 0 {
			t.Errorf("package %s has no floor", f.pkg)
		}
		for _, to := range f.imports() {
			if pkgTo, ours := strings.CutPrefix(to, "jtune/"); ours {
				found++
				if climbs(f.pkg, pkgTo) {
					t.Errorf("%s/%s imports %s, which is not below it", f.pkg, f.name, pkgTo)
				}
			}
		}
	}
	if found < 200 {
		t.Errorf("%d imports were looked at: that is not both layers", found)
	}
}

func TestFloorsKnowWhatClimbs(t *testing.T) {
	for _, c := range []struct {
		from, to string
		bad      bool
	}{
		{"tui/session/campaigns", "tui/session/models", true},
		{"tui/session/models", "tui/session/campaigns", false},
		{"tui/session/search", "tui/session/run", true},
		{"tui/session", "tui/session/task", true},
		{"optimize/outlook", "optimize/serving", true},
		{"tui/session/measure", "optimize/serving", false},
	} {
		if got := climbs(c.from, c.to); got != c.bad {
			t.Errorf("%s imports %s: climbs is %v", c.from, c.to, got)
		}
	}
	var all []string
	for _, rooms := range floors {
		all = append(all, rooms...)
	}
	if slices.Sort(all); len(slices.Compact(all)) != len(slices.Concat(floors...)) {
		t.Error("a room has two floors")
	}
}
