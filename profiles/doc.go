// Package profiles measures power modes: it runs the workloads, steps through a plan of modes and keeps the record. It
// knows nothing of learning or screens.
//
//	Plan ──► Campaign ──► Bench (apply, settle, warm up, measure) ──► Row ──► Record (folder)
package profiles
