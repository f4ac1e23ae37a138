package boot

import (
	"os"
	"path/filepath"
	"syscall"
)

// Exposed looks for a file or folder on the way to program that another user
// than root may change: who does gets root rights at the next boot. "" when
// there is none.
func Exposed(program string) string {
	for name := filepath.Clean(program); ; name = filepath.Dir(name) {
		st, err := os.Stat(name)
		if err != nil {
			return name
		}
		sys, ok := st.Sys().(*syscall.Stat_t)
		if !ok || exposed(sys.Uid, st.Mode()) {
			return name
		}
		if name == filepath.Dir(name) {
			return ""
		}
	}
}

// exposed: others may not rename what lies in a sticky folder such as /tmp,
// if it is root's.
func exposed(owner uint32, mode os.FileMode) bool {
	if owner != 0 {
		return true
	}
	return mode.Perm()&0o022 != 0 && !(mode.IsDir() && mode&os.ModeSticky != 0)
}
