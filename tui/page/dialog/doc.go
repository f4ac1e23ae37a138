// Package dialog holds the dialogs that open over any page: applying a mode, the questions before a task, the welcome
// of the first start.
package dialog
