// Package plan holds the tests that imports follow the plan in docs/architecture.md, and that no message below the
// command line names a flag.
package plan
