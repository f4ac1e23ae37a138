// Package harness runs a training job and reads what it tells of its
// minibatches.
//
//	command ──► process group ──► lines of JSON ──► Event
//	tegra/virtual ──► NextMinibatch ──► Event
package harness
