// Package handover makes the report of a search that is handed to a customer: the question and the answer, its gain,
// whether it holds, what was measured and what predicted, and how to set the mode again.
//
//	campaign folder, answer, model, soak ──► Report ──► document.Document
package handover
