package models

import (
	"testing"

	"jtune/profiles/record"
	"jtune/profiles/workload"
)

// A model is called by its workload and board, so that those of several boards stand side by side.
func TestModelIsNamedByItsBoard(t *testing.T) {
	t.Parallel()
	w := workload.Workload{Name: "lstm"}
	for want, d := range map[string]record.DeviceHeader{
		"lstm@agx-orin":           {Name: "AGX Orin", Which: "ubuntu"},
		"lstm@orin-nano-super":    {Name: "Orin Nano (Super)", Which: "ubuntu"},
		"lstm@virtual-xavier-nx":  {Name: "Xavier NX", Virtual: true, Which: "xavier-nx"},
		"lstm@replay-0123ab":      {Name: "AGX Orin", Replay: "x.csv", Which: "sha256:0123abcd"},
		"lstm@replay":             {Name: "AGX Orin", Replay: "x.csv"},
		"lstm@board":              {Name: "…"},
		"lstm@nvidia-jetson-n-no": {Name: "NVIDIA/Jetson\tNäno"},
	} {
		if got := NameFor(w, d); got != want {
			t.Errorf("%+v: %s, want %s", d, got, want)
		}
	}
}
