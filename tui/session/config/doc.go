// Package config reads and edits the user's configuration file, and defines the user's folders.
//
//	Paths ──► config.toml ──► keys, notifications, meters, boards
package config
