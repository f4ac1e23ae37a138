// Package measure measures modes with the user's job. It holds the requests and events of all jobs on a board, the plan
// of a profile, the bench, and the update of models from the rows.
//
//	request ──► plan ──► bench + guard ──► rows in a campaign folder ──► Event…
//	rows ──► Update ──► the workload's model
package measure
