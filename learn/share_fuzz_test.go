package learn

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"jtune/internal/tools/reliability"
)

// FuzzProfile edits a shared board file whose checksum is made anew, and merges it with another: whatever is read has
// numbers only.
func FuzzProfile(f *testing.F) {
	body, err := json.Marshal(Profiles()[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	for _, s := range []string{`{}`, `{"Centres":null}`, `null`, `{"centres":[{}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		defer reliability.Input(t)()
		var p Profile
		path := filepath.Join(t.TempDir(), "x.board")
		if json.Unmarshal(body, &p) != nil || p.Save(path) != nil {
			return
		}
		q, err := LoadProfile(path)
		if err != nil {
			return
		}
		other, err := LoadProfile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range other.Workloads {
			w := &other.Workloads[i]
			w.Network, w.Workload = w.Network+"2", w.Workload+"2"
			for k := range w.Power {
				w.Power[k] += 0.01
			}
		}
		q.Compact("")
		if m, err := MergeProfiles("m", []*Profile{q, other}); err == nil {
			for _, v := range m.Learned().Power {
				if math.IsNaN(float64(v)) {
					t.Fatal("merged into no number")
				}
			}
		}
	})
}
