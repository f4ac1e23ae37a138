package record

import (
	"path/filepath"
	"strings"

	"jtune/internal/safefile"
)

// endName is the file that says how the last work on a campaign ended. A campaign without it is running, was
// interrupted by a crash, or comes from an older version.
const endName = "end.txt"

// Withdrawn is the end of a campaign whose readings measured something other than the job: they are kept and not used.
const Withdrawn = "withdrawn"

// End records how the work on the campaign ended: complete, interrupted, broken or withdrawn.
func (r *Record) End(how string) error { return Attach(r.dir, endName, []byte(how+"\n")) }

// Ended returns how the last work on a campaign ended; "" when unknown.
func Ended(dir string) string {
	text, err := safefile.Read(filepath.Join(dir, endName), 1<<10)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
