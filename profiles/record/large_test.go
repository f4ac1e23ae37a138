package record

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/tegra"
)

// A campaign writes raw lines for as long as it runs, so their file has no size at which the folder can no longer be
// opened: a campaign of thousands of modes is resumed too.
func TestRecordOfRawFilesOfAnySizeIsResumed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	mode := tegra.Mode{Cores: 2, CPU: 1651200 * tegra.KHz, GPU: 624750000, EMC: 3199 * tegra.MHz}
	open := func(resume bool) *Record {
		rec := must.Get(OpenOrCreate(dir, testHeader(t), resume))(t)
		return rec
	}
	add := func(rec *Record, ms float64) {
		event := harness.Event{Kind: harness.Minibatch, T: time.Duration(ms) * time.Second, TimeMS: ms}
		must.NoError(t, rec.Minibatch(tegra.Setting{Mode: mode}, event, ""))
		must.NoError(t, rec.Close())
	}
	add(open(false), 1)
	path := filepath.Join(dir, minibatchesName)
	if err := os.Truncate(path, mostBytes+1); err != nil { // a line without blocks on the disk
		t.Fatal(err)
	}
	rec := open(true)
	if notes := rec.Notes(); len(notes) != 1 {
		t.Errorf("a torn line of %d bytes: notes %q", mostBytes, notes)
	}
	add(rec, 2)
	st, err := os.Stat(path)
	if err != nil || st.Size() > 1000 {
		t.Fatalf("%d bytes, %v, want two lines", st.Size(), err)
	}
	must.NoError(t, os.Truncate(path, mostBytes+1))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must.NoError(t, err)
	_, err = f.WriteString("\n")
	must.NoError(t, err)
	must.NoError(t, f.Close())
	rec = open(true)
	if notes := rec.Notes(); len(notes) != 0 {
		t.Errorf("no torn line: notes %q", notes)
	}
	add(rec, 3)
	got, notes, err := ReadEntries(dir, 0)
	if err != nil || len(notes) != 1 || len(got[mode].TimesMS) != 3 {
		t.Errorf("%v, %v, notes %q, want three minibatches and one unreadable line", got, err, notes)
	}
}
