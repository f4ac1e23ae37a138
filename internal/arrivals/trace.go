package arrivals

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"jtune/internal/text"
)

// parseTrace reads a file of arrivals: one time in seconds per line, ascending; empty lines and lines starting with #
// are skipped. Errors name the line.
func parseTrace(r io.Reader) (Load, error) {
	var times []float64
	lines := bufio.NewScanner(r)
	n := 1
	for ; lines.Scan(); n++ {
		word := strings.TrimSpace(lines.Text())
		if word == "" || strings.HasPrefix(word, "#") {
			continue
		}
		at, err := strconv.ParseFloat(word, 64)
		switch {
		case err != nil || math.IsNaN(at) || math.IsInf(at, 0):
			return Load{}, fmt.Errorf("line %d: %q is no number of seconds", n, text.Clip(word))
		case len(times) > 0 && at < times[len(times)-1]:
			return Load{}, fmt.Errorf("line %d: %g s is before the line above; arrivals must ascend", n, at)
		case len(times) == mostTime:
			return Load{}, fmt.Errorf("line %d: more than %d arrivals", n, mostTime)
		}
		times = append(times, at)
	}
	if err := lines.Err(); err != nil {
		return Load{}, fmt.Errorf("line %d: %w", n, err)
	}
	return Recorded(times)
}
