package plan

import (
	"strings"
	"testing"
)

// Every fault that was found by trial has tests that exist, or a reason.
func TestFaultsHaveATestOrAReason(t *testing.T) {
	t.Parallel()
	tests := testsOf(t)
	for page, least := range map[string]int{
		"internal/plan/testdata/faults-by-trial.md":  50,
		"internal/plan/testdata/faults-of-layers.md": 120,
	} {
		seen := map[string]bool{}
		for _, cells := range rowsOf(t, page, 3) {
			number, fault, held := cells[0], cells[1], cells[2]
			if n := len(strings.Fields(fault)); seen[number] || n == 0 || n > 15 {
				t.Errorf("%s stands twice, or has %d words, want 1 to 15", number, n)
			}
			seen[number] = true
			reason := strings.HasPrefix(held, "no test: ") || strings.HasPrefix(held, "open: ")
			if named(t, tests, number, held) == 0 && !reason {
				t.Errorf("%s has neither a test nor a reason", number)
			}
		}
		if len(seen) < least {
			t.Errorf("%s: %d faults were read", page, len(seen))
		}
	}
}
