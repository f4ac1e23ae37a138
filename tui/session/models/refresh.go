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
// left for later. If an update fails, the model stays unchanged. It returns the campaigns.
func refreshModels(o session.Options, name string) []campaigns.Campaign {
	list, err := campaigns.List(o.Paths)
	if err != nil || len(list) == 0 {
		return nil
	}
	known, deleted := sourcesOf(o.ModelsDir()), sourcesOf(campaigns.DeletedDir(o.Paths, campaigns.ModelsKind))
	held, wanted := campaigns.Held(o.Paths), meant(o, name)
	for _, list := range byWorkload(list) {
		seen := map[int]bool{} // batch sizes
		for _, c := range slices.Backward(list) {
			size := c.Header.Workload.Batch
			if seen[size] || !wanted(c.Header.Workload.Name) {
				continue
			}
			if _, err := c.Header.Device.Space(); err != nil {
				continue
			}
			seen[size] = true
			for _, sizes := range [][]int{nil, {size}} {
				if sizes != nil && seen[0] {
					continue
				}
				seen[0] = seen[0] || sizes != nil
				pool := NamePool(list, c.Header.Workload, c.Board, sizes)
				sources, kept := known[pool.String()]
				_, unwanted := deleted[pool.String()]
				if kept && sources == pool.sources() || !kept && (pool.Batch == 0 || unwanted || !pool.cutOff()) ||
					pool.heldBy(held) {
					continue
				}
				if unlock, err := lockModels(o.Paths); err == nil {
					pool.read()
					_ = refitPool(o, pool, *c.Header)
					unlock()
				}
			}
		}
	}
	return list
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
		if !c.Pools() {
			continue
		}
		key := [2]string{c.Workload, c.Board}
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
	lacking, err := campaigns.List(o.Paths)
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
	lacking = slices.DeleteFunc(lacking, func(c campaigns.Campaign) bool {
		return !cutOff(c) || made[unversioned(c.Workload, c.Board, c.Header.Workload.Batch)].After(c.Header.Created)
	})
	if len(lacking) == 0 {
		return nil, nil
	}
	deleted := map[string]bool{}
	for pool := range sourcesOf(campaigns.DeletedDir(o.Paths, campaigns.ModelsKind)) {
		deleted[withoutVersions(pool)] = true
	}
	held, at := campaigns.Held(o.Paths), map[string]int{}
	for _, c := range lacking {
		pool := unversioned(c.Workload, c.Board, c.Header.Workload.Batch)
		if _, kept := made[pool]; !kept && deleted[pool] || c.State(held) == campaigns.CampaignRunning {
			continue
		}
		i, ok := at[pool]
		if !ok {
			i = len(out)
			at[pool], out = i, append(out, Unfitted{Workload: c.Header.Workload.Name})
		}
		out[i].Modes += c.Usable
	}
	return out, nil
}

// sourcesOf returns the sources of each pool's model in a folder.
func sourcesOf(dir string) map[string]string {
	out := map[string]string{}
	for _, path := range modelsIn(dir) {
		if from, _, err := learn.LoadSource(path); err == nil && from.Pool != "" {
			out[from.Pool] = from.Sources
		}
	}
	return out
}

// cutOff reports whether the program of a campaign whose rows may be pooled was killed before it could keep a model.
func cutOff(c campaigns.Campaign) bool {
	return c.Header.Device.Which != "" && c.Ended == "" && c.Pools()
}

// cutOff reports whether a campaign of the pool ended before its model was saved.
func (p *Pool) cutOff() bool { return slices.ContainsFunc(p.of, cutOff) }

// heldBy reports whether a process is measuring for the pool.
func (p *Pool) heldBy(held []record.Running) bool {
	return len(held) > 0 && slices.ContainsFunc(p.of,
		func(c campaigns.Campaign) bool { return c.State(held) == campaigns.CampaignRunning })
}
