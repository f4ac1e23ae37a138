package mix

// No practical formula gives the waiting time of requests that arrive at random, or of batches that leave after a
// maximum wait. It is simulated: one server, arrivals drawn by a seed, the service time of each batch by its size.
// 20,000 requests take about 0.6 ms.

import (
	"math"
	"slices"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/stats"
	"jtune/learn"
)

// simulatedRequests is the number of requests simulated per setting.
const simulatedRequests = 20_000

// Queueing is a server under load, with training beside it if MinibatchS is positive.
type Queueing struct {
	Load       arrivals.Load
	Batching   arrivals.Batching
	ServeS     []float64 // by the number of requests in a batch, from 0 to the batch size
	MinibatchS float64   // of training; 0: none
	Policy     string
	Tau        int // for strict turns: the most minibatches between two batches
	Requests   int // number simulated; 0: 20,000
	Seed       uint64
}

// Waited is the result of a simulation.
type Waited struct {
	LatenciesMS []float64 // in the order of the answers
	Minibatches int
	SpanS       float64
	BusyS       float64 // serving
}

// Simulate runs the queue of an open or closed loop.
func (q Queueing) Simulate() Waited {
	n := q.Requests
	if n == 0 {
		n = simulatedRequests
	}
	queue := arrivals.NewQueue(q.Load, q.Batching, q.Seed, 0)
	serve := make([]time.Duration, len(q.ServeS))
	for k, s := range q.ServeS {
		serve[k] = duration(s)
	}
	w := Waited{LatenciesMS: make([]float64, 0, n+len(serve))}
	turns := arrivals.Turns{Fill: q.Policy == Fill, Tau: q.Tau}
	minibatch, now := duration(q.MinibatchS), time.Duration(0)
	for len(w.LatenciesMS) < n {
		due := queue.Due()
		for since := 0; minibatch > 0 && turns.Trains(now, due, minibatch, since); since++ {
			now += minibatch
			w.Minibatches++
		}
		now = max(now, due)
		_, arrived := queue.Take(now)
		took := serve[len(arrived)]
		now += took
		w.BusyS += took.Seconds()
		for _, at := range arrived {
			w.LatenciesMS = append(w.LatenciesMS, float64(now-at)/float64(time.Millisecond))
		}
		queue.Answered(len(arrived), now)
	}
	w.SpanS = now.Seconds()
	return w
}

func duration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// queueing returns the simulation of an outcome; slow includes the margin.
func (a *Ask) queueing(o *Outcome, infer Phase, slow bool) Queueing {
	factor, minibatch := 1.0, o.train.TimeMS/1000
	if slow {
		factor, minibatch = o.slowS/(o.TimeMS/1000), o.slowTrain
	}
	at := o.WithBatch(1)
	return Queueing{Load: a.Load, Batching: arrivals.Batching{Size: at.Batch, MaxWait: a.MaxWait},
		ServeS: infer.times(at, factor), MinibatchS: minibatch, Policy: o.Policy, Tau: o.Tau, Seed: a.Seed}
}

// simulate replaces an outcome's calculated latency, training and power, and judges it again, with the margin.
func (a *Ask) simulate(o *Outcome, infer Phase) {
	w := a.queueing(o, infer, false).Simulate()
	o.LatencyMS = stats.NearestRankOf(w.LatenciesMS, a.quantile()) * a.off.factor(0)
	slow := o.LatencyMS
	if a.Goal.Margin.Z() > 0 && a.LatencyMS > 0 {
		slow = stats.NearestRankOf(a.queueing(o, infer, true).Simulate().LatenciesMS, a.quantile()) *
			a.off.factor(a.Goal.Margin.Z())
	}
	if o.Policy != "" {
		o.TrainPerS = float64(w.Minibatches) / w.SpanS
	}
	a.spend(o, w.BusyS/w.SpanS, o.TrainPerS*o.train.TimeMS/1000)
	a.judge(o, a.judged(o), slow, 1000*o.slowS)
}

// leastServing returns a lower bound of the share of time that batches take if they leave after the maximal wait. A
// batch has the first request, and those that arrive during its wait and the service before it. Batches between the
// smallest known one and the full one take less for each request the larger they are.
func (a *Ask) leastServing(first, full *learn.Prediction, rate float64) float64 {
	least, most := float64(first.Batch), float64(max(1, full.Batch))
	n, took := most, full.TimeMS/1000
	for range 3 { // each bound gives a closer one
		n = min(n, 1+rate*(a.MaxWait.Seconds()+took))
		part := max(0, n-least) / max(1, most-least)
		took = (first.TimeMS + part*(full.TimeMS-first.TimeMS)) / 1000
	}
	return rate * took / n
}

const (
	nearBest   = 0.2 // relative; simulated training may rank settings differently from the formulas
	mostNearby = 40  // most of those within the limits that are compared by simulation
)

// firstInTime returns the first of the outcomes, best first, whose simulated latency keeps the limit, and the nearest
// of the others. An outcome slower than a late one with the same batch size is late too, without simulation. Beside
// training it returns the best of those near it; with a maximal wait, the best of those that may be better.
func (a *Ask) firstInTime(best []Outcome, infer Phase, want Want) (found []Outcome, nearest Outcome) {
	var failed lateMixes
	least := math.Inf(1)
	far := func(o *Outcome) bool {
		switch value, _ := want.value(o, a.PowerAs); {
		case len(found) > mostNearby:
			return true
		case o.Policy == "":
			return a.MaxWait == 0 || !(value < least)
		}
		return o.TrainPerS < (1-nearBest)*found[0].TrainPerS
	}
	for _, o := range best {
		if len(found) > 0 && far(&o) {
			break
		}
		if failed.holds(&o) {
			continue
		}
		if a.simulate(&o, infer); o.Meets {
			found = append(found, o)
			value, _ := want.value(&o, a.PowerAs)
			least = min(least, value)
			continue
		}
		failed.add(o)
	}
	if len(found) > 1 {
		found = []Outcome{slices.MinFunc(found, func(x, y Outcome) int { return a.compare(&x, &y, want) })}
	}
	return found, failed.nearest
}
