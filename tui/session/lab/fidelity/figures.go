// Package fidelity compares the virtual boards with every hardware figure printed in the papers.
//
//	figures.csv ──► Figure ──► words, on a bench (virtual boards, the session's own campaigns) ──► evidence.Result
//
// Nothing here is a measurement, and no value is stored: each is computed with the boards that the rest of the program
// uses.
package fidelity

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"jtune/tui/session/lab/evidence"
)

// Figure is a published hardware quantity and how it is simulated.
type Figure struct {
	evidence.Figure
	word, of    string // its only term: the word and the quantity
	at, against []setup
}

//go:embed figures.csv
var figuresCSV string

// Figures returns all published hardware figures. The tolerances are this project's.
var Figures = sync.OnceValue(func() []Figure {
	figures, err := parseFigures(figuresCSV)
	if err != nil {
		panic("fidelity: figures.csv: " + err.Error())
	}
	return figures
})

func parseFigures(text string) (out []Figure, err error) {
	err = evidence.Parse(text, func(published evidence.Figure, cell map[string]string) (err error) {
		f := Figure{Figure: published}
		f.word, f.of, _ = strings.Cut(f.Terms, " ")
		if f.at, err = parseSetups(cell["at"]); err != nil {
			return err
		}
		if f.against, err = parseSetups(cell["against"]); err != nil {
			return err
		}
		out = append(out, f)
		return words.Check(f.Terms)
	})
	return out, err
}

// About reports whether a figure describes a board, alone or among others.
func (f *Figure) About(board string) bool {
	for _, j := range f.Jobs {
		if j.Board == board {
			return true
		}
	}
	for _, s := range append(f.at, f.against...) {
		if s.board == board {
			return true
		}
	}
	return false
}

//go:embed verdicts.csv
var verdictsCSV string

// Expected returns the verdicts of the released boards, by figure.
var Expected = sync.OnceValue(func() map[string]evidence.Verdict {
	out := map[string]evidence.Verdict{}
	for line := range strings.Lines(verdictsCSV) {
		id, verdict, _ := strings.Cut(strings.TrimSpace(line), ",")
		out[id] = evidence.Verdict(verdict)
	}
	return out
})

// Lost lists the results that held when the boards were released and no longer hold.
func Lost(results []evidence.Result) (out []evidence.Result) {
	for _, r := range results {
		if Expected()[r.ID].Holds() && !r.Verdict.Holds() {
			out = append(out, r)
		}
	}
	return out
}

// Evaluate computes figures one after another.
func Evaluate(ctx context.Context, figures []Figure, seed uint64) (out []evidence.Result, err error) {
	b := newBench(builtIn(), seed)
	for _, f := range figures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := words.Result(question{b, f}, f.Figure)
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.ID, err)
		}
		r.Simulated = true
		out = append(out, r)
	}
	return out, nil
}

// Simulation is the label of a report.
const Simulation = "Simulated on virtual boards, not measured."
