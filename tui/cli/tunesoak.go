package cli

import (
	"context"
	"errors"

	"jtune/internal/report"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/measure"
	"jtune/tui/session/soak"
)

// mayProve is an error where the answers of a search cannot be soaked.
func (c *tuneCmd) mayProve() error {
	switch {
	case !c.given("soak"):
		return nil
	case c.proof <= 0:
		return usagef("--soak %s: must be positive", c.proof)
	case c.r.Loaded():
		return usagef("--soak: not with a load of requests: soak the answer with jtune soak")
	case c.join.given():
		return usagef("--soak: not with a job that was started elsewhere")
	}
	return nil
}

// prove soaks the answers of a search that keep their limits, each in its mode; a mode that answers twice is soaked
// once. An answer without a proof has nil in its place.
func (c *tuneCmd) prove(ctx context.Context, s *session.Session, r measure.TuneRequest,
	found []answers.Answer) (proofs []*soak.Result, err error) {
	proofs = make([]*soak.Result, len(found))
	for i, a := range found {
		if c.proof == 0 || !a.Feasible {
			continue
		}
		for j := range i {
			if found[j].Setting == a.Setting && proofs[j] != nil {
				proofs[i] = proofs[j]
			}
		}
		if proofs[i] != nil {
			continue
		}
		rep := c.reporter(s.Device)
		out, err := soak.Run(ctx, s, soak.Proving(r.Workload, a.Setting, c.proof), soakProgress(rep))
		rep.wipe()
		if err != nil {
			return proofs, err
		}
		c.note("soaked for the proof; recorded in %s", out.Dir)
		proofs[i] = &out
	}
	return proofs, nil
}

// withProof is an answer with its soak as JSON: null where there is none.
func withProof(a answers.Answer, proof *soak.Result) (any, error) {
	var of any
	if proof != nil {
		of = proof.Result
	}
	return report.Join(a, report.Object{{"soak", of}})
}

// printTuned prints answers as JSON, several as a list, with their proofs on request.
func (c *tuneCmd) printTuned(found []answers.Answer, proofs []*soak.Result) error {
	var docs []any
	for i, a := range found {
		if c.proof == 0 {
			docs = append(docs, a)
			continue
		}
		doc, err := withProof(a, proofs[i])
		if err != nil {
			return err
		}
		docs = append(docs, doc)
	}
	if len(docs) == 1 {
		return printJSON(c.out, docs[0])
	}
	return printJSON(c.out, docs)
}

// proofExit is the exit code of the proofs: the worst of their verdicts.
func proofExit(proofs []*soak.Result) (err error) {
	for _, p := range proofs {
		if p == nil {
			continue
		}
		if e := soakExit(p.Verdict); e != nil && !errors.Is(err, exitError(exitInfeasible)) {
			err = e
		}
	}
	return err
}
