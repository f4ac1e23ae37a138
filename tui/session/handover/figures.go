package handover

import (
	"fmt"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
	"jtune/tui/session/plots"
	"jtune/tui/session/soak"
)

// cloud draws all modes in the plane of time and power with the answers marked, thinned to keep the page small.
func (r Report) cloud() figure.Figure {
	var limit metric.Goal
	if r.Kept != nil {
		limit = r.Kept.Answers[0].Limit
	}
	f := plots.Cloud(r.Known, 0, limit)
	for i := range f.Panels[0].Series {
		s := &f.Panels[0].Series[i]
		if s.Shape != figure.Dots {
			continue
		}
		step := 1 + len(s.Points)/mostDots
		var kept []figure.Point
		for at := 0; at < len(s.Points); at += step {
			kept = append(kept, s.Points[at])
		}
		s.Points = kept
	}
	if r.Kept == nil {
		return f
	}
	for i, a := range r.Kept.Answers {
		if a.Batch != r.Known.Batch {
			continue
		}
		name := "answer"
		if len(r.Kept.Answers) > 1 {
			name = fmt.Sprintf("answer %d", i+1)
		}
		best := a.Best()
		f.Panels[0].Marks = append(f.Panels[0].Marks, figure.Mark{Point: figure.At(best.TimeMS, best.PowerW),
			Name: name})
	}
	return f
}

// proof says whether an answer's mode can be sustained.
func (r Report) proof(i int, at tegra.Setting) []document.Part {
	if s := r.Soaks[i]; s != nil {
		return soakParts(s)
	}
	parts := []document.Part{document.Heading("Does it hold?")}
	if r.Commands.Prove == nil {
		return append(parts, document.Text("Not known: no soak of this mode was kept."))
	}
	return append(parts, document.Text("Not known: no soak of this mode was kept. This proves it:"),
		document.Code(r.Commands.Prove(r.job(at.Batch), r.Space.Format(at.Mode))))
}

// job names the workload in a command to copy, with its batch size if that was chosen too. Names that a shell might
// interpret are replaced.
func (r Report) job(batch int) string {
	name := r.Header.Workload.Name
	if name == "" || name != safefile.Name(name) {
		return "WORKLOAD"
	}
	return name + text.IfAny("/%d", batch)
}

// soakParts returns the verdict of a soak, its margins and its curves.
func soakParts(s *soak.Kept) []document.Part {
	v := s.Result
	tone := map[hold.Verdict]document.Tone{hold.Holds: document.Good, hold.DoesNotHold: document.Bad}[v.Verdict]
	verdict := fmt.Sprintf("It %s: %s", v.Verdict, v.Reason)
	if v.Verdict == hold.NotSeen {
		verdict = "Whether it holds is not known: " + v.Reason
	}
	if !s.Ended {
		verdict += " (from its recorded samples: the soak was killed)"
	}
	parts := []document.Part{document.Heading("Does it hold?"), document.Claim{Text: verdict, Tone: tone},
		v.Table(s.Limits), append(document.Facts{{"job", s.Header.Workload.Name},
			{"measured", day(s.Header.Created)}}, v.Facts()...)}
	if f, ok := s.Curves().Figure(); ok {
		parts = append(parts, document.Drawing{Figure: f})
	}
	return parts
}
