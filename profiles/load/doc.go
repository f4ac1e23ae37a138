// Package load sends requests to a server or hands batches of them to a job, and records when each
// was answered.
//
//	arrivals.Load ──► Send (a server, many at a time) ──────────┐
//	              └─► Serve (our own job, batch by batch) ──────┴──► Result ──► Latencies, rates
//
// The moments of arrival are fixed before the first request is sent. A latency counts from there,
// never from when the request could be sent, so a server that stalls is charged for all the requests
// that would have come meanwhile (no coordinated omission).
package load
