// Package dialog is what may lie over any page: the steps by which a mode is
// applied, the questions before tuning, the first start's welcome.
package dialog
