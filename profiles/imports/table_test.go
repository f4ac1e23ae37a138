package imports

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/record"
	"jtune/tegra/sweep"
)

func TestTableKeepsEveryNumber(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "resnet_published.csv")
	text := "cores,cpu,gpu,mem,observed_time,observed_power\n" +
		"12,2201600,1300500000,3199000000,59.123456789,51.1\n2,268800,114750000,204000000,2150.5,11.8\n" +
		"2,268800,114750000,204000000,NaN,11.8\n"
	os.WriteFile(file, []byte(text), 0o600)
	out := filepath.Join(dir, "campaign")
	must.NoError(t, importFile(file, out))
	h, rows, err := record.Read(out)
	if err != nil || len(rows) != 2 || rows[0].TimeMS != 59.123456789 || rows[0].PowerW != 51.1 ||
		rows[1].Mode.GPU != 114750000 {
		t.Fatalf("%v, %v", rows, err)
	}
	space, err := h.Device.Space()
	if err != nil || space.Len() != 16 || h.Plan.Kind != "import" || h.Workload.Name != "resnet_published" {
		t.Errorf("header %+v, space of %d, %v", h, space.Len(), err)
	}
	if err := importFile(file, out); err == nil {
		t.Error("importing over a campaign")
	}
	os.WriteFile(
		file,
		[]byte(
			"cores,cpu,gpu,mem,observed_time,observed_power,bs\n12,2201600,1300500000,3199000000,59,51,16\n"+
				"12,2201600,1300500000,3199000000,99,51,32\n",
		),
		0o600,
	)
	must.NoError(t, importFile(file, filepath.Join(dir, "two")))
	if h, rows, err = record.Read(filepath.Join(dir, "two")); err != nil || len(rows) != 2 || rows[0].Batch != 16 ||
		rows[1].Batch != 32 ||
		rows[1].TimeMS != 99 ||
		!slices.Equal(h.Plan.Batches, []int{16, 32}) {
		t.Errorf("two batch sizes: %+v, %v", rows, err)
	}
	if err := importFile(filepath.Join(dir, "none.csv"), filepath.Join(dir, "three")); err == nil {
		t.Error("no file")
	}
}

func TestTableKeepsForeignColumnsAndMakesNothingUp(t *testing.T) {
	t.Parallel()
	const knobs = "12,2201600,1300500000,3199000000,59.5,50"
	for _, c := range []struct {
		name, text string
		want       []string // of the campaign's columns beyond the first six and energy_j, those that are not empty
		extra      string   // names and texts kept beside them
	}{
		{"time and power alone", "cores,cpu,gpu,mem,observed_time,observed_power\n" + knobs + "\n",
			[]string{"status=ok"}, "[virtual] [false]"},
		{"unknown columns", "cores,cpu,gpu,mem,observed_time,observed_power,note,loss\n" + knobs + ",\"a, b\",0.5\n",
			[]string{"status=ok"}, "[note loss virtual] [a, b 0.5 false]"},
		{"the parts of a minibatch",
			"cores,cpu,gpu,mem,observed_time,observed_power,stall_ms,compute_ms\n" + knobs + ",0,58\n",
			[]string{"status=ok", "stall_ms=0", "compute_ms=58"}, "[virtual] [false]"},
		{"parts that are no numbers", "cores,cpu,gpu,mem,observed_time,observed_power,stall_ms\n" + knobs + ",n/a\n",
			[]string{"status=ok"}, "[virtual] [false]"},
		{"another meaning of a name", "cores,cpu,gpu,mem,observed_time,observed_power,status\n" + knobs + ",good\n",
			[]string{"status=ok"}, "[imported_status virtual] [good false]"},
		{"a simulation's table",
			"cores,cpu,gpu,mem,observed_time,observed_power,virtual,note\n" + knobs + ",true,x\n",
			[]string{"status=ok"}, "[note virtual] [x true]"},
		{"a campaign's table", strings.Join(record.Columns, ",") + ",note\n" + knobs + ",unstable,power was not " +
			"steady,12,2201600,1300500000,3199000000,40,4,0.5,0.25,1,50,8.5,2.975,3,6.5,true,2026-11-20T09:30:00Z," +
			"58,0.4,0.9,x\n",
			[]string{"status=unstable", "why=power was not steady", "applied_cores=12",
				"applied_cpu_khz=2201600", "applied_gpu_hz=1300500000", "applied_mem_hz=3199000000", "minibatches=40",
				"power_samples=4", "time_iqr_ms=0.5", "power_iqr_w=0.25", "stall_ms=1", "compute_ms=50",
				"overhead_ms=8.5", "settle_s=3", "took_s=6.5", "raise=true", "when=2026-11-20T09:30:00Z",
				"time_median_ms=58", "time_error_pct=0.4", "power_error_pct=0.9"},
			"[note virtual] [x false]"},
	} {
		dir := t.TempDir()
		file, out := filepath.Join(dir, "a.csv"), filepath.Join(dir, "campaign")
		os.WriteFile(file, []byte(c.text), 0o600)
		if err := importFile(file, out); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text := must.Read(t, filepath.Join(out, "modes.csv"))
		table, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil || len(table) != 2 {
			t.Errorf("%s: %v: %s", c.name, err, text)
			continue
		}
		var got []string
		for i := len(sweep.Columns); i < len(record.Columns); i++ {
			if v := table[1][i]; v != "" && record.Columns[i] != "energy_j" {
				got = append(got, record.Columns[i]+"="+v)
			}
		}
		if extra := fmt.Sprint(table[0][len(record.Columns):], table[1][len(record.Columns):]); !slices.Equal(got,
			c.want) ||
			extra != c.extra {
			t.Errorf("%s: got %q and beside them %s, want %q and %s", c.name, got, extra, c.want, c.extra)
		}
		h, _, err := record.Read(out)
		must.NoError(t, err)
		r, err := record.OpenOrCreate(out, h, true)
		if err != nil {
			t.Errorf("%s: does not open: %v", c.name, err)
			continue
		}
		rows := r.Rows()
		must.NoError(t, errors.Join(r.Append(rows[0]), r.Close()))
		again, err := os.ReadFile(filepath.Join(out, "modes.csv"))
		if lines := strings.Split(string(again), "\n"); err != nil || len(lines) != 4 || lines[2] != lines[1] {
			t.Errorf("%s: a row that was read is written again as\n%s", c.name, again)
		}
		if h, _, notes, err := record.ReadNoted(out); err != nil || len(notes) != 0 || h.Device.Name != "" {
			t.Errorf("%s: %q, %v; device %q", c.name, notes, err, h.Device.Name)
		}
	}
}

// importFile makes a campaign folder of a sweep file.
func importFile(path, outDir string) error {
	t, err := sweep.ReadFile(path, sweep.Options{})
	if err != nil {
		return err
	}
	return Table(t, outDir)
}

func FuzzReadOfPackedFiles(f *testing.F) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range []string{"net/pm_2_268800_306000000_665600000/a_epoch_stats.csv", "x/../y", "dir/"} {
		must.NoError(f, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: 6}))
		if _, err := w.Write([]byte("a,b\n1,")); err != nil && name != "dir/" {
			f.Fatal(err)
		}
	}
	_ = w.Close()
	_ = z.Close()
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, packed []byte) {
		defer reliability.Input(t)()
		found, sum := map[string]*rawRun{}, 0
		_ = unpack(bytes.NewReader(packed), func(name string, r io.Reader) error {
			return takeLog(found, &sum, name, r)
		})
		if sum > 2*maxRawSum {
			t.Errorf("%d bytes of logs", sum)
		}
	})
}
