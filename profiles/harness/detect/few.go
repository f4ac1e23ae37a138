package detect

import "fmt"

// tooFew is the reason for a counter that has just begun.
func tooFew(c *candidate) *Undecided {
	return &Undecided{Kind: Few, Why: fmt.Sprintf("fewer than %d steps were read (%q)", least, c.title()),
		Candidates: []Candidate{{Form: c.form, What: c.title()}}}
}
