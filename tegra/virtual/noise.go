package virtual

import (
	"hash/fnv"
	"math"
)

// Standard deviations of the board's noise.
const (
	quirkSD     = 0.010 // of a mode's time and power around the laws
	minibatchSD = 0.020 // of a minibatch's parts
	hiccupShare = 0.008 // share of minibatches with a system disturbance
	activitySD  = 0.012 // of power, between samples
	sensorMA    = 12    // of a current, mA
)

// hash mixes its arguments into 64 bits (splitmix64), so that noise depends on the query and the seed, never on the
// number of earlier queries.
func hash(parts ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, p := range parts {
		h ^= p + 0x9e3779b97f4a7c15 + h<<6 + h>>2
		h ^= h >> 30
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 27
		h *= 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// uniform is in [0, 1).
func uniform(parts ...uint64) float64 { return float64(hash(parts...)>>11) / (1 << 53) }

// normal has mean 0 and standard deviation 1.
func normal(parts ...uint64) float64 {
	h := hash(parts...)
	u := (float64(h>>11) + 0.5) / (1 << 53)
	v := float64(hash(h, 1)>>11) / (1 << 53)
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}

// hashOf hashes a name for hash (FNV-1a).
func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}
