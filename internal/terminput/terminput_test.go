package terminput

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
)

// bounded is a terminal's input within its bounds, as the screens read it.
type bounded struct {
	*os.File
	Bound
}

func (b *bounded) Read(to []byte) (int, error) {
	n, err := b.File.Read(to)
	return len(b.Cut(to[:max(n, 0)])), err
}

// events reads input through the bound and the library's reader, as the screens do, in chunks of at most most bytes.
func events(t testing.TB, in []byte, most int) []uv.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out := make(chan uv.Event, 64)
	var all []uv.Event
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range out {
			all = append(all, e)
		}
	}()
	r, w, err := os.Pipe()
	must.NoError(t, err)
	defer r.Close()
	go func() {
		defer w.Close()
		for len(in) > 0 {
			n := min(most, len(in))
			if _, err := w.Write(in[:n]); err != nil {
				return
			}
			in = in[n:]
		}
	}()
	guarded := &bounded{File: r}
	if err := uv.NewTerminalReader(guarded, "xterm-256color").StreamEvents(ctx, out); err != nil {
		t.Error(err)
	}
	close(out)
	<-done
	return all
}

// Sequences as terminals, pastes and noise send them; the parser has room for 32 parameters.
var terminalInputs = []string{
	"\x1b[1;2A", "\x1b[<0;1;1M", "\x1b[200~x\x1b[201~", "\x1b]11;rgb:ff/ff/ff\x07", "\x1bP>|x\x1b\\", "\x1b[?62;c",
	"\x1b[65;30;97;1;0;1_", "\x1b[" + strings.Repeat("1;", 32) + "1m", "\x1b[" + strings.Repeat("1:", 10000) + "1m",
	"\x1b[200~a\x1b[" + strings.Repeat(";", 33) + "m b\x1b[201~", "\x9b" + strings.Repeat("1;", 40) + "m",
	"ě" + strings.Repeat(
		"1;",
		40,
	) + "m", "\x1bP" + strings.Repeat("1;", 40) + "q", "\x1b[" + strings.Repeat("9", 10000) + "m",
}

func TestBoundKeepsWhatTerminalsSend(t *testing.T) {
	for _, in := range []string{
		"\x1b[1;2A", "\x1b[<0;123;45M", "\x1b[200~line 1;2;3\nline two ” ě\x1b[201~", "\x1b]11;rgb:ff/ff/ff\x07",
		"\x1bP>|tmux 3.4\x1b\\", "\x1b[?62;1;2;4;6;9;15;16;17;18;21;22;28c", "\x1b[65;30;97;1;0;1_",
		"\x1b[9999;7u", "ě”x",
		"\x1b[38;5;1m" + strings.Repeat("plain text; ", 1000), strings.Repeat("”", 5000),
	} {
		var b Bound
		if got := string(b.Cut([]byte(in))); got != in {
			t.Errorf("%.40q passes as %.80q", in, got)
		}
	}
}

func TestBoundCutsParametersStringsAndPastes(t *testing.T) {
	tests := []struct {
		what, in string
		most     int
	}{
		{"parameters", "\x1b[" + strings.Repeat("1;", 10000) + "1m", mostParamBytes + 3},
		{"digits", "\x1b[" + strings.Repeat("1", 10000) + "m", mostParamBytes + 3},
		{"a string", "\x1b]52;" + strings.Repeat("x", 1<<20) + "\x07", mostString + 3},
		{"a string in one byte", "\x9d" + strings.Repeat("x", 1<<20), mostString + 3},
		{"a paste", "\x1b[200~" + strings.Repeat("x", 3<<20) + "\x1b[201~", mostPaste + 20},
	}
	for _, tt := range tests {
		var b Bound
		out := b.Cut([]byte(tt.in + "q"))
		if len(out) > tt.most+1 || out[len(out)-1] != 'q' && tt.what != "a string in one byte" {
			t.Errorf("%s: %d bytes pass, ending %q; at most %d and the key after it", tt.what, len(out),
				out[max(0, len(out)-8):], tt.most+1)
		}
	}
}

func TestBoundOutlivesLongSequences(t *testing.T) {
	for _, in := range terminalInputs {
		for _, most := range []int{1, 7, 4096} {
			got := events(t, []byte(in+"q"), most)
			if len(got) == 0 {
				t.Errorf("%.40q by %d bytes: no event", in, most)
			}
		}
	}
	got := events(t, []byte("\x1b["+strings.Repeat("1;", 40)+"1mq"), 4096)
	if k, ok := got[len(got)-1].(uv.KeyPressEvent); !ok || k.Code != 'q' {
		t.Errorf("after 41 parameters the key q came as %v", got)
	}
}

// TestBoundOutlivesNoise feeds keys, mouse, pastes and sequences with up to 10,000 parameters, cut anywhere.
func TestBoundOutlivesNoise(t *testing.T) {
	inputs := 20_000
	if os.Getenv("JTUNE_LONG") != "" {
		inputs = 1_000_000
	}
	rnd := rand.New(rand.NewPCG(1, uint64(inputs)))
	var in []byte
	for i := range inputs {
		switch rnd.IntN(8) {
		case 0, 1, 2:
			in = append(in, byte(' '+rnd.IntN(95)))
		case 3:
			in = append(in, terminalInputs[rnd.IntN(6)]...)
		case 4:
			in = strconv.AppendInt(append(in, "\x1b[<"...), int64(rnd.IntN(64)), 10)
			in = append(in, ";10;20M"...)
		case 5: // noise, now and then with very many parameters
			in = append(in, escape, "[PO]_^X"[rnd.IntN(7)])
			n := rnd.IntN(40)
			if rnd.IntN(200) == 0 {
				n = rnd.IntN(10_000)
			}
			for range n {
				in = append(strconv.AppendInt(in, int64(rnd.IntN(300)), 10), ";:"[rnd.IntN(2)])
			}
			in = append(in, "mMcu_~q$y\\"[rnd.IntN(10)])
		case 6:
			in = append(in, "\x1b[200~"...)
			in = append(in, in[max(0, len(in)-rnd.IntN(60)-1):]...)
			in = append(in, pasteEnd...)
		default:
			in = append(in, byte(rnd.IntN(256)), byte(rnd.IntN(256)))
		}
		if len(in) > 1<<16 || i == inputs-1 {
			if len(events(t, in, 1+rnd.IntN(4096))) == 0 {
				t.Fatalf("no event of %d bytes", len(in))
			}
			in = in[:0]
		}
	}
}

// FuzzBound feeds what a terminal, a paste or noise may send to the reader of the screens.
func FuzzBound(f *testing.F) {
	for _, s := range terminalInputs {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		defer reliability.Input(t)()
		events(t, in, 4096)
		var whole, split Bound
		out := whole.Cut(slices.Clone(in))
		var parts []byte
		for _, c := range in {
			parts = append(parts, split.Cut([]byte{c})...)
		}
		if !bytes.Equal(out, parts) {
			t.Errorf("%q passes as %q, byte by byte as %q", in, out, parts)
		}
	})
}
