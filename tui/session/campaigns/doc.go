// Package campaigns lists and keeps what has been measured: folders of campaigns, merged, compared part by part,
// renamed, deleted and restored.
//
//	data directory ──► List, Find ──► Campaign ──► rows that a pool may learn
//	Campaign ──► SetAside ──► deleted/campaigns ──► BringBack
package campaigns
