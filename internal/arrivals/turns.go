package arrivals

import "time"

// Turns is the rule by which training shares a GPU with the batches of a queue. Neither interrupts
// the other.
type Turns struct {
	Fill bool // train while no batch is due; else strictly: only what ends before the next batch is due
	Tau  int  // strict: the most minibatches between two batches
}

// Trains reports whether the next turn is the training's: now, with the next batch due then, a minibatch of that
// length, and that number of turns since the last batch.
func (t Turns) Trains(now, due, minibatch time.Duration, since int) bool {
	if t.Fill {
		return now < due
	}
	return since < t.Tau && now+minibatch <= due
}
