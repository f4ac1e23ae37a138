// Package config reads and edits the user's own file, and knows the user's folders.
//
//	Paths ──► config.toml ──► keys, notifications, meters, boards
package config
