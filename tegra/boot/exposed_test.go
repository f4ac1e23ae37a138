package boot

import (
	"os"
	"path/filepath"
	"testing"
)

func TestExposedNamesWhatOthersMayChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		owner uint32
		mode  os.FileMode
		want  bool
	}{
		{"root's own program", 0, 0o755, false},
		{"a user's program", 1000, 0o755, true},
		{"a program that all may write", 0, 0o777, true},
		{"a program that a group may write", 0, 0o775, true},
		{"a folder that all may write", 0, os.ModeDir | 0o777, true},
		{"a sticky folder such as /tmp", 0, os.ModeDir | os.ModeSticky | 0o777, false},
	} {
		if got := exposed(c.owner, c.mode); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestProgramThatIsNotThereIsExposed(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "jtune")
	if got := Exposed(name); got != name {
		t.Errorf("got %q, want the program itself", got)
	}
}
