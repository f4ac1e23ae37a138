package task

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
)

// Columns are the columns of a list of campaigns; mode formats the modes of answers.
func Columns(mode func(tegra.Mode) string) report.Table[*Listed] {
	type x = *Listed
	return report.Table[x]{
		{Key: "name", Title: "campaign", Width: 31, Drop: 3, Of: func(l x) any { return l.Name }},
		{Key: "path", Of: func(l x) any { return l.Dir }},
		{Key: "workload", Title: "workload", Width: 13, Of: func(l x) any { return l.Header.Workload.Name }},
		{Key: "fingerprint", Of: func(l x) any { return l.Fingerprint }},
		{Title: "question → answer", Width: 38, Text: func(l x) string { return l.question(mode) }},
		{Key: "device", Title: "device", Of: func(l x) any { return l.Header.Device.Name },
			Text: func(l x) string { return campaigns.OfDevice(l.Header.Device.Name, l.Header.Device.Virtual) }},
		{Key: "virtual", Of: func(l x) any { return l.Header.Device.Virtual }},
		{Key: "state", Title: "state", Width: 11, Whole: true, Drop: 1, Of: func(l x) any { return l.State }},
		{Key: "modes", Title: "modes", Width: 5, Right: true, Drop: 2, Of: func(l x) any { return l.Modes() }},
		{Key: "usable", Title: "usable", Of: func(l x) any { return l.Usable }},
		{Key: "started", Of: func(l x) any { return l.Started().Format(time.RFC3339) }},
		{Key: "strategy", Of: func(l x) any { return text.Optional(l.Strategy()) }}, // of a search
		{Key: "seed", Of: func(l x) any { return l.Header.Seed }},
	}
}

// question returns a search's question and answer, or what another campaign measures, with the verdict.
func (l *Listed) question(mode func(tegra.Mode) string) string {
	switch k := l.Answer; {
	case l.Part != "":
		return "  └ " + l.What()
	case k != nil && l.Verdict != "":
		return answered(k, mode) + ", " + l.Verdict
	case k != nil:
		return answered(k, mode)
	case l.PID > 0 && l.PID != os.Getpid():
		return fmt.Sprintf("jtune %d: %s", l.PID, l.What())
	case l.Verdict != "":
		return l.What() + ": " + l.Verdict
	}
	return l.What()
}

// answered formats goal and answer: "30 W → 12c/1.04C/0.73G/3.20M 87 ms".
func answered(b *answers.Brief, mode func(tegra.Mode) string) string {
	goal := cmp.Or(b.Goal.String(), b.Goal.Limit.Brief())
	if !b.Feasible {
		return goal + " → none; nearest " + mode(b.Setting.Mode)
	}
	out := goal + " → " + mode(b.Setting.Mode) + text.IfAny(" batch %d", b.Setting.Batch)
	if b.Quantile > 0 {
		out += fmt.Sprintf(" p%.4g", 100*b.Quantile)
	}
	return out + " " + text.Of(b.MS) + " ms" + text.IfAny(" and %d more", b.More)
}
