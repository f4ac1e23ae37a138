package cli

import (
	"jtune/internal/usage"
)

// flagNames maps the fields that other packages' messages mention to flags, with a placeholder for their value.
var flagNames = map[usage.Field]struct{ flag, value string }{
	usage.Device:   {"--device", "NAME"},
	usage.Sysroot:  {"--sysroot", "DIR"},
	usage.Medium:   {"--medium", "NAME"},
	usage.Fault:    {"--fault", "NAME"},
	usage.Ambient:  {"--ambient", "C"},
	usage.NoDevice: {"--no-device", ""},
	usage.ReadOnly: {"--read-only", ""},
	usage.Speed:    {"--speed", "N"},
	usage.Config:   {"--config", "FILE"},
	usage.DataDir:  {"--data-dir", "DIR"},
	usage.Seed:     {"--seed", "N"},

	usage.Batch:        {"--batch", "N"},
	usage.Workers:      {"--workers", "N"},
	usage.Weights:      {"--weights", "NAME"},
	usage.Remote:       {"--own-address", ""},
	usage.Log:          {"--log", "FILE"},
	usage.Pattern:      {"--pattern", "PATTERN"},
	usage.Counts:       {"--counts", "steps|samples"},
	usage.TrustCommand: {"--trust-command", ""},
	usage.Epochs:       {"--epochs", "N"},
	usage.PerEpoch:     {"--per-epoch", "N"},
	usage.Minibatches:  {"--minibatches", "N"},

	usage.Load:        {"--rate and --arrivals", ""},
	usage.Rate:        {"--rate", "N"},
	usage.Arrivals:    {"--arrivals", "NAME"},
	usage.Outstanding: {"--outstanding", "N"},
	usage.MaxWait:     {"--max-wait", "MS"},
	usage.Latency:     {"--latency", "MS"},

	usage.PowerLimit:  {"--power-limit", "W"},
	usage.TimeLimit:   {"--time-limit", "MS"},
	usage.EnergyLimit: {"--energy-limit", "J"},
	usage.Limit:       {"--limit", "LIST"},
	usage.MaxSlowdown: {"--max-slowdown", "PCT"},
	usage.Knee:        {"--knee", ""},
	usage.PowerAs:     {"--power-as", "NAME"},
	usage.IdlePower:   {"--idle-power", "W"},
	usage.Coverage:    {"--coverage", "NAME"},
	usage.Strategy:    {"--strategy", "NAME"},

	usage.Mode:    {"--mode", "MODE"},
	usage.Modes:   {"--modes", "N"},
	usage.Sample:  {"--sample", "N"},
	usage.Grid:    {"--grid", ""},
	usage.Filter:  {"--filter", "EXPR"},
	usage.List:    {"--list", "FILE"},
	usage.Shard:   {"--shard", "I/N"},
	usage.DVFS:    {"--dvfs", ""},
	usage.Fan:     {"--fan", "auto|max"},
	usage.KeepFan: {"--keep-fan", ""},
	usage.Force:   {"--force", ""},
	usage.AtBoot:  {"--at-boot", ""},
	usage.Reboot:  {"--reboot", ""},
	usage.Keep:    {"--keep", ""},

	usage.Out:        {"--out", "DIR"},
	usage.Resume:     {"--resume", ""},
	usage.RedoFailed: {"--redo-failed", ""},
	usage.Repeat:     {"--repeat", "N"},
	usage.Data:       {"--data", "DIR"},
	usage.Meter:      {"--meter", "STATE=W"},
	usage.Governor:   {"--governor", "NAME"},
	usage.Against:    {"--against", "NAME"},
	usage.ServeAt:    {"--serve-at", "HOURS"},
	usage.TrainAt:    {"--train-at", "HOURS"},

	usage.Method:        {"--method", "NAME"},
	usage.Reference:     {"--reference", "NAME"},
	usage.Phase:         {"--phase", "NAME"},
	usage.Samples:       {"--samples", "DIR"},
	usage.EpochTimes:    {"--epochs", "FILE"},
	usage.Runs:          {"--runs", "DIR"},
	usage.Sweeps:        {"--sweeps", "DIR"},
	usage.LeaveOutStuck: {"--leave-out-stuck", ""},
}

// flagged returns a message with flags in place of field names.
func flagged(text string) string {
	return usage.Named(text, func(f usage.Field, value bool) string {
		name := flagNames[f]
		if value && name.value != "" {
			return name.flag + " " + name.value
		}
		return name.flag
	})
}
