package page

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/widget"
)

func TestKeysAreEachHeardByOneActionWhereTheyMayMeet(t *testing.T) {
	// Pairs that share a key although both belong to one page: only one of them is available at a time.
	known := []string{"redo resume"}
	list := DefaultKeys().actions()
	for i, a := range list {
		if len(a.where) == 0 || a.Label() == "" || len(a.Keys()) == 0 {
			t.Errorf("%s has no place, name or key", a.name)
		}
		for _, b := range list[:i] {
			where, meet := a.meets(b)
			if k := common(a, b); meet && k != "" && !slices.Contains(known, a.name+" "+b.name) {
				t.Errorf("%q is %s and %s (%s)", k, a.name, b.name, where)
			}
		}
	}
}

func TestKeysOfALetterHaveOneMeaningOnAllPages(t *testing.T) {
	// Names for the same idea: another plot, pair of axes or reading of a job; composing a mode or a run's settings;
	// something new to measure. Saving a job has the letter of its label: nothing can be sorted where it is available.
	same := [][]string{{"axes", "next plot", "next reading"}, {"compose", "settings"}, {"new campaign", "new job"},
		{"save", "sort"}}
	for _, l := range DefaultKeys().Letters() {
		slices.Sort(l.Words)
		if len(l.Words) > 1 && !slices.ContainsFunc(same, func(s []string) bool { return slices.Equal(s, l.Words) }) {
			t.Errorf("%s is %q", l.Letter, l.Words)
		}
	}
}

func TestKeysHaveAnIDAWordAndAHelpTextEach(t *testing.T) {
	for _, a := range DefaultKeys().actions() {
		if a.ID != a.name || a.Help().Desc == "" || a.Explained() == "" {
			t.Errorf("%s: ID %q, word %q, help text %q", a.name, a.ID, a.Help().Desc, a.Explained())
		}
	}
	must.Equal(t, reflect.TypeFor[Keys]().NumField(), len(keyRows))
}

func mustBind(t *testing.T, wish map[string][]string) *Keys {
	t.Helper()
	keys, action, err := KeysWith(wish)
	if err != nil {
		t.Fatalf("%s: %v", action, err)
	}
	return keys
}

// A configuration of an earlier version may use the keys of actions that are new: these give way.
func TestKeysOfTheUserTakeThoseOfAddedActions(t *testing.T) {
	keys := mustBind(t, map[string][]string{"freeze": {"ctrl+z"}, "output": {"T"}, "tune": {"pgdown"},
		"page_down": {"ctrl+f"}})
	if got := keys.Suspend; len(got.Keys()) > 0 || got.Label() != widget.Dash {
		t.Errorf("suspend keeps %v", got.Keys())
	}
	if got := keys.StartBest.Keys(); len(got) > 0 {
		t.Errorf("start_best keeps %v", got)
	}
	if got := keys.More.Keys(); !slices.Equal(got, []string{"pgdown"}) { // no dialog tunes by a key
		t.Errorf("more has %v", got)
	}
	must.Equal(t, keys.Freeze.Label(), "ctrl+z")
	must.Equal(t, DefaultKeys().Suspend.Label(), "ctrl+z")
	if _, action, err := KeysWith(map[string][]string{"freeze": {"ctrl+z"}, "suspend": {"ctrl+z"}}); err == nil {
		t.Errorf("two actions with one key, both asked for: %s", action)
	}
}

func TestKeysListTheUsersOwn(t *testing.T) {
	for _, l := range mustBind(t, map[string][]string{"apply": {"o"}}).Lines() {
		if l.Action == "apply" && !slices.Equal(l.Keys, []string{"o"}) || l.Does == "" || len(l.Where) == 0 {
			t.Errorf("%+v", l)
		}
	}
}

func TestKeysOfTheUserReplaceTheBuiltInOnes(t *testing.T) {
	keys := mustBind(t, map[string][]string{"tune": {"f"}, "freeze": {"t"}, "pause": {"space"}})
	must.Equal(t, keys.Tune.Label(), "f")
	must.Equal(t, keys.Pause.Keys(), []string{"space", " "})
	built := DefaultKeys().Tune
	if built.Label() != "t" || keys.Tune.ID != built.ID || keys.Tune.Does != built.Does {
		t.Error("another table changes the built-in one, or a bound action is not the same action")
	}
}

func TestKeysThatCannotBeBoundNameTheAction(t *testing.T) {
	for name, c := range map[string]struct {
		action, key, want string
	}{
		"an unknown action":            {"aply", "a", "no such action"},
		"one that there was":           {"reverse", "S", "the same column again"},
		"a key that has another use":   {"group", "g", `key "g" is home already (front)`},
		"an unknown key":               {"apply", "ctrl+alt+del", `"ctrl+alt+del" is not a key`},
		"a key of another action":      {"apply", "v", `key "v" is verify already (front)`},
		"a key heard everywhere":       {"sort", "t", `key "t" is tune already (modes)`},
		"ctrl+c, which quits":          {"sort", "ctrl+c", `key "ctrl+c" is quit already`},
		"a letter where text is typed": {"back", "b", `"b" is typed into filters`},
		"a digit":                      {"apply", "7", "digits open the pages"},
		"the pages":                    {"page", "a", "cannot be changed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, action, err := KeysWith(map[string][]string{c.action: {c.key}})
			if err == nil || action != c.action || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, %v; want %q, %q", action, err, c.action, c.want)
			}
		})
	}
}
