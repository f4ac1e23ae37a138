package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra"
)

// NewestEnergy is the newest energy study of a workload in a list with the newest first; "" for any workload's.
func NewestEnergy(list []Listed, workload string) (l Listed, ok bool) {
	at := slices.IndexFunc(list, func(l Listed) bool {
		named := workload == "" || l.Header.Workload.Name == workload
		return named && l.Err == nil && ofEnergy(l.Header.Plan) && len(l.Rows) > 0
	})
	if at < 0 {
		return l, false
	}
	return list[at], true
}

// Energy is what a recorded energy study found, as far as it got.
func (c Campaign) Energy() (EnergyReport, error) {
	if c.Err != nil {
		return EnergyReport{}, c.Err
	}
	h := c.Header
	if !ofEnergy(h.Plan) {
		return EnergyReport{}, fmt.Errorf("%s holds no energy study", c.Name)
	}
	space, err := h.Device.Space()
	if err != nil {
		return EnergyReport{}, err
	}
	r := EnergyRequest{Workload: h.Workload, Repeat: 1, Full: strings.Contains(h.Plan.Digest, " full=true ")}
	for word := range strings.FieldsSeq(h.Plan.Digest) {
		if n, is := strings.CutPrefix(word, "repeat="); is {
			r.Repeat, _ = strconv.Atoi(n)
		}
	}
	plan := &energyPlan{space: space, study: optimize.NewEnergyStudy(space, r.Repeat, true),
		kinds: recordedKinds(h, space, c.Rows)}
	runs, _, err := record.ReadRuns(c.Dir)
	out := energyReport(r, plan, c.Rows, runs)
	out.Virtual, out.Dir = h.Device.Virtual, c.Dir
	out.Board = h.Device.Name
	if out.Virtual {
		out.Board += " " + tegra.VirtualMark(tegra.Origin(true, h.Device.Replay))
	}
	return out, err
}

// recordedKinds are what was measured beside the pairs.
func recordedKinds(h record.Header, space *tegra.Space, rows []record.Row) (out []energyKind) {
	for _, row := range rows {
		if len(row.Extra) == 0 || row.Extra[0] == space.Format(row.Mode) ||
			slices.ContainsFunc(out, func(k energyKind) bool { return k.name == row.Extra[0] }) {
			continue
		}
		k := energyKind{name: row.Extra[0], workload: h.Workload, rounds: energyRounds}
		if n, is := strings.CutPrefix(k.name, "batch "); is {
			k.workload.Batch, _ = strconv.Atoi(n)
		} else if other, is := strings.CutPrefix(k.name, "against "); is {
			k.workload.Name = strings.TrimSuffix(other, " at the least")
		}
		out = append(out, k)
	}
	return out
}
