package arrivals

import "time"

// Turns is the rule by which training shares a GPU with a queue's batches. Neither interrupts the other.
type Turns struct {
	Fill bool // train while no batch is due; otherwise strictly: only what ends before the next batch is due
	Tau  int  // strict: maximum minibatches between two batches
}

// Trains reports whether the next turn belongs to the training, given the time now, when the next batch is due, the
// length of a minibatch, and the number of turns since the last batch.
func (t Turns) Trains(now, due, minibatch time.Duration, since int) bool {
	if t.Fill {
		return now < due
	}
	return since < t.Tau && now+minibatch <= due
}
