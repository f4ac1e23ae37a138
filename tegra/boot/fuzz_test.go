package boot

import (
	"strings"
	"testing"

	"jtune/internal/tools/reliability"
)

func FuzzCommand(f *testing.F) {
	f.Add("[Service]\nExecStart=/usr/local/bin/jtune apply 2c --yes\n")
	f.Add("ExecStart=\r\nExecStart=a")
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		if c := Command(text); strings.Contains(c, "\n") || !strings.Contains(text, c) {
			t.Errorf("%q of %q", c, text)
		}
	})
}

// FuzzUnit gives words of the user to a unit: its text stays one command line.
func FuzzUnit(f *testing.F) {
	f.Add("/usr/local/bin/jtune", "2c/0.73C/0.31G/2.13M")
	f.Add("/a b/$x", "%n\nExecStart=/bin/evil")
	f.Fuzz(func(t *testing.T, program, word string) {
		defer reliability.Input(t)()
		text, err := (Unit{Program: program, Mode: word, Flags: []string{word}}).Text()
		if n := strings.Count("\n"+text, "\nExecStart="); err == nil && n != 1 {
			t.Errorf("%d commands in %q", n, text)
		}
	})
}
