// Package tegratest builds fake Jetson roots for tests.
package tegratest

import "testing"

// AGXOrin35 builds an AGX Orin 64 GB with L4T 35.1 and gives its root.
func AGXOrin35(t testing.TB) string { panic("not yet") }

// AGXOrin36 builds an AGX Orin 64 GB with L4T 36.4 and gives its root.
func AGXOrin36(t testing.TB) string { panic("not yet") }
