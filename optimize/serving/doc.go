// Package serving is the outlook of a workload under load: which settings keep rate, latency and power.
//
//	Outlook + load ──► LoadView ──► latency, power and standing of each setting
package serving
