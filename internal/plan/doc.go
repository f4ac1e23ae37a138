// Package plan holds the test that no import points against the plan of the
// rooms (docs/architecture.md).
package plan
