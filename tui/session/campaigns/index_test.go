package campaigns

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/record"
)

// manyCampaigns makes folders of campaigns that differ in name and time, all measured long ago.
func manyCampaigns(t testing.TB, n int) (parent string) {
	t.Helper()
	parent = t.TempDir()
	head := must.Read(t, filepath.Join("testdata", "campaign.toml"))
	rows := must.Read(t, filepath.Join("testdata", "modes.csv"))
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
	must.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// settle makes what is in a folder an hour old.
func settle(t testing.TB, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"campaign.toml", "modes.csv", "end.txt", ""} {
		must.NoError(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
}

// countReads counts the folders that are read while a test runs.
func countReads(t testing.TB) *atomic.Int64 {
	n, before := new(atomic.Int64), readFolder
	readFolder = func(dir string) Campaign { n.Add(1); return before(dir) }
	t.Cleanup(func() { readFolder = before })
	return n
}

// same fails unless two campaigns are equal.
func same(t *testing.T, got, want Campaign) {
	t.Helper()
	plain := func(c Campaign) Campaign {
		h := *c.Header
		h.Created, c.Header = h.Created.UTC(), &h
		if c.Err != nil {
			c.Err = errors.New(c.Err.Error())
		}
		return c
	}
	if got, want = plain(got), plain(want); !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v %+v\nwant %+v %+v", *got.Header, got, *want.Header, want)
	}
}

// A folder is changed in each way that a list shows, with and without an index: the list shows what it holds.
func TestIndexListsWhatTheFoldersHold(t *testing.T) {
	parent, read := manyCampaigns(t, 20), countReads(t)
	list := func() []Campaign {
		t.Helper()
		read.Store(0)
		got := must.Get(CampaignsIn(parent))(t)
		n := read.Load()
		for _, c := range got {
			want := ReadCampaignFolder(c.Dir)
			rows := c.Rows()
			must.Equal(t, rows, want.rows, c.Name)
			want.rows = nil
			same(t, c, want)
		}
		if dirs, _ := folders(parent); len(got) != len(dirs) {
			t.Fatalf("%d of %d campaigns", len(got), len(dirs))
		}
		read.Store(n)
		return got
	}
	first := list()
	again := list()
	for i, c := range again {
		same(t, c, first[i])
	}
	must.Equal(t, read.Load(), 0)
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
		list()
		list()
	}
	if got, err := CampaignsIn(filepath.Join(parent, "none")); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestIndexKeepsNothingOfAFolderThatMayStillChange(t *testing.T) {
	parent, read := manyCampaigns(t, 20), countReads(t)
	now := time.Now()
	must.NoError(t, os.Chtimes(filepath.Join(parent, "c00001", "modes.csv"), now, now))
	for _, want := range []int64{20, 1} {
		read.Store(0)
		if _, err := CampaignsIn(parent); err != nil || read.Load() != want {
			t.Errorf("%d folders are read, want %d, %v", read.Load(), want, err)
		}
	}
}

// FuzzIndex reads what lies where the index is: whatever it is, no campaign is listed that is not a folder.
func FuzzIndex(f *testing.F) {
	dir := f.TempDir()
	for i := range 2 {
		parent := manyCampaigns(f, 20)
		_, err := CampaignsIn(parent)
		must.NoError(f, err)
		text := must.Read(f, filepath.Join(parent, indexName))
		f.Add(text[:len(text)/(i+1)])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		write(t, filepath.Join(dir, indexName), string(text))
		if list, err := CampaignsIn(dir); err != nil || len(list) > 0 {
			t.Errorf("%+v, %v", list, err)
		}
		known := decodeIndex(dir)
		for name, c := range known {
			if c.Name != name || c.State([]record.Running{}) == CampaignRunning {
				t.Errorf("%q is %+v", name, c)
			}
		}
	})
}

// A year of campaigns takes little memory and time once they were listed: what they share is held once.
func TestIndexOfManyCampaignsIsSmall(t *testing.T) {
	const n = 400
	parent := manyCampaigns(t, n)
	_, err := CampaignsIn(parent)
	must.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(parent, indexName))
	if err != nil || len(text) > 400*n {
		t.Errorf("the index has %d bytes for %d campaigns, %v", len(text), n, err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	list, err := CampaignsIn(parent)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if per := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n; err != nil || len(list) != n || per > 4<<10 {
		t.Errorf("%d campaigns take %d bytes each, %v", len(list), per, err)
	}
}

// A campaign of a clock that was years ahead is not the newest for years: a board without a battery starts in the past.
func TestCampaignsInPutsTheFutureFirst(t *testing.T) {
	parent := manyCampaigns(t, 3)
	path := filepath.Join(parent, "c00002", "campaign.toml")
	text := must.Read(t, path)
	write(t, path, strings.Replace(string(text), "created = 2026", "created = 2156", 1))
	list, err := CampaignsIn(parent)
	if err != nil || len(list) != 3 || list[0].Name != "c00002" || list[2].Name != "c00001" {
		t.Errorf("%v, %v", list, err)
	}
}

// Searches that ask the same are in the index with one question, whose goals are parsed once.
func TestIndexHoldsAQuestionOnce(t *testing.T) {
	parent := manyCampaigns(t, 40)
	for i := range 40 {
		path := filepath.Join(parent, fmt.Sprintf("c%05d", i+1), "campaign.toml")
		text := must.Read(t, path)
		write(t, path, fmt.Sprintf("%s\n[search]\ngoals = [\"%d W\"]\n", text, 20+i%2))
		settle(t, filepath.Dir(path))
	}
	for range 2 {
		list, err := CampaignsIn(parent)
		if err != nil || len(list) != 40 {
			t.Fatalf("%d campaigns, %v", len(list), err)
		}
		for _, c := range list {
			want := ReadCampaignFolder(c.Dir)
			want.rows = nil
			same(t, c, want)
		}
	}
	text, err := os.ReadFile(filepath.Join(parent, indexName))
	var x index
	if err = cmp.Or(err, gob.NewDecoder(bytes.NewReader(text)).Decode(&x)); err != nil || len(x.Asked) != 2 {
		t.Errorf("%d questions, want 2: %v", len(x.Asked), err)
	}
}

// BenchmarkCampaigns lists 10,000 campaigns that were listed before, and says what it takes of both processors
// together: other programs on a busy machine do not count.
func BenchmarkCampaigns(b *testing.B) {
	parent := manyCampaigns(b, 10_000)
	_, err := CampaignsIn(parent)
	must.NoError(b, err)
	computed := func() time.Duration {
		var u syscall.Rusage
		must.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	begun := computed()
	for b.Loop() {
		if list, err := CampaignsIn(parent); err != nil || len(list) != 10_000 {
			b.Fatal(len(list), err)
		}
	}
	b.ReportMetric(float64(computed()-begun)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}
