// Package models keeps one model for each workload on a board. A model is derived from the pool of all usable rows of
// its workload and can be recreated at any time.
//
//	campaigns ──► Pool ──► learn.Model ──► file below models
//	name ──► Load, Path, Reference
package models
