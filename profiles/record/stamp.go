package record

import (
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Stamp returns a text that changes when the listed data of a campaign change. It combines the time of the folder with
// size and time of the files that grow or are edited. changed is the latest of these times.
func Stamp(dir string) (stamp string, changed time.Time) {
	var b []byte
	for _, name := range []string{dir, filepath.Join(dir, headerName), filepath.Join(dir, modesName)} {
		if st, err := os.Stat(name); err == nil {
			b = strconv.AppendInt(b, st.Size(), 36)
			b = append(b, '.')
			b = strconv.AppendInt(b, st.ModTime().UnixNano(), 36)
			if st.ModTime().After(changed) {
				changed = st.ModTime()
			}
		}
		b = append(b, '/')
	}
	return string(b), changed
}
