// Package plan holds the tests that no import points against the plan of the rooms (docs/architecture.md), and that no
// text below the command line names a flag.
package plan
