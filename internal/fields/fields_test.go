package fields

import (
	"reflect"
	"testing"
	"time"
)

func TestFieldIsReadWithBoundsAndForm(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Field{
		"model":                            {Name: "model"},
		"interval=1s 10ms..: time: `TIME`": {Name: "interval", Default: "1s", Help: "time: `TIME`", Least: "10ms"},
		"workers 0..64 hidden: loaders":    {Name: "workers", Help: "loaders", Least: "0", Most: "64", Hidden: true},
		"fault commas “fault”: faults":     {Name: "fault", Help: "faults", Commas: true, Mention: "fault"},
		"no-device hidden:":                {Name: "no-device", Hidden: true},
		"fan auto|max: fans":               {Name: "fan", Help: "fans", Choices: []Choice{{"auto", ""}, {"max", ""}}},
		"mode <presets>: a mode":           {Name: "mode", Help: "a mode", Names: "presets"},
	} {
		if got := Read(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", line, got, want)
		}
	}
}

func TestFieldSaysWhichValuesAreOutOfItsBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ bounds, value, want string }{
		{"0..64", "16", ""}, {"0..64", "65", "want 0 to 64"}, {"1..", "0", "1 at least"}, {"1..", "x", "1 at least"},
		{">0..", "0", "must be positive"}, {">0..5", "6", "at most 5"}, {"10ms..", "9ms", "10ms at least"},
		{"", "x", ""},
	} {
		f := Read("f " + c.bounds)
		if got := f.Wrong(c.value); got != c.want {
			t.Errorf("%s within %s: %q, want %q", c.value, c.bounds, got, c.want)
		}
	}
}

func TestChoiceIsOfferedWhereItMeansSomething(t *testing.T) {
	t.Parallel()
	f := In("search", "strategy")
	if got := f.Values(); !reflect.DeepEqual(got, []string{"auto", "binary", "powertrain", "random"}) {
		t.Errorf("its values are %v", got)
	}
	if list := f.Offered(); len(list) != 2 || list[1].String() != "binary: "+list[1].Means {
		t.Errorf("it offers %v", list)
	}
	f = In("pair", "policy")
	if f.Values()[0] != "strict" || f.Offered()[0].String() != "auto: the better of strict and fill" {
		t.Errorf("the value of no text is one of %v and %v", f.Values(), f.Offered())
	}
}

func TestPlaceIsWhereARequestKeepsAField(t *testing.T) {
	t.Parallel()
	type asked struct{ Probes int }
	var a struct{ asked }
	var b struct {
		ModeTimeout       time.Duration
		RatePerS, hiddenA float64
	}
	if Place("probes", &a, &b) != any(&a.Probes) || Place("mode-timeout", &a, &b) != any(&b.ModeTimeout) ||
		Place("rate", &b) != any(&b.RatePerS) || Place("depth", &a, &b) != nil || Place("hidden-a", &b) != nil {
		t.Error("a field's place is another one")
	}
}
