// Package campaigns manages the folders of measured campaigns: it lists, merges, compares, renames, deletes and
// restores them.
//
//	data directory ──► List, Find ──► Campaign ──► rows that a pool may learn
//	Campaign ──► SetAside ──► deleted/campaigns ──► BringBack
package campaigns
