// Package page is what the shell and the pages agree on.
//
//	built-in table + the user's bindings ──► Keys ──► matching, last line, help, manual
//	shell ──► State ──► Reader ──► Page ──► Intent ──► shell
//
// The shell alone writes the State. A page, each in a package of its own below
// this one, reads it through a Reader, gets keys and messages, and returns what
// it wants to happen: an Intent, which the shell carries out before the next
// message. Pages know neither each other nor their order.
package page
