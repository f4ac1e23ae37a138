// Package rank compares boards for one workload: time, power, energy and rest within a deadline.
//
//	front of each board ──► Rank ──► lines
package rank
