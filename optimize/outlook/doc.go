// Package outlook joins the predictions of a model with the readings of one workload on one board: which setting wins,
// where one stands against a limit, how two compare.
//
//	learn.Model + readings ──► Outlook ──► Front, Choose, Standing, Compare
package outlook
