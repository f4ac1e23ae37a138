// Package session joins the rooms below the screens: it opens a device, starts
// its guard, and runs whole jobs (tune, profile, verify, fit) on it. Both the
// full-screen tuner and the line commands stand on it.
//
//	Options ──► Open ──► Session ──► Device, Clock, Guard
//	TuneRequest, ProfileRequest ──► guard + harness + bench ──► Event… ──► result, campaign folder
//	samples ──► Fit ──► learn.Model ──► Versus
package session
