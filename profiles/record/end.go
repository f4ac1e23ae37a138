package record

import (
	"os"
	"path/filepath"
	"strings"
)

// endName is the file that says how the last work on a campaign ended. A campaign without
// one is running, was cut off, or is of an older version.
const endName = "end.txt"

// End records how the work on the campaign ended: complete, interrupted or broken.
func (r *Record) End(how string) error { return r.Attach(endName, []byte(how+"\n")) }

// Ended says how the last work on a campaign ended; "" where nothing says so.
func Ended(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, endName))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
