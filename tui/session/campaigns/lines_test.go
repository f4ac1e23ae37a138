package campaigns

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"jtune/internal/tools/reliability"
	"jtune/profiles/record"
)

// manyCampaigns makes folders of campaigns that differ in name and time, all measured long ago.
func manyCampaigns(t testing.TB, n int) (parent string) {
	t.Helper()
	parent = t.TempDir()
	head, err := os.ReadFile(filepath.Join("testdata", "campaign.toml"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join("testdata", "modes.csv"))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		dir := filepath.Join(parent, fmt.Sprintf("c%05d", n-i))
		at := began.Add(time.Duration(i) * time.Minute)
		text := strings.Replace(string(head), "created = 2026-01-01T00:00:00Z", "created = "+at.Format(time.RFC3339), 1)
		write(t, filepath.Join(dir, "campaign.toml"), text)
		write(t, filepath.Join(dir, "modes.csv"), string(rows))
		write(t, filepath.Join(dir, "end.txt"), "complete\n")
		settle(t, dir)
	}
	return parent
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// settle makes what is in a folder an hour old.
func settle(t testing.TB, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"campaign.toml", "modes.csv", "end.txt", ""} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
}

func noFingerprint(Campaign) (fingerprint, pool string) { return "f", "p" }

// TestLinesOfAnIndexAreThoseOfTheFolders changes a folder in each way that a list shows, with and without an index.
func TestLinesOfAnIndexAreThoseOfTheFolders(t *testing.T) {
	t.Parallel()
	parent := manyCampaigns(t, indexFrom)
	var read atomic.Int64
	lines := func() []Line {
		t.Helper()
		read.Store(0)
		got, err := Lines(parent, func(c Campaign) (fingerprint, pool string) { read.Add(1); return noFingerprint(c) })
		if err != nil {
			t.Fatal(err)
		}
		all, err := CampaignsIn(parent)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range all {
			if want := LineOf(c, noFingerprint); fmt.Sprint(got[i]) != fmt.Sprint(want) {
				t.Errorf("got  %+v\nwant %+v", got[i], want)
			}
		}
		if len(got) != len(all) {
			t.Fatalf("%d lines of %d campaigns", len(got), len(all))
		}
		return got
	}
	first := lines()
	if again := lines(); read.Load() != 0 || !reflect.DeepEqual(first, again) {
		t.Errorf("%d folders are read again", read.Load())
	}
	one := filepath.Join(parent, "c00001")
	text, _ := os.ReadFile(filepath.Join(one, "modes.csv"))
	for name, change := range map[string]func() error{
		"a row more": func() error {
			last := strings.LastIndex(strings.TrimSpace(string(text)), "\n")
			return os.WriteFile(filepath.Join(one, "modes.csv"), append(text, text[last+1:]...), 0o644)
		},
		"cut off":        func() error { return os.Remove(filepath.Join(one, "end.txt")) },
		"not a campaign": func() error { return os.WriteFile(filepath.Join(one, "campaign.toml"), []byte("x"), 0o644) },
		"another name":   func() error { return os.Rename(one, filepath.Join(parent, "z")) },
		"gone":           func() error { return os.RemoveAll(filepath.Join(parent, "c00002")) },
		"a foreign index": func() error {
			return os.WriteFile(filepath.Join(parent, indexName), []byte("1,x\n\"a,b\n"), 0o644)
		},
	} {
		if err := change(); err != nil {
			t.Logf("%s: %v", name, err) // what another change has taken away
		}
		lines()
		lines()
	}
	if got, err := Lines(filepath.Join(parent, "none"), noFingerprint); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestLinesKeepNothingOfAFolderThatMayStillChange(t *testing.T) {
	t.Parallel()
	parent := manyCampaigns(t, indexFrom)
	now := time.Now()
	if err := os.Chtimes(filepath.Join(parent, "c00001", "modes.csv"), now, now); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{indexFrom, 1} {
		var read atomic.Int64
		identify := func(c Campaign) (fingerprint, pool string) { read.Add(1); return noFingerprint(c) }
		if _, err := Lines(parent, identify); err != nil {
			t.Fatal(err)
		}
		if read.Load() != want {
			t.Errorf("%d folders are read, want %d", read.Load(), want)
		}
	}
}

// FuzzLinesIndex reads what lies where the index is.
func FuzzLinesIndex(f *testing.F) {
	l := Line{Name: "a", Workload: "w", Started: time.Unix(0, 0).UTC(), Ended: CampaignFinished}
	for _, stamp := range []string{"s", "\"", ""} {
		f.Add([]byte(strings.Join(l.record(stamp), ",") + "\n"))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		write(t, filepath.Join(dir, indexName), indexFormat+",dev\n"+string(text))
		for name, x := range readIndex(dir) {
			if l, err := x.line(dir); err == nil && (l.Name != name || l.State([]record.Running{}) == CampaignRunning) {
				t.Errorf("%q is %+v", name, l)
			}
		}
	})
}

// BenchmarkLines lists 10,000 campaigns that were listed before, and says what it takes of both processors together:
// other programs on a busy machine do not count.
func BenchmarkLines(b *testing.B) {
	parent := manyCampaigns(b, 10_000)
	if _, err := Lines(parent, noFingerprint); err != nil {
		b.Fatal(err)
	}
	computed := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	begun := computed()
	for b.Loop() {
		if list, err := Lines(parent, noFingerprint); err != nil || len(list) != 10_000 {
			b.Fatal(len(list), err)
		}
	}
	b.ReportMetric(float64(computed()-begun)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}
