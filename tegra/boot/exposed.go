package boot

import (
	"os"
	"path/filepath"
	"syscall"
)

// Exposed returns a file or folder on the path to program that a user other than root can change, and so gain root at
// the next boot; "" if there is none.
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

// exposed treats a sticky folder of root, such as /tmp, as safe: other users cannot rename its entries.
func exposed(owner uint32, mode os.FileMode) bool {
	if owner != 0 {
		return true
	}
	return mode.Perm()&0o022 != 0 && !(mode.IsDir() && mode&os.ModeSticky != 0)
}
