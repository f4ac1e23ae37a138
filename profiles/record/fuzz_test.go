package record

import (
	"bytes"
	"math"
	"testing"

	"github.com/BurntSushi/toml"

	"jtune/internal/tools/reliability"
)

func FuzzHeader(f *testing.F) {
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(Header{Format: headerFormat}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("format = 1\n[device]\ncores = [2]\ncpu_khz = [729600]\n[plan]\nkind = \"tune\"\n[settings]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		h, err := parseHeader("campaign.toml", text)
		if err != nil {
			return
		}
		_, _ = h.Device.Space()
		_ = h.checkResume(h)
		_ = h.Settings.WithDefaults()
		var first, second bytes.Buffer
		if err := toml.NewEncoder(&first).Encode(h); err != nil {
			t.Fatal(err)
		}
		again, err := parseHeader("campaign.toml", first.Bytes())
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
	f.Add([]byte(csvLine(sampleColumns) + "1.000,4,729600,318750000,665600000,,false,cold\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		parseRaw(text, sampleColumns, func(p *fieldParser) {
			at, _, watts := p.number(), p.mode(), p.optional()
			p.at = len(sampleColumns)
			if p.isOf(8); math.IsNaN(at) || math.IsInf(at, 0) || watts.OK && !(watts.V >= 0) {
				t.Errorf("at %g s, %v W", at, watts)
			}
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
