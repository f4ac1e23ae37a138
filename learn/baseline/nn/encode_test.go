package nn

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
)

// sample is a network with every field of its header set.
func sample(t testing.TB) *Net {
	t.Helper()
	c := must.Get(Config{Loss: MAPE, LogTarget: true, Freeze: true, Seed: 1<<64 - 1}.withDefaults())(t)
	return &Net{
		Config: c,
		Report: Report{Rows: 45, Validated: 5, Epochs: 100, Steps: 3000, BestEpoch: 7, BestLoss: 0.1,
			Curve: []Losses{{1, 3, 2}, {7, 0.2, 0.1}}},
		w:      randomNet(PaperLayers(), 1),
		in:     [inputs]Scaler{{1, 2}, {3, 4}, {5, 6}, {7, 0.1}},
		target: Scaler{1.0 / 3, 2},
		floor:  0.01,
	}
}

func TestEncodeKeepsANetwork(t *testing.T) {
	t.Parallel()
	n := sample(t)
	data := must.Get(n.MarshalBinary())(t)
	var got Net
	must.NoError(t, got.UnmarshalBinary(data))
	if !slices.Equal(got.w.all, n.w.all) {
		t.Error("weights differ")
	}
	report := n.Report
	report.History = nil // of the training, not of the network
	if got.Config != n.Config || !reflect.DeepEqual(got.Report, report) || got.in != n.in || got.target != n.target ||
		got.floor != n.floor {
		t.Errorf("header differs: got %+v, want %+v", got, *n)
	}
}

func TestEncodeCompactlyPredictsAlike(t *testing.T) {
	t.Parallel()
	n := trainedOnHundred(t)
	data := must.Get(n.MarshalCompact())(t)
	if len(data) > 90_000 {
		t.Errorf("%d bytes, want at most 90 kB", len(data))
	}
	var got Net
	must.NoError(t, got.UnmarshalBinary(data))
	x, _ := columns(board(300, 2, 1), timeMS)
	want := n.Predict(x)
	for i, v := range got.Predict(x) {
		// Weights round by at most 2^-11; a few hundred of them average out.
		if math.Abs(v-want[i]) > 2e-3*want[i] {
			t.Errorf("row %d: got %g, want %g within 0.2 %%", i, v, want[i])
		}
	}
}

func TestEncodeRefusesAnUntrainedNetwork(t *testing.T) {
	t.Parallel()
	if _, err := new(Net).MarshalBinary(); err == nil {
		t.Error("no error")
	}
}

func TestWeightTooLargeForHalfIsAnError(t *testing.T) {
	t.Parallel()
	n := sample(t)
	n.w.b[0][3] = 70000
	if _, err := n.MarshalCompact(); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got %v", err)
	}
}

// sealed puts a valid checksum behind a changed encoding.
func sealed(data []byte, change func(body []byte) []byte) []byte {
	body := change(slices.Clone(data[:len(data)-crcBytes]))
	return binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
}

