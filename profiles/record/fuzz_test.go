package record

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/harness"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/telemetry"
)

func FuzzHeader(f *testing.F) {
	var b bytes.Buffer
	must.NoError(f, toml.NewEncoder(&b).Encode(Header{Format: headerFormat}))
	f.Add(b.Bytes())
	f.Add([]byte("format = 1\n[device]\ncores = [2]\ncpu_khz = [729600]\n[plan]\nkind = \"tune\"\n[settings]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		h, err := ParseHeader("campaign.toml", text)
		if err != nil {
			return
		}
		_, _ = h.Device.Space()
		_ = h.checkResume(h)
		_ = h.Settings.WithDefaults()
		var first, second bytes.Buffer
		must.NoError(t, toml.NewEncoder(&first).Encode(h))
		again, err := ParseHeader("campaign.toml", first.Bytes())
		if err != nil {
			t.Fatalf("a header that was read and written: %v\n%s", err, first.String())
		}
		if err := toml.NewEncoder(&second).Encode(again); err != nil || second.String() != first.String() {
			t.Errorf("a header that was read and written is another, %v:\n%s\n%s", err, first.String(), second.String())
		}
	})
}

func FuzzRawLines(f *testing.F) {
	f.Add([]byte("t_s,cores,cpu_khz,gpu_hz,mem_hz,power_w,valid,why,virtual\n" +
		"1,4,729600,318750000,665600000,9.5,true,,true"))
	f.Add([]byte(csvlines.Line(sampleColumns) + "1.000,4,729600,318750000,665600000,,false,cold\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		parseRaw(bytes.NewReader(text), func(l *sampleLine) error {
			if math.IsNaN(l.T) || math.IsInf(l.T, 0) || l.PowerW.OK && !(l.PowerW.V >= 0) {
				t.Errorf("at %g s, %v W", l.T, l.PowerW)
			}
			l.further()
			return nil
		})
	})
}

func FuzzLocks(f *testing.F) {
	f.Add("2: FLOCK  ADVISORY  WRITE 4242 08:01:1311 0 EOF\n2: -> FLOCK  ADVISORY  WRITE 1 08:01:1311 0 EOF\n")
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		for _, h := range parseLocks(text) {
			if h.pid <= 0 {
				t.Errorf("process %d", h.pid)
			}
		}
	})
}

// FuzzReadEntries reads the raw files of a campaign and writes what it read into another campaign.
func FuzzReadEntries(f *testing.F) {
	f.Add([]byte(csvlines.Line(minibatchColumns)+
		"1.000,4,729600,318750000,665600000,0,0,250.5,,,,,true,,\n"+
		"2.500,4,729600,318750000,665600000,0,1,1e-7,1,2,3,4,true,,train\n"),
		[]byte(csvlines.Line(sampleColumns)+"1.000,4,729600,318750000,665600000,9.5,true,,9\n"))
	f.Add([]byte(csvlines.Line(minibatchColumns[:len(minibatchColumns)-1])+
		"1.000,4,729600,318750000,665600000,0,0,50,,,,,false,first minibatch\n"), []byte("t_s\n0\n"))
	dir, written := f.TempDir(), filepath.Join(f.TempDir(), "c")
	rec := must.Get(Create(written, testHeader(f)))(f)
	f.Cleanup(func() { _ = rec.Close() })
	files := []*csvlines.File{rec.minibatches, rec.samples}
	empty := []int64{rec.minibatches.Size(), rec.samples.Size()}
	f.Fuzz(func(t *testing.T, minibatches, samples []byte) {
		defer reliability.Input(t)()
		for name, text := range map[string][]byte{minibatchesName: minibatches, samplesName: samples} {
			must.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		}
		was, _, err := ReadEntries(dir, 0)
		must.NoError(t, err)
		for i, a := range files { // as after Create
			a.Drop()
			must.NoError(t, a.Cut(empty[i]))
		}
		now := time.Hour
		for mode, e := range was {
			for _, ms := range e.TimesMS {
				now += time.Second
				event := harness.Event{Kind: harness.Minibatch, T: now, TimeMS: ms}
				must.NoError(t, rec.Minibatch(tegra.Setting{Mode: mode}, event, ""))
			}
			for _, watts := range e.PowersW { // at the end of the last minibatch
				s := telemetry.Sample{T: now, Valid: true, Reading: tegra.Reading{TotalW: tegra.Some(watts)}}
				must.NoError(t, rec.Sample(tegra.Setting{Mode: mode}, s))
			}
		}
		for _, a := range files { // as Close does, without waiting for the disk
			must.NoError(t, a.Flush(false))
		}
		is, notes, err := ReadEntries(written, 0)
		if err != nil || len(notes) > 0 {
			t.Fatalf("what was read and written: %v, notes %q", err, notes)
		}
		if !reflect.DeepEqual(was, is) {
			t.Errorf("what was read and written is something else (-was +is):\n%s", cmp.Diff(was, is))
		}
	})
}

// FuzzEpochs writes the epochs of runs that were read and reads their lines as another program would.
func FuzzEpochs(f *testing.F) {
	run := Run{Mode: tegra.Mode{Cores: 4, CPU: 729600 * tegra.KHz, GPU: 318750000, EMC: 665600000}, Status: OK,
		Character: aCharacter()}
	text := csvlines.Line(runColumns)
	for _, line := range run.printed() {
		text += csvlines.Line(line)
	}
	f.Add([]byte(text))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		runs, _ := parseRuns(text)
		for _, run := range runs {
			r := Record{epochs: new(csvlines.File), epochCodec: csvlines.NewCodec[epochLine](epochColumns)}
			r.addEpochs(tegra.Setting{Mode: run.Mode}, run.Character)
			var n, bad int
			csvlines.Each(bytes.NewReader(r.epochs.Waiting()), func(_ int, fields []string, err error) error {
				l, _, wrong := r.epochCodec.Read(fields)
				if err = errors.Join(err, wrong); err != nil {
					bad++
					return err
				}
				epoch := run.Character.Epochs[n]
				n++
				if l.Mode != run.Mode || l.EpochMS != harness.RoundMS(float64(epoch.Span)/1e6) {
					t.Errorf("epoch %+v at %v came back as %+v", epoch, run.Mode, l)
				}
				want := Part{Epoch: epoch.Epoch, Minibatches: epoch.Minibatches, TimeMS: epoch.TimeMS,
					StallMS: epoch.StallMS, ComputeMS: epoch.ComputeMS, OverheadMS: epoch.OverheadMS,
					PowerW: epoch.PowerW, EnergyJ: epoch.EnergyJ}
				if l.Part != want {
					t.Errorf("epoch %+v came back as %+v", want, l.Part)
				}
				return nil
			})
			if bad > 0 || n != len(run.Character.Epochs) {
				t.Errorf("%d of %d epochs, %d bad lines:\n%s", n, len(run.Character.Epochs), bad, r.epochs.Waiting())
			}
		}
	})
}
