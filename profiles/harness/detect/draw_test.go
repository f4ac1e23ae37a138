package detect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// drawn is a job drawn at random: its progress N(t), and the form in which it prints it.
type drawnJob struct {
	rnd    *rand.Rand
	job    job
	ms     float64 // mean time of a unit
	whole  float64 // that of an epoch with its validation
	text   strings.Builder
	held   int // lines that the program's buffer holds before it writes
	inHeld int
}

// emit prints a line, or keeps it in the program's buffer.
func (d *drawnJob) emit(format string, args ...any) {
	fmt.Fprintf(&d.text, format, args...)
	if d.inHeld++; d.inHeld >= d.held {
		d.flush()
	}
}

func (d *drawnJob) flush() {
	if d.text.Len() > 0 {
		d.job.print("%s", d.text.String())
	}
	d.text.Reset()
	d.inHeld = 0
}

// spansOf returns the times of n units, with mean ms: even, periodic, in buckets, with rare stalls.
func (d *drawnJob) spansOf(n int) (out []float64) {
	noise := 0.1 * d.rnd.Float64()
	kind, k, wait := d.rnd.IntN(4), 2+d.rnd.IntN(6), 2+20*d.rnd.Float64()
	phase := d.rnd.IntN(k)
	for i := range n {
		v := 1.0
		switch kind {
		case 1: // every k-th waits
			if v = float64(k) / (float64(k-1) + wait); (i+phase)%k == 0 {
				v *= wait
			}
		case 2: // buckets of ten
			if v = 2 / (1 + 1.6); (i/10+phase)%2 == 0 {
				v *= 1.6
			}
		case 3: // stalls at random, one in ten
			if v = 1 / (0.9 + 0.1*wait); d.rnd.Float64() < 0.1 {
				v *= wait
			}
		}
		out = append(out, d.ms*v*(1+noise*d.rnd.NormFloat64()))
	}
	return out
}

// validated is how many units of validation an epoch has, and validation the time of one, in units of training.
const validated, validation = 10, 0.4

func (d *drawnJob) run() {
	units, every := 200+d.rnd.IntN(400), 1+d.rnd.IntN(3)*d.rnd.IntN(4)
	epoch := []int{0, 0, 50, 60}[d.rnd.IntN(4)]
	if d.held = 1; d.rnd.IntN(4) == 0 {
		d.held = 4 + d.rnd.IntN(12)
	}
	form, swaps, again := d.rnd.IntN(6), d.rnd.IntN(5) == 0 && every == 1, d.rnd.IntN(6) == 0
	validates, names, loads := epoch > 0 && d.rnd.IntN(2) == 0, d.rnd.IntN(4) == 0, d.rnd.IntN(4) == 0
	if d.whole = float64(epoch) * d.ms; validates {
		d.whole += validated * validation * d.ms
	}
	line := func(e, i, n int) string {
		of := units
		if epoch > 0 {
			of = epoch
		}
		switch form {
		case 0:
			return fmt.Sprintf("step %d loss 2.3\n", n)
		case 1:
			return fmt.Sprintf("Epoch %d [%d/%d] loss 2.3\n", e+1, i, of)
		case 2:
			return fmt.Sprintf(`{"step": %d, "loss": 2.3}`+"\n", n)
		case 3:
			return fmt.Sprintf("\rtrain: %d%%|##| %d/%d [00:01<00:02, 3.1it/s]", 100*i/of, i, of)
		case 4:
			return fmt.Sprintf("[rank=0] [step=%d/99999]\n    loss=2.3\n    tokens=%d\n", n, 4096*n)
		}
		return fmt.Sprintf("frame %d: 3 objects\n", n)
	}
	if loads {
		for i := range 40 {
			d.job.wait(time.Duration(d.ms * 0.3 * float64(time.Millisecond)))
			d.emit("Preparing: %d%%|##| %d/40 [00:01<00:02, 3.1it/s]\r", 100*i/40, i+1)
		}
		d.flush()
	}
	recompiles := -1
	if d.rnd.IntN(4) == 0 {
		recompiles = 20 + d.rnd.IntN(units-20)
	}
	for n, ms := range d.spansOf(units) {
		e, i := 0, n+1
		if epoch > 0 {
			e, i = n/epoch, n%epoch+1
		}
		if n == 0 {
			ms *= 10
		}
		if n == recompiles {
			ms += 120 * d.ms
		}
		d.job.wait(time.Duration(ms * float64(time.Millisecond)))
		m := n + 1
		if swaps && n%4 == 1 {
			m++
		} else if swaps && n%4 == 2 {
			m--
		}
		if n%every == every-1 {
			d.emit("%s", line(e, i+m-n-1, m))
			if again {
				d.emit("%s", line(e, i+m-n-1, m))
			}
		}
		if names && n%37 == 36 {
			d.emit("WARNING: learning rate reduced\n")
		}
		if validates && i == epoch {
			d.flush()
			for k := range validated {
				d.job.wait(time.Duration(d.ms * validation * float64(time.Millisecond)))
				d.emit("val: %d%%|##| %d/10 [00:01<00:02, 3.1it/s]\r", 10*k, k+1)
			}
			d.flush()
		}
	}
	d.flush()
}

// Of 250 jobs (1,000 with JTUNE_LONG) drawn at random, and printed in a form drawn at random, at least 92 % are read
// with a mean whose 95 % band holds the true one.
func TestMeansOfDrawnJobsLieInTheirBands(t *testing.T) {
	t.Parallel()
	draws := 250
	if os.Getenv("JTUNE_LONG") != "" {
		draws = 1000
	}
	held, refused := 0, 0
	for seed := range uint64(draws) {
		rnd := rand.New(rand.NewPCG(seed, 44))
		d := drawnJob{rnd: rnd, job: job{now: time.Hour}, ms: math.Pow(10, 1+5*rnd.Float64())}
		d.run()
		read := New(Options{})
		play(read, d.job.out)
		got, err := read.Read()
		want := d.ms
		if got.Unit == Epoch { // only whole epochs can be told apart in a buffered program
			want = d.whole
		}
		switch {
		case err != nil:
			refused++
			t.Logf("draw %d: %v", seed, err)
		case math.Abs(got.TimeMS-want) <= 1.96*got.ErrorMS+1e-6*want:
			held++
		case math.Abs(got.TimeMS/want-1) > 0.1:
			t.Logf("draw %d: %s %q %.4g ± %.3g ms a %s, want %.4g; left out %v; %q", seed, got.Form, got.What,
				got.TimeMS, 1.96*got.ErrorMS, got.Unit, want, got.LeftOut, got.Example)
		}
	}
	t.Logf("%d of %d hold the true mean, %d are not read", held, draws, refused)
	if least := draws * 92 / 100; held < least {
		t.Errorf("%d of %d means lie in their bands, want %d (%d are not read)", held, draws, least, refused)
	}
}
