package advice

import (
	"strings"
	"testing"
	"time"
)

// PowerTrain, Table 1, and values between its rows.
func TestApproachOfFollowsThePapersTable(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, c := range []struct {
		Scenario
		want string // of the paper's advice
	}{
		{Scenario{"once", 3 * day, "never"}, "all modes"},
		{Scenario{"occasionally", 4 * time.Hour, "rarely"}, "at least 100"},
		{Scenario{"periodically", 40 * time.Minute, "rarely"}, "PowerTrain"},
		{Scenario{"often", 0, "often"}, "PowerTrain"},
		{Scenario{"once", 4 * time.Hour, "never"}, "all modes"},
		{Scenario{"", 3 * day, ""}, "PowerTrain"}, // any length may be federated, which measures less
		{Scenario{"often", 2 * time.Hour, "often"}, "PowerTrain"},
	} {
		if got := ApproachOf(c.Scenario); !strings.Contains(got.Paper, c.want) {
			t.Errorf("%+v: got %q, want %q", c.Scenario, got.Paper, c.want)
		}
	}
	for _, a := range approaches { // each row is found by its own words
		if got := ApproachOf(Scenario{a.often, 0, a.changes}); got.Scenario != a.Scenario {
			t.Errorf("%q is answered with %q", a.Scenario, got.Scenario)
		}
	}
}
