package cli

import (
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"jtune/internal/must"
)

// A line that the user types while boards set a mode does not answer the later question.
func TestForgetTypedDiscardsEarlierLines(t *testing.T) {
	t.Parallel()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer keyboard.Close()
	defer terminal.Close()
	typed := func() int {
		n := must.Get(unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCINQ))(t)
		return n
	}
	_, err = keyboard.WriteString("y\n")
	must.NoError(t, err)
	must.Until(t, "the line is there", func() bool { return typed() == 2 })
	if forgetTyped(terminal); typed() != 0 {
		t.Errorf("%d characters are left", typed())
	}
}
