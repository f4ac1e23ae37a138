// Package measure measures modes with the user's job: the requests and events of all jobs on a board, the plan of a
// profile, the bench, and what is learned from the rows.
//
//	request ──► plan ──► bench + guard ──► rows in a campaign folder ──► Event…
//	rows ──► Update ──► the workload's model
package measure
