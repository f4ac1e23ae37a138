// Package inspect looks at the open board without changing it: its rights, sensors and tunables, and a bundle of its
// device files to hand over.
//
//	session ──► Diagnose ──► report of checks
//	session ──► WriteBundle ──► file
package inspect
