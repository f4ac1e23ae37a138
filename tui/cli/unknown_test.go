package cli

import (
	"strings"
	"testing"
)

func TestCommandsTakeFlagsOnEitherSideOfTheirName(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"--help", "modes --help", "help", "--seed 3 version", "__complete mod",
		"device --csv=false --tunables"} {
		jtune(t, strings.Fields(args)...).done(t)
	}
}

func TestApplySaysWhetherClocksAreLocked(t *testing.T) {
	t.Parallel()
	for dvfs, want := range map[string]bool{"on": false, "off": true} {
		o := jtune(t, with(virtualBoard, "apply", "8c/1.34C/0.83G/2.13M", "--yes", "--json", "--dvfs", dvfs)...).done(t)
		if got := o.object(t, appliedKeys)["locked"]; got != want {
			t.Errorf("--dvfs %s: locked %v, want %v", dvfs, got, want)
		}
	}
}

func TestVersionIsAFlagToo(t *testing.T) {
	t.Parallel()
	want := jtune(t, "version").done(t).out
	if got := jtune(t, "--version").done(t).out; got != want || !strings.HasPrefix(got, "jtune ") ||
		strings.Count(got, "\n") != 1 {
		t.Errorf("got %q, want %q", got, want)
	}
}
