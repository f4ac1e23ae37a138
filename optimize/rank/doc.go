// Package rank puts boards beside each other for one workload: time, power, energy and rest within a deadline.
//
//	front of each board ──► Rank ──► lines
package rank
