// Package profiles measures power modes: it knows the workloads, runs them,
// walks a plan of modes and keeps the record. It knows nothing of learning
// or screens.
//
//	Plan ──► Campaign ──► Bench (apply, settle, warm up, measure) ──► Row ──► Record (folder)
package profiles
