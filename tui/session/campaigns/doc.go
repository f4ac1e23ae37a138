// Package campaigns manages the folders of measured campaigns: it lists, merges, compares, renames, deletes and
// restores them.
//
//	data directory ──► List, through the index ──► Campaign ──► Rows, where they are needed
//	Shelf ──► Delete ──► deleted/campaigns ──► Restore, Purge
package campaigns
