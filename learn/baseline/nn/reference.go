package nn

import (
	"embed"
	"encoding/json"
	"fmt"
	"sync"
)

// The shipped reference: trained weights, no measured row. makeref wrote them;
// ref/README.md says from what.
//
//go:embed ref/resnet18-agx-orin.time.jtnn ref/resnet18-agx-orin.power.jtnn ref/resnet18-agx-orin.json
var shipped embed.FS

// File names of a reference: ReferenceName plus these endings.
const (
	ReferenceName    = "resnet18-agx-orin"
	TimeSuffix       = ".time.jtnn"
	PowerSuffix      = ".power.jtnn"
	ProvenanceSuffix = ".json"
)

// Provenance is the origin of reference networks and their error on their own workload.
type Provenance struct {
	Workload string `json:"workload"` // workload trained while measuring
	Device   string `json:"device"`
	Version  int    `json:"version"` // of these weights
	Source   string `json:"source"`  // repository, commit and file of the measurements
	Licence  string `json:"licence"` // of the measurements
	Command  string `json:"command"` // command that made the networks
	Modes    int    `json:"modes"`   // number trained on
	Config   Config `json:"config"`
	// Errors over the training and held-out modes [%], as shipped.
	TimeMAPEPct  float64 `json:"time_mape_pct"`
	PowerMAPEPct float64 `json:"power_mape_pct"`
}

// ResNetReference returns the shipped reference networks, the same as PowerTrain's: ResNet-18 training on a Jetson AGX
// Orin, all 4,368 modes of the grid.
func ResNetReference() (Pair, Provenance) {
	r := loadShipped()
	return r.pair, r.provenance
}

type reference struct {
	pair       Pair
	provenance Provenance
}

var loadShipped = sync.OnceValue(func() reference {
	r := reference{pair: Pair{new(Net), new(Net)}}
	read := func(suffix string, decode func([]byte) error) {
		data, err := shipped.ReadFile("ref/" + ReferenceName + suffix)
		if err == nil {
			err = decode(data)
		}
		if err != nil {
			panic(fmt.Sprintf("nn: the built-in reference %s%s: %v", ReferenceName, suffix, err))
		}
	}
	read(TimeSuffix, r.pair.Time.UnmarshalBinary)
	read(PowerSuffix, r.pair.Power.UnmarshalBinary)
	read(ProvenanceSuffix, func(data []byte) error { return json.Unmarshal(data, &r.provenance) })
	return r
})
