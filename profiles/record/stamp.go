package record

import (
	"strconv"
	"syscall"
	"time"
)

// Stamp returns a text that changes when the listed data of a campaign change. It combines the time of the folder with
// size and time of the files that grow or are edited. changed is the latest of these times.
func Stamp(dir string) (stamp string, changed time.Time) {
	var b []byte
	for _, name := range []string{dir, dir + "/" + headerName, dir + "/" + modesName} {
		var st syscall.Stat_t // without os.Stat's allocations: a list asks for thousands
		if err := syscall.Stat(name, &st); err == nil {
			b = strconv.AppendInt(b, st.Size, 36)
			b = append(b, '.')
			b = strconv.AppendInt(b, st.Mtim.Nano(), 36)
			if at := time.Unix(st.Mtim.Unix()); at.After(changed) {
				changed = at
			}
		}
		b = append(b, '/')
	}
	return string(b), changed
}
