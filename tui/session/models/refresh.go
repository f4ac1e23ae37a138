package models

import (
	"slices"
	"strings"
	"time"

	"jtune/learn"
	"jtune/profiles/record"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// refreshModels updates the models of pools after a program was killed: those that lack rows, and those of interrupted
// campaigns that had no model yet; only those that a name may mean, unless it is "". Pools that are being measured are
// left for later. If an update fails, the model stays unchanged.
func refreshModels(o session.Options, name string) {
	list, err := campaigns.List(o.Paths)
	if err != nil || len(list) == 0 {
		return
	}
	known, deleted := readingsOf(o.ModelsDir()), readingsOf(campaigns.DeletedDir(o.Paths, campaigns.ModelsKind))
	held, wanted := campaigns.Held(o.Paths), meant(o, name)
	seen := map[string]bool{}
	for _, list := range byWorkload(list) {
		for _, c := range slices.Backward(list) {
			space, err := c.Header.Device.Space()
			if err != nil || !wanted(c.Header.Workload.Name) {
				continue
			}
			for _, sizes := range [][]int{nil, {c.Header.Workload.Batch}} {
				of := newPool(c.Header.Workload, "", Board(c))
				if sizes == nil {
					of.Batch = c.Header.Workload.Batch
				}
				if seen[of.String()] {
					continue
				}
				seen[of.String()] = true
				pool := CollectPool(list, c.Header.Workload, Board(c), sizes)
				name := pool.String()
				pool.keep(space)
				readings, kept := known[name]
				_, unwanted := deleted[name]
				if kept && readings == len(pool.Rows()) ||
					!kept && (pool.Batch == 0 || unwanted || !pool.cutOff(list)) || pool.heldBy(list, held) {
					continue
				}
				if unlock, err := lockModels(o.Paths); err == nil {
					_ = refitPool(o, pool, c.Header)
					unlock()
				}
			}
		}
	}
}

// meant returns which workloads the model of a name may be of: that of its file, or of the name itself; all for "".
func meant(o session.Options, name string) func(workload string) bool {
	from, _, _ := learn.LoadSource(Path(o.Paths, name))
	return func(workload string) bool {
		return name == "" || workload == from.Workload || workload == name || strings.HasPrefix(name, workload+"@")
	}
}

// byWorkload groups the campaigns whose rows may be pooled by workload and board, in the order of the list, so that a
// pool is collected from its own campaigns alone.
func byWorkload(list []campaigns.Campaign) (groups [][]campaigns.Campaign) {
	at := map[[2]string]int{}
	for _, c := range list {
		if !Pools(c) {
			continue
		}
		key := [2]string{c.Header.Workload.Fingerprint(""), Board(c)}
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// Unfitted is a workload whose modes no model has learned yet.
type Unfitted struct {
	Workload string
	Modes    int // usable ones, each once a campaign
}

// FindUnfitted lists the workloads with modes that a killed program has measured and that no model of the list knows:
// the model is missing, or older than the campaign. It leaves out running campaigns and deleted models.
func FindUnfitted(o session.Options, list []Info) (out []Unfitted, err error) {
	lines, err := campaigns.Lines(o.CampaignsDir(), Identify)
	if err != nil {
		return nil, err
	}
	made := map[string]time.Time{}
	for _, info := range list {
		if info.Model == nil {
			continue
		}
		from := info.Model.Provenance
		if from.When.IsZero() {
			from.When = info.Modified
		}
		if pool := withoutVersions(from.Pool); from.When.After(made[pool]) {
			made[pool] = from.When
		}
	}
	lacking := slices.DeleteFunc(lines, func(l campaigns.Line) bool {
		return l.Pool == "" || made[l.Pool].After(l.Started)
	})
	if len(lacking) == 0 {
		return nil, nil
	}
	deleted := map[string]bool{}
	for pool := range readingsOf(campaigns.DeletedDir(o.Paths, campaigns.ModelsKind)) {
		deleted[withoutVersions(pool)] = true
	}
	held, at := campaigns.Held(o.Paths), map[string]int{}
	for _, l := range lacking {
		if _, kept := made[l.Pool]; !kept && deleted[l.Pool] || l.State(held) == campaigns.CampaignRunning {
			continue
		}
		i, ok := at[l.Pool]
		if !ok {
			i = len(out)
			at[l.Pool], out = i, append(out, Unfitted{Workload: l.Workload})
		}
		out[i].Modes += l.Usable
	}
	return out, nil
}

// Identify returns the fingerprint of a campaign's workload and, if its program was killed before it could keep a
// model, the pool of its rows.
func Identify(c campaigns.Campaign) (fingerprint, pool string) {
	if c.Header.Device.Which != "" && record.Ended(c.Dir) == "" && Pools(c) {
		of := newPool(c.Header.Workload, "", Board(c))
		of.Batch = c.Header.Workload.Batch
		pool = of.String()
	}
	return Fingerprint(c), pool
}

// readingsOf returns the number of readings behind each pool's model in a folder.
func readingsOf(dir string) map[string]int {
	out := map[string]int{}
	for _, path := range modelsIn(dir) {
		if from, _, err := learn.LoadSource(path); err == nil && from.Pool != "" {
			out[from.Pool] = from.Readings
		}
	}
	return out
}

// campaigns returns the campaigns of the pool.
func (p *Pool) campaigns(list []campaigns.Campaign) []campaigns.Campaign {
	names := p.Campaigns()
	return slices.DeleteFunc(slices.Clone(list), func(c campaigns.Campaign) bool {
		return !slices.Contains(names, c.Name)
	})
}

// cutOff reports whether a campaign of the pool ended before its model was saved.
func (p *Pool) cutOff(list []campaigns.Campaign) bool {
	return slices.ContainsFunc(p.campaigns(list), func(c campaigns.Campaign) bool {
		return c.Header.Device.Which != "" && record.Ended(c.Dir) == ""
	})
}

// heldBy reports whether a process is measuring for the pool.
func (p *Pool) heldBy(list []campaigns.Campaign, held []record.Running) bool {
	return slices.ContainsFunc(p.campaigns(list),
		func(c campaigns.Campaign) bool { return c.State(held) == campaigns.CampaignRunning })
}
