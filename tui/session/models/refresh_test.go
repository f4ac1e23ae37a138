package models

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/sessiontest"
)

// killedCampaigns makes folders of campaigns whose program was killed, each of another workload.
func killedCampaigns(t testing.TB, o session.Options, n int) {
	t.Helper()
	from := filepath.Join("..", "campaigns", "testdata")
	head := must.Read(t, filepath.Join(from, "campaign.toml"))
	rows := must.Read(t, filepath.Join(from, "modes.csv"))
	for i := range n {
		dir := filepath.Join(o.CampaignsDir(), fmt.Sprint("c", i))
		must.NoError(t, os.MkdirAll(dir, 0o755))
		text := strings.NewReplacer(`"resnet18"`, fmt.Sprintf(`"w%d"`, i), `["resnet"]`, fmt.Sprintf(`["a%d"]`, i),
			"samples = 50000", fmt.Sprintf("samples = %d", i+1)).Replace(string(head))
		for name, data := range map[string]string{"campaign.toml": text, "modes.csv": string(rows)} {
			must.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
		}
	}
}

// A name brings the model of its own workload up to date, and of no other: with hundreds of workloads each use of one
// would otherwise fit them all.
func TestModelThatIsNamedIsFittedAlone(t *testing.T) {
	s := sessiontest.Fast(t)
	killedCampaigns(t, s.Options, 3)
	for i, name := range []string{"w1", "w2"} {
		m, path, _, err := Find(s.Options, name)
		if want := fmt.Sprintf("w%d@virtual-agx-orin.model", i+1); err != nil || filepath.Base(path) != want ||
			len(m.Samples) != 4 || !m.Fitted() {
			t.Fatalf("%s is %s with %+v, %v; want %s", name, path, m, err, want)
		}
		must.Equal(t, len(modelsIn(s.Options.ModelsDir())), i+1, name)
	}
	list := must.Get(List(s.Options))(t)
	must.Equal(t, len(list), 3)
}

// A list neither changes the folder nor fits, and says what each model is.
func TestKeptListsModelsThatAreNotFitted(t *testing.T) {
	s := sessiontest.Fast(t)
	killedCampaigns(t, s.Options, 1)
	_, err := List(s.Options)
	must.NoError(t, err)
	fitted, err := Kept(s.Options.Paths, learn.Load)
	if err != nil || len(fitted) != 1 {
		t.Fatal(fitted, err)
	}
	list, err := Kept(s.Options.Paths, learn.LoadUnfitted)
	if err != nil || len(list) != 1 || list[0].Model == nil || list[0].Model.Fitted() {
		t.Fatalf("%+v, %v: want one model that is not fitted", list, err)
	}
	got, want := list[0].Model, fitted[0].Model
	if got.Method != want.Method || got.CV != want.CV || len(got.Samples) != len(want.Samples) ||
		fmt.Sprint(got.Provenance) != fmt.Sprint(want.Provenance) || !want.Fitted() {
		t.Errorf("it is %+v, want %+v", got, want)
	}
}

// A model is as old as its fit: a campaign that was cut off after it has rows that the model lacks, and one before it
// has none.
func TestUnfittedIsWhatWasMeasuredAfterTheModel(t *testing.T) {
	s := sessiontest.Fast(t)
	killedCampaigns(t, s.Options, 2)
	list, err := List(s.Options)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	for i := range list {
		if list[i].Workload() == "w1" {
			list[i].Model.Provenance.When = time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC)
		}
	}
	must.Equal(t, fmt.Sprint(must.Get(FindUnfitted(s.Options, list))(t)), "[{w1 4}]")
}

// BenchmarkKept lists 500 models of 50 modes beside 10,000 campaigns that were listed before and that no model has
// learned, and says what it takes of both processors together.
func BenchmarkKept(b *testing.B) {
	s := sessiontest.Fast(b)
	var rows []tegra.Measured
	for _, m := range s.Device.Space().Sample(50, 1) {
		ms, w, err := s.Virtual.Truth("resnet18", m)
		must.NoError(b, err)
		rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: w})
	}
	m := must.Get(learn.Fit(b.Context(), rows, learn.Options{Space: s.Device.Space()}))(b)
	for i := range 500 {
		_, err := Save(s, fmt.Sprint("m", i), m)
		must.NoError(b, err)
	}
	killedCampaigns(b, s.Options, 10_000)
	list := func() {
		kept, err := Kept(s.Options.Paths, learn.LoadUnfitted)
		if err != nil || len(kept) != 500 {
			b.Fatal(len(kept), err)
		}
		if lacking, err := FindUnfitted(s.Options, kept); err != nil || len(lacking) != 10_000 {
			b.Fatal(len(lacking), err)
		}
	}
	time.Sleep(3 * time.Second) // the index keeps no folder that may still change
	list()
	computed := func() time.Duration {
		var u syscall.Rusage
		must.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	begun := computed()
	for b.Loop() {
		list()
	}
	b.ReportMetric(float64(computed()-begun)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}

// What is known does not cost more each night: a model that has learned all campaigns is found without reading one of
// them, and of a workload that was measured each night only the newest are read.
func TestModelOfManyNightsReadsFewOfThem(t *testing.T) {
	s := sessiontest.Fast(t)
	killedCampaigns(t, s.Options, 60)
	old := time.Now().Add(-time.Hour)
	for i := range 60 { // one workload, each night
		dir := filepath.Join(s.Options.CampaignsDir(), fmt.Sprint("c", i))
		head := must.Read(t, filepath.Join(dir, "campaign.toml"))
		at := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
		text := strings.NewReplacer(fmt.Sprintf(`"w%d"`, i), `"w"`, fmt.Sprintf(`["a%d"]`, i), `["a"]`,
			fmt.Sprintf("samples = %d\n", i+1), "samples = 9\n", "2026-01-01T00:00:00Z", at).Replace(string(head))
		rows := must.Read(t, filepath.Join(dir, "modes.csv"))
		night := strings.ReplaceAll(string(rows), "2026-11-24T", at[:11])
		for name, data := range map[string]string{"campaign.toml": text, "modes.csv": night} {
			must.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
		}
	}
	settle := func() {
		for i := range 60 {
			dir := filepath.Join(s.Options.CampaignsDir(), fmt.Sprint("c", i))
			for _, name := range []string{"campaign.toml", "modes.csv", ""} {
				must.NoError(t, os.Chtimes(filepath.Join(dir, name), old, old))
			}
		}
	}
	settle()
	m, path, _, err := Find(s.Options, "w")
	must.NoError(t, err)
	must.Equal(t, m.Provenance.Readings, 4*campaigns.MostOfSetting)
	made := must.Read(t, path)
	spoil := func(from, to int) { // a row that is read is none any more; the stamps stay
		for i := from; i < to; i++ {
			name := filepath.Join(s.Options.CampaignsDir(), fmt.Sprint("c", i), "modes.csv")
			st, err := os.Stat(name)
			if err == nil {
				err = os.WriteFile(name, make([]byte, st.Size()), 0o644)
			}
			must.NoError(t, err)
		}
		settle()
	}
	list := must.Get(campaigns.List(s.Options.Paths))(t)
	spoil(0, 60-campaigns.MostOfSetting)
	pool := CollectPool(list, list[0].Header.Workload, list[0].Board, nil)
	must.Equal(t, len(pool.Rows()), m.Provenance.Readings)
	spoil(60-campaigns.MostOfSetting, 60)
	if _, _, _, err := Find(s.Options, "w"); err != nil {
		t.Fatal(err)
	}
	must.Equal(t, string(must.Read(t, path)), string(made))
}
