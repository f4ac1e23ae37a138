// Package handover makes the report of a search for a customer: the question and the answer, its gain, whether it can
// be sustained, what was measured and what predicted, and how to set the mode again.
//
//	campaign folder, answer, model, soak ──► Report ──► document.Document
package handover
