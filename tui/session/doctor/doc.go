// Package doctor examines the open board without changing it: its rights, sensors and tunables, and a bundle of its
// device files for support.
//
//	session ──► Diagnose ──► report of checks
//	session ──► WriteBundle ──► file
package doctor
