// Package outlook combines a model's predictions with the readings of one workload on one board: the best setting, the
// standing of a setting against a limit, the comparison of two.
//
//	learn.Model + readings ──► Outlook ──► Front, Choose, Standing, Compare
package outlook
