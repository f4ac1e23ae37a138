// Package session joins the rooms below the screens: it opens a device, starts
// its guard, and runs whole jobs (tune, profile, verify, fit) on it. Both the
// full-screen tuner and the line commands are built on it.
//
//	Options ──► Open ──► Session ──► Device, Clock, Guard
//	TuneRequest, ProfileRequest ──► guard + harness + bench ──► Event… ──► result, campaign folder
//	campaign folders ──► Pool ──► the model of a workload on a board, kept under a name that stays
//	samples ──► Fit ──► learn.Model ──► Outlook (predictions, readings, Pareto fronts) ──► Choose, State, Compare
//	a job's readings ──► Outlooks ──► the outlook of their own workload and board
package session
