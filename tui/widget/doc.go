// Package widget is the parts of a screen: what a page puts together. A widget
// takes strings and numbers and draws exactly the cells it is given; it knows
// no board, no session and no page.
//
//	numbers ──► Cloud, chart ──┐
//	strings ──► Table, LogPane ┼──► Panel, Box ──► Beside, Under, Over ──► a frame ──► Glyphs
//	keys    ──► Form, Input ───┘
//
// Keys reach a widget as values (ListKeys, FormKeys) of actions,
// each with its help text. Styles and colours are built in one file, styles.go.
package widget
