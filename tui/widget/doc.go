// Package widget holds the parts that pages are built from. A widget
// takes strings and numbers and fills exactly the given cells; it knows
// no board, no session and no page.
//
//	numbers ──► Cloud, chart ──┐
//	strings ──► Table, LogPane ┼──► Panel, Box ──► Beside, Under, Over ──► a frame ──► Glyphs
//	keys    ──► Input ─────────┘
//
// A widget gets its keys as values (ListKeys) of actions,
// each with its help text. Styles and colours are built in one file, styles.go.
package widget
