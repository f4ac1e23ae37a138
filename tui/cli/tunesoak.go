package cli

import (
	"context"
	"errors"

	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/measure"
	"jtune/tui/session/soak"
)

// mayProve returns an error if the answers of a search cannot be soaked.
func (c *tuneCmd) mayProve() error {
	if c.given("soak") && c.r.Load.Any() {
		return usagef("--soak: not with a load of requests: soak the answer with jtune soak")
	}
	return nil
}

// prove soaks the answers of a search that keep their limits, each in its mode; a mode that answers twice is soaked
// once. The proofs match the answers by index; nil: no proof.
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
		out, err := soak.Run(ctx, s, soak.Proving(r.Workload, a.Setting, c.proof), soakProgress(rep, false))
		rep.wipe()
		if err != nil {
			return proofs, err
		}
		proofs[i] = &out
	}
	return proofs, nil
}

// tuned are answers with their proofs as JSON; several are a list.
func tuned(found []answers.Answer, proofs []*soak.Result) any {
	for i, proof := range proofs {
		if proof != nil {
			found[i].Soak = &proof.Result
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return found
}

// proofExit returns the worst exit code of the proofs.
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
