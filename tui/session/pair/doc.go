// Package pair runs a training and an inference on one board and finds the mix of settings and turns that trains most
// within the limits.
//
//	Request ──► Search ──► settings of each job alone ──► predicted mixes ──► both together ──► Answer
package pair
