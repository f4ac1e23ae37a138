package campaigns

import (
	"errors"
	"math"
	"testing"

	"jtune/profiles/record"
	"jtune/profiles/workload"
)

func TestLedgerCountsRunsEpochsAndDevices(t *testing.T) {
	t.Parallel()
	of := func(device record.DeviceHeader, w workload.Workload, minibatches ...int) Campaign {
		rows := []record.Row{}
		for i, n := range minibatches {
			r := record.Row{Status: record.OK, Minibatches: n, TookS: 30}
			if i > 0 {
				r.Status = record.Rejected
			}
			rows = append(rows, r)
		}
		return Of("", "", record.Header{Device: device, Workload: w}, rows)
	}
	net := workload.Workload{Samples: 1600, Batch: 16} // 100 minibatches an epoch
	all, devices := LedgerOf([]Campaign{
		of(record.DeviceHeader{Name: "Orin", Virtual: true}, net, 40),
		of(record.DeviceHeader{Name: "Orin"}, net, 50, 0),
		of(record.DeviceHeader{Name: "Orin"}, net, 150),
		of(record.DeviceHeader{Name: "Orin"}, workload.Workload{Batch: 16}, 7), // whose epochs are not known
		{Err: errors.New("torn")},
	})
	if all.Campaigns != 4 || all.Runs != 5 || all.Usable != 4 || all.Minibatches != 247 || all.TimeS != 150 ||
		math.Abs(all.Epochs-2.4) > 1e-9 {
		t.Errorf("got %+v, want 4 campaigns, 5 runs, 4 usable, 247 minibatches, 2.4 epochs, 150 s", all)
	}
	if len(devices) != 2 || devices[0].Virtual || devices[0].Campaigns != 3 || !devices[1].Virtual {
		t.Errorf("got %+v, want a real Orin of 3 campaigns, then a virtual one", devices)
	}
}