func TestDecodeRefusesDamagedNetworksWithAReason(t *testing.T) {
	t.Parallel()
	data := must.Get(sample(t).MarshalBinary())(t)
	replace := func(old, new string) []byte {
		return sealed(data, func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) })
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"nothing", "begin", nil},
		{"another file", "begin", []byte("cores,cpu_khz,gpu_hz,mem_hz\n")},
		{"the magic alone", "begin", []byte(magic)},
		{"half a file", "cut short", data[:len(data)/2]},
		{"one byte short", "cut short", data[:len(data)-1]},
		{"one byte more", "cut short", append(slices.Clone(data), 0)},
		{"a flipped bit", "damaged", func() []byte { d := slices.Clone(data); d[len(d)/2] ^= 4; return d }()},
		{"a later version", "version 2", sealed(data, func(b []byte) []byte { b[4] = 2; return b })},
		{"a header longer than the file", "header of", sealed(data, func(b []byte) []byte { b[9] = 0xff; return b })},
		{"a header that is no JSON", "header", replace(`{"layers"`, `["layers"`)},
		{"a field of the future", "unknown field", replace(`"floor"`, `"flour"`)},
		{"layers of other weights", "want 174148", replace(`[4,256,128,64,1]`, `[4,256,128,72,1]`)},
		{"a layer of odd width", "multiple of 8", replace(`[4,256,128,64,1]`, `[4,256,128,65,1]`)},
		{"a layer too wide", "multiple of 8", replace(`[4,256,128,64,1]`, `[4,264,128,64,1]`)},
		{"a layer of no width", "0 units", replace(`[4,256,128,64,1]`, `[4,256,128, 0,1]`)},
		{"no hidden layer", "layers", replace(`[4,256,128,64,1]`, `[4,1]`)},
		{"other inputs", "4 inputs", replace(`[4,256,128,64,1]`, `[5,256,128,64,1]`)},
		{"two outputs", "1 output", replace(`[4,256,128,64,1]`, `[4,256,128,64,2]`)},
		{"other weights", "weights are", replace(`"float32"`, `"float64"`)},
		{"weights of another precision", "want 84994", replace(`"float32"`, `"float16"`)},
		{"a deviation of zero", "deviation", replace(`"SD":0.1`, `"SD":0.0`)},
		{"a floor of zero", "floor", replace(`"floor":0.01`, `"floor":0.00`)},
		{"settings that make no sense", "dropout", replace(`"dropout":0.1`, `"dropout":1.1`)},
		{"an unknown loss", "unknown loss", replace(`"MAPE"`, `"MOPE"`)},
		{"a weight that is not a number", "weight 42496", sealed(data, func(b []byte) []byte {
			return binary.LittleEndian.AppendUint32(b[:len(b)-4], math.Float32bits(float32(math.NaN())))
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var n Net
			if err := n.UnmarshalBinary(c.data); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ErrFormat that says %q", err, c.want)
			}
			if n.w != nil {
				t.Error("the network changed")
			}
		})
	}
}

func TestHalfPrecision(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		v    float32
		bits uint16
	}{
		{"zero", 0, 0},
		{"minus zero", float32(math.Copysign(0, -1)), 0x8000},
		{"one", 1, 0x3c00},
		{"minus two", -2, 0xc000},
		{"the largest", 65504, 0x7bff},
		{"the smallest normal", 1.0 / (1 << 14), 0x0400},
		{"the smallest of all", 1.0 / (1 << 24), 0x0001},
		{"a tie goes to the even below", 1 + 1.0/2048, 0x3c00},
		{"a tie goes to the even above", 1 + 3.0/2048, 0x3c02},
		{"a carry reaches the exponent", 1.9999, 0x4000},
		{"the largest subnormal rounds up to a normal", 0.99999 / (1 << 14), 0x0400},
		{"half of the smallest goes to the even zero", 0.5 / (1 << 24), 0x0000},
		{"too large", 65520, 0x7c00},
		{"infinity", float32(math.Inf(1)), 0x7c00},
	} {
		if got := toHalf(c.v); got != c.bits {
			t.Errorf("%s: toHalf(%g) = %#04x, want %#04x", c.name, c.v, got, c.bits)
		}
	}
	for h := range 1 << 16 {
		v := fromHalf(uint16(h))
		if math.IsNaN(float64(v)) {
			if h&halfExponent != halfExponent || toHalf(v)&halfExponent != halfExponent {
				t.Fatalf("%#04x is not a number", h)
			}
			continue
		}
		if got := toHalf(v); got != uint16(h) {
			t.Fatalf("%#04x is %g and comes back as %#04x", h, v, got)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	n := sample(f)
	exact, compact := must.Get(n.MarshalBinary())(f), must.Get(n.MarshalCompact())(f)
	// Without the checksum's help: the fuzzer changes the body, the test seals it.
	for _, data := range [][]byte{exact, compact, exact[:400], []byte(magic), nil} {
		f.Add(data[:max(0, len(data)-crcBytes)])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		defer reliability.Input(t)()
		var n Net
		data := binary.LittleEndian.AppendUint32(slices.Clone(body), crc32.ChecksumIEEE(body))
		if err := n.UnmarshalBinary(data); err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("%v does not wrap ErrFormat", err)
			}
			return
		}
		for _, v := range n.Predict([][inputs]float64{{1, 200, 200, 200}}) {
			if !(v >= n.floor) {
				t.Fatalf("predicted %g, below the floor %g", v, n.floor)
			}
		}
		again := must.Get(n.MarshalBinary())(t)
		must.NoError(t, new(Net).UnmarshalBinary(again))
	})
}

