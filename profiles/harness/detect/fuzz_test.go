package detect

import (
	"slices"
	"testing"
	"time"

	"jtune/internal/tools/reliability"
)

// FuzzDetect mixes two formats, cuts their lines anywhere, repeats and reorders pieces: nothing panics, and no reading
// is made of fewer than three steps.
func FuzzDetect(f *testing.F) {
	f.Add([]byte{0, 3, 10, 0, 5, 1, 200, 2, 9}, []byte("step 3/10 0.5 it/s\r"))
	f.Add([]byte{20, 12, 1, 1, 1, 3, 3, 3}, []byte(" 12%|█▏ | 3/25 [00:01<00:09, 2.3it/s]"))
	f.Add([]byte{35, 40, 250, 4, 3, 2, 1, 0, 9, 9}, []byte("\x1b[1;31m\b\b{'loss': 1e-5}\n"))
	all := slices.Concat(formats, tutorials, programs, strangers)
	played := make([][]piece, len(all))
	for i, one := range all {
		j := &job{now: time.Hour}
		one.run(j)
		played[i] = j.out[:min(len(j.out), 150)]
	}
	f.Fuzz(func(t *testing.T, how, text []byte) {
		defer reliability.Input(t)()
		if len(how) < 3 || len(how) > 400 {
			return
		}
		a, b := played[int(how[0])%len(played)], played[int(how[1])%len(played)]
		d, now := New(Options{Batch: int(how[2])}), time.Hour
		i, j := 0, 0
		var out []piece
		for _, h := range how[2:] {
			now += time.Duration(h) * 3 * time.Millisecond
			p := piece{at: now, from: 1 + int(h>>7)}
			switch {
			case h%5 == 0 && len(text) > 0:
				p.text = string(text[int(h)%len(text):])
			case h%5 == 1 && i > 0: // again
				i--
				fallthrough
			case h%2 == 0 && len(a) > 0:
				p.text = a[i%len(a)].text
				i += 1 + int(h%3)
			case len(b) > 0:
				p.text = b[j%len(b)].text
				j += 1 + int(h%7)
			}
			if h%11 == 0 && len(p.text) > 0 { // cut anywhere
				p.text = p.text[:int(h)%len(p.text)]
			}
			out = append(out, p)
		}
		play(d, out)
		_, _, _ = d.Choose(now)
		for _, s := range append(d.Take(false), d.Take(true)...) {
			if s.N < 1 || !(s.TimeMS > 0) || s.First < 0 || s.Epoch < 0 {
				t.Errorf("%+v", s)
			}
		}
		r, err := d.Read()
		if err == nil && (!(r.TimeMS > 0) || !r.Summary && r.Steps*max(1, r.Samples) < least) {
			t.Errorf("%+v", r)
		}
	})
}
