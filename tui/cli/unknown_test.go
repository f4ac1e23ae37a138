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

func TestVersionIsAFlagToo(t *testing.T) {
	t.Parallel()
	want := jtune(t, "version").done(t).out
	if got := jtune(t, "--version").done(t).out; got != want || !strings.HasPrefix(got, "jtune ") ||
		strings.Count(got, "\n") != 1 {
		t.Errorf("got %q, want %q", got, want)
	}
}
