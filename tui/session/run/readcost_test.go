package run

import (
	"math"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/tui/session"
	"jtune/tui/session/sessiontest"
)

// minibatches are taken one after another from a job that slows steadily and loses 5 % while sensors are read.
func minibatches(t *testing.T, turns *readTurns, most int) (unread int) {
	t.Helper()
	now := time.Hour // later than the clock of the board, which stands still here
	for i := 0; i < most && !turns.done(); i++ {
		ms := 10 + 0.01*float64(i)
		if turns.on != nil {
			ms *= 1.05
		}
		now += time.Duration(ms * float64(time.Millisecond))
		if turns.counts(harness.Event{Kind: harness.Minibatch, T: now, TimeMS: ms}) {
			unread++
		}
	}
	turns.end()
	return unread
}

func TestReadCostIsTheDifferenceThoughTheJobDrifts(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{})
	turns := &readTurns{sampler: s.Sampler, clock: s.Clock, every: time.Second, each: 100}
	must.Equal(t, minibatches(t, turns, 1000), 100)
	c := turns.cost()
	must.Equal(t, c.Minibatches, 100)
	must.Equal(t, c.Blocks, readPairs)
	if math.Abs(c.CostPct.V-5) > 0.2 || c.LowPct.V > 5 || c.HighPct.V < 5 || c.LowPct.V < 3 {
		t.Errorf("cost %.2f %% (%.2f to %.2f), want 5", c.CostPct.V, c.LowPct.V, c.HighPct.V)
	}
	if got := sayCost(c); !strings.Contains(got, "every 1s: ") || strings.Contains(got, "within the scatter") {
		t.Errorf("it says %q", got)
	}
}

// Steps of a line that began in the block before have the mean time of both blocks.
func TestReadCostLeavesOutALineOfTwoBlocks(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{})
	turns := &readTurns{sampler: s.Sampler, clock: s.Clock, every: time.Second, each: 100}
	for i, c := range []struct {
		shared time.Duration // before the present block began
		want   int
	}{{0, 1}, {time.Second, 1}, {0, 2}} {
		now := turns.since + time.Hour
		turns.counts(harness.Event{T: now, TimeMS: 50, Shared: turns.since - c.shared})
		must.Equal(t, len(turns.block), c.want, i)
	}
}

func TestReadCostOfAJobThatEndsEarlyIsAbsent(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{})
	for most, want := range map[int]string{3: "let it run longer", 30: "one block of each kind"} {
		turns := &readTurns{sampler: s.Sampler, clock: s.Clock, every: time.Second, each: 100}
		minibatches(t, turns, most)
		c := turns.cost()
		if c.LowPct.OK || c.CostPct.OK != (most == 30) || !strings.Contains(sayCost(c), want) {
			t.Errorf("after %d minibatches: %+v, %q", most, c, sayCost(c))
		}
	}
}
