package campaigns

import (
	"cmp"
	"slices"

	"jtune/internal/sorted"
	"jtune/profiles/record"
)

// Ledger counts the measurements of campaigns.
type Ledger struct {
	Campaigns   int     `json:"campaigns"`
	Runs        int     `json:"runs"`   // measurements of settings, repetitions included
	Usable      int     `json:"usable"` // of Runs
	Minibatches int     `json:"minibatches"`
	Epochs      float64 `json:"epochs"` // equivalent of the minibatches, for workloads whose epochs are known
	TimeS       float64 `json:"time_s"` // on the boards' clocks
}

func (l *Ledger) add(c Campaign) {
	l.Campaigns++
	for _, r := range c.Rows() {
		l.Runs++
		if r.Status.Usable() {
			l.Usable++
		}
		l.Minibatches += r.Minibatches
		l.TimeS += r.TookS
		if n := c.Header.Workload.AtBatch(r.Batch).MinibatchesPerEpoch(); n > 0 && !c.Header.Workload.Infers() {
			l.Epochs += float64(r.Minibatches) / float64(n)
		}
	}
}

// DeviceLedger is the ledger of one device.
type DeviceLedger struct {
	Device  string `json:"device"`
	Virtual bool   `json:"virtual"` // simulated, or a replay
	Ledger
}

// LedgerOf counts campaigns in total and per device, real devices first and by name. It skips folders that cannot be
// read.
func LedgerOf(list []Campaign) (all Ledger, devices []DeviceLedger) {
	for _, c := range list {
		if c.Err != nil {
			continue
		}
		all.add(c)
		from := c.Header.Device
		name, virtual := from.Name, !real(from)
		i := slices.IndexFunc(devices, func(d DeviceLedger) bool { return d.Device == name && d.Virtual == virtual })
		if i < 0 {
			i, devices = len(devices), append(devices, DeviceLedger{Device: name, Virtual: virtual})
		}
		devices[i].add(c)
	}
	sorted.By(devices, func(a, b DeviceLedger) int {
		if a.Virtual != b.Virtual {
			if a.Virtual {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.Device, b.Device)
	})
	return all, devices
}

// real reports whether a campaign measured a real board, not a simulation or a replay.
func real(d record.DeviceHeader) bool { return !d.Virtual && d.Replay == "" }