func TestConfigSetTakesEverySettingByItsName(t *testing.T) {
	var c Config
	for _, a := range []string{"dropout=0.2", "learn_rate=0.01", "batch=8", "epochs=7", "min_steps=-1", "holdout=0.2",
		"loss=mape", "freeze=true", "log_target=true", "seed=9", "layers=64,8"} {
		if err := c.Set(a); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
	want := Config{Dropout: 0.2, LearnRate: 0.01, Batch: 8, Epochs: 7, MinSteps: -1, Holdout: 0.2, Loss: MAPE,
		Freeze: true, LogTarget: true, Seed: 9, Layers: Layers{64, 8}}
	if c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}

// The number of passes is the requested one: the least number of steps does not raise it.
func TestConfigSetOfEpochsIsTakenAtItsWord(t *testing.T) {
	for _, c := range []Config{FromScratch(), ForTransfer()} {
		must.NoError(t, c.Set("epochs=5"))
		if p := c.plan(40, 5); p.epochs != 5 {
			t.Errorf("%d passes, want 5", p.epochs)
		}
		if err := c.Set("min_steps=1000"); err != nil || c.plan(40, 5).steps < 1000 {
			t.Errorf("%d steps, %v; want those asked for behind it", c.plan(40, 5).steps, err)
		}
	}
}

func TestConfigSetRefusesWhatItCannotTrainWith(t *testing.T) {
	for _, a := range []string{"", "epochs", "epochs=", "epochs=x", "epochs=-3", "dropout=2", "layers=3", "loss=l1",
		"seed=-1", "batch=1e9999", `loss=mse","seed":"7`, "learn_rate=NaN", "layers=", "layers=64,0,8",
		"layers=0", "layers=-8", "layers=264", "layers=8,8,8,8,8,8,8,8,8", "layers=64;8", "layers=8.5", `layers=8],"seed":[7`,
		`layers=8],"layers":[8`, `epochs=3,"seed":7`} {
		c := Config{Epochs: 5}
		if err := c.Set(a); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v", a, err)
		}
		if c != (Config{Epochs: 5}) {
			t.Errorf("%q changed the settings to %+v", a, c)
		}
	}
}

func TestSampleFirstIsAShorterMeasurement(t *testing.T) {
	s := Sample{Mode: tegra.Mode{Cores: 4}, TimesMS: []float64{1, 2, 3, 100}, PowersW: []float64{10, 20, 30}}
	short := s.First(3)
	if len(short.TimesMS) != 3 || len(short.PowersW) != 3 { // three quarters of three readings, rounded up
		t.Errorf("%+v", short)
	}
	if m := s.First(2).Median(); m.TimeMS != 1.5 || m.PowerW != 15 || m.Mode != s.Mode {
		t.Errorf("%+v", m)
	}
	if all := s.First(9); len(all.TimesMS) != 4 {
		t.Errorf("%+v", all)
	}
	if m := (Sample{TimesMS: []float64{5}}).First(1).Median(); m.HasPower() {
		t.Errorf("power %g where none was measured", m.PowerW)
	}
}

func TestNetClampsWhatNoModeCanTake(t *testing.T) {
	n := Net{floor: floorShare * 166} // of a fastest mode of 166 ms
	for ms, want := range map[float64]bool{16.6: true, 33: true, 82: true, 84: false, 166: false, 5000: false} {
		if n.Clamps(ms) != want {
			t.Errorf("%g ms: %v, want %v", ms, !want, want)
		}
	}
}
