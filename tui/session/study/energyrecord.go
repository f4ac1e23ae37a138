package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jtune/optimize/energy"
	"jtune/profiles/experiment"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
)

// Energy returns the results of a recorded energy study, even an unfinished one.
func Energy(c campaigns.Campaign) (*EnergyReport, error) {
	if c.Err != nil {
		return nil, c.Err
	}
	h := c.Header
	if !campaigns.OfEnergy(h.Plan) {
		return nil, fmt.Errorf("%s holds no energy study", c.Name)
	}
	space, err := h.Device.Space()
	if err != nil {
		return nil, err
	}
	r := ExperimentRequest{Repeat: 1, board: h.Device.Name, virtual: h.Device.Virtual,
		Energy: EnergyRequest{Full: strings.Contains(h.Plan.Digest, " full=true ")}}
	r.Workload, r.Space = h.Workload, space
	for word := range strings.FieldsSeq(h.Plan.Digest) {
		if n, is := strings.CutPrefix(word, "repeat="); is {
			r.Repeat, _ = strconv.Atoi(n)
		}
	}
	if r.virtual {
		r.board += " " + tegra.VirtualMark(tegra.Origin(true, h.Device.Replay))
	}
	rows := c.Rows()
	st := energyStudy{r: r, study: energy.NewStudy(space, r.Repeat, true),
		kinds: recordedKinds(*h, space, rows)}
	runs, _, err := record.ReadRuns(c.Dir)
	return st.report(rows, runs), err
}

// recordedKinds returns what was measured besides the pairs.
func recordedKinds(h record.Header, space *tegra.Space, rows []record.Row) (out []energyKind) {
	for _, row := range rows {
		if len(row.Extra) == 0 || row.Extra[0] == space.Format(row.Mode) ||
			slices.ContainsFunc(out, func(k energyKind) bool { return k.Name == row.Extra[0] }) {
			continue
		}
		k := energyKind{Setting: experiment.Setting{Name: row.Extra[0], Workload: h.Workload}, rounds: energyRounds}
		if n, is := strings.CutPrefix(k.Name, atBatch); is {
			k.Workload.Batch, _ = strconv.Atoi(n)
		} else if other, is := strings.CutPrefix(k.Name, againstName); is {
			k.Workload.Name = strings.TrimSuffix(other, atTheLeast)
		}
		out = append(out, k)
	}
	return out
}
