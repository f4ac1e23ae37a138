package models

import (
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tui/session/sessiontest"
)

func TestModelsListsWhatIsThereAndWhatIsBroken(t *testing.T) {
	s := sessiontest.Fast(t)
	var rows []tegra.Measured
	for _, m := range s.Device.Space().Sample(12, 1) {
		ms, w, err := s.Virtual.Truth("resnet18", m)
		must.NoError(t, err)
		rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: w})
	}
	m := must.Get(learn.Fit(t.Context(), rows, learn.Options{Space: s.Device.Space()}))(t)
	path := must.Get(Save(s, "good", m))(t)
	os.WriteFile(filepath.Join(filepath.Dir(path), "bad.model"), []byte("nonsense"), 0o644)
	list, err := List(s.Options)
	if err != nil || len(list) != 2 {
		t.Fatalf("got %d models, %v", len(list), err)
	}
	for _, info := range list {
		if (info.Err != nil) != (info.Name == "bad") || (info.Model == nil) != (info.Name == "bad") {
			t.Errorf("%s: model %v, error %v", info.Name, info.Model != nil, info.Err)
		}
	}
	for _, name := range []string{"", "a/b", "..", ".hidden"} {
		if _, err := Save(s, name, m); !usage.Is(err) {
			t.Errorf("name %q: got %v, want it refused", name, err)
		}
	}
}
