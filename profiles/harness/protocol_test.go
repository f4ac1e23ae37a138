package harness

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
)

func TestParseReadsTheEventsOfTheProtocol(t *testing.T) {
	t.Parallel()
	some := tegra.Some[float64]
	for _, c := range []struct {
		name, text string
		want       Event
	}{
		{"a full minibatch", `{"event":"minibatch","epoch":1,"batch":7,"time_ms":60.5,"fetch_ms":4,"stall_ms":1,` +
			`"compute_ms":55,"overhead_ms":4.5,"t":9}`,
			Event{Kind: Minibatch, Epoch: 1, Batch: 7, TimeMS: 60.5, FetchMS: some(4), StallMS: some(1),
				ComputeMS: some(55), OverheadMS: some(4.5)}},
		{"a bare minibatch", `{"event":"minibatch","time_ms":60.5}`, Event{Kind: Minibatch, TimeMS: 60.5}},
		{"stall and overhead follow from fetch and compute",
			`{"event":"minibatch","time_ms":60,"fetch_ms":4,"compute_ms":50}`, Event{Kind: Minibatch, TimeMS: 60,
				FetchMS: some(4), StallMS: some(4), ComputeMS: some(50), OverheadMS: some(6)}},
		{"so they do of a batch of inference", `{"event":"infer","time_ms":10,"fetch_ms":3,"compute_ms":6}`,
			Event{Kind: Infer, N: 1, TimeMS: 10, FetchMS: some(3), StallMS: some(3), ComputeMS: some(6),
				OverheadMS: some(1)}},
		{"a hidden fetch makes no stall", `{"event":"minibatch","time_ms":60,"fetch_ms":300,"compute_ms":58}`,
			Event{Kind: Minibatch, TimeMS: 60, FetchMS: some(300), StallMS: some(2), ComputeMS: some(58),
				OverheadMS: some(0)}},
		{"compute alone leaves the rest open", `{"event":"minibatch","time_ms":60,"compute_ms":58}`,
			Event{Kind: Minibatch, TimeMS: 60, ComputeMS: some(58)}},
		{"spaces and unknown keys do no harm", `  {"event" : "minibatch", "time_ms": 1, "loss": {"a":[1]}}  ` + "\r",
			Event{Kind: Minibatch, TimeMS: 1}},
		{"end-to-end time by its other name", `{"event":"minibatch","e2e_ms":60,"clean":true}`,
			Event{Kind: Minibatch, TimeMS: 60}},
		{"a minibatch that does not count", `{"event":"minibatch","time_ms":600,"clean":false}`,
			Event{Kind: Minibatch, TimeMS: 600, Unclean: true}},
		{"the longest of the most", fmt.Sprintf(`{"event":"infer","time_ms":%g,"n":%d}`, maxTimeMS, maxUnits),
			Event{Kind: Infer, TimeMS: maxTimeMS, N: maxUnits}},
		{"an epoch ends", `{"event":"epoch_end","epoch":2,"time_ms":187500}`,
			Event{Kind: EpochEnd, Epoch: 2, TimeMS: 187500}},
		{"an error", `{"event":"error","message":"out of\nmemory"}`, Event{Kind: Failure, Message: "out of memory"}},
		{"an event of the protocol that is passed over", `{"event":"power","mw":3000}`, Event{Kind: Other}},
		{"what the page cache holds", `{"event":"cache","share":0.25}`, Event{Kind: Cache, Share: some(0.25)}},
		{"an empty page cache", `{"event":"cache","share":0}`, Event{Kind: Cache, Share: some(0)}},
		{"a full page cache", `{"event":"cache","share":1}`, Event{Kind: Cache, Share: some(1)}},
		{"a sign of life while files are read", `{"event":"cache","when":"preload","done":3,"files":9}`,
			Event{Kind: Other}},
		{"done", `{"event":"done"}`, Event{Kind: Done}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := new(parser).parse([]byte(c.text))
			if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestParserHelloTellsOfTheJob(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	got, err := new(parser).parse([]byte(`{"event":"hello","protocol":1,"samples":50000,"framework":"torch 2.0",` +
		`"dataset":"` + long + `","secret":"no"}`))
	must.NoError(t, err)
	if got.Info["protocol"] != "1" || got.Info["samples"] != "50000" || got.Info["framework"] != "torch 2.0" ||
		len(got.Info) != 4 {
		t.Errorf("got %.300v", got.Info)
	}
	if n := len(got.Info["dataset"]); n > 410 {
		t.Errorf("a long value keeps %d bytes", n)
	}
}

func TestParseTellsGarbageFromAbsurdEvents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		garbage    bool
		want       string
	}{
		{"plain text", "Epoch 1/5: 100%|####|", true, ""},
		{"an empty line", "", true, ""},
		{"a JSON text", `"minibatch"`, true, ""},
		{"an object without an event", `{"time_ms":3}`, true, ""},
		{"cut JSON", `{"event":"minibatch","time_ms":6`, true, ""},
		{"NaN as Python prints it", `{"event":"minibatch","time_ms":NaN}`, true, ""},
		{"a text for a number", `{"event":"minibatch","time_ms":"60"}`, true, ""},
		{"a number beyond float64", `{"event":"minibatch","time_ms":1e999}`, true, ""},
		{"an unknown event", `{"event":"party"}`, true, "party"},
		{"a negative time", `{"event":"minibatch","time_ms":-4}`, false, "time_ms is -4"},
		{"a time of zero", `{"event":"minibatch","time_ms":0}`, false, "time_ms is 0"},
		{"a minibatch that lasts for years", `{"event":"minibatch","time_ms":1e12}`, false, "time_ms"},
		{"no time", `{"event":"minibatch","batch":3}`, false, "without time_ms"},
		{"negative compute", `{"event":"minibatch","time_ms":4,"compute_ms":-1}`, false, "compute_ms is -1"},
		{"half an epoch", `{"event":"epoch_end","epoch":1.5}`, false, "epoch is 1.5"},
		{"a batch number beyond counting", `{"event":"minibatch","time_ms":4,"batch":1e300}`, false, "batch"},
		{"half an epoch of a minibatch", `{"event":"minibatch","time_ms":1,"epoch":1.5}`, false, "epoch is 1.5"},
		{"a batch before the first", `{"event":"minibatch","time_ms":1,"batch":-1}`, false, "batch is -1"},
		{"a minibatch of twice the longest time", fmt.Sprintf(`{"event":"minibatch","time_ms":%g}`, 2*maxTimeMS), false,
			"time_ms is"},
		{"a share beyond the whole", `{"event":"cache","share":1.1}`, false, "share is 1.1"},
		{"a share below nothing", `{"event":"cache","share":-0.1}`, false, "share is -0.1"},
		{"a batch of inference without its time", `{"event":"infer","n":4}`, false, "infer without time_ms"},
		{"a batch of nothing", `{"event":"infer","time_ms":4,"n":0}`, false, "n is 0"},
		{"half a unit", `{"event":"infer","time_ms":4,"n":1.5}`, false, "n is 1.5"},
		{"more units than there are", `{"event":"infer","time_ms":4,"n":1048577}`, false, "n is"},
		{"an inference of no time", `{"event":"infer","time_ms":0}`, false, "time_ms is 0"},
		{"an inference of less", `{"event":"infer","time_ms":-1}`, false, "time_ms is -1"},
		{"a request without its end", `{"event":"request","arrive":1}`, false, "without arrive and end"},
		{"a request that ends first", `{"event":"request","arrive":2,"end":1}`, false, "out of order"},
		{"a request served before it comes", `{"event":"request","arrive":2,"start":1,"end":3}`, false, "out of order"},
		{"a first unit after the last", `{"event":"request","arrive":1,"first":4,"end":3}`, false, "out of order"},
		{"an endless request", `{"event":"request","arrive":1,"end":1e12}`, false, "out of order"},
		{"a warm-up of less than nothing", `{"event":"warm","n":-1}`, false, "n is -1"},
		{"an absurd clock", `{"event":"stable","t":1e300}`, false, "t is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := new(parser).parse([]byte(c.text))
			if err == nil {
				t.Fatalf("accepted as %+v", got)
			}
			if errors.Is(err, errNoEvent) != c.garbage || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v; want garbage %v and %q", err, c.garbage, c.want)
			}
		})
	}
}

func TestParserTimeThatGoesBackIsRefused(t *testing.T) {
	t.Parallel()
	var p parser
	for _, c := range []struct {
		t    float64
		good bool
		// set back by four seconds: it goes on from there
	}{{5, true}, {6, true}, {5.5, false}, {6, true}, {7, true}, {3, false}, {4, true}, {4, true}} {
		_, err := p.parse(fmt.Appendf(nil, `{"event":"minibatch","time_ms":1,"t":%g}`, c.t))
		if (err == nil) != c.good {
			t.Errorf("t %g: %v", c.t, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"event":"minibatch","epoch":1,"batch":7,"time_ms":60.5,"fetch_ms":4,"compute_ms":55,"t":9}`))
	f.Add([]byte(`{"event":"hello","protocol":1,"model":"x"}`))
	f.Add([]byte(`{"event":"minibatch","time_ms":1e308,"compute_ms":-0}`))
	f.Add([]byte("\x00\xff{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		e, err := new(parser).parse(text)
		if err != nil {
			return
		}
		for _, v := range []float64{e.TimeMS, e.FetchMS.V, e.StallMS.V, e.ComputeMS.V, e.OverheadMS.V} {
			if math.IsNaN(v) || v < 0 || v > maxTimeMS {
				t.Fatalf("absurd value %g in %+v", v, e)
			}
		}
		if e.Kind == Minibatch && e.TimeMS <= 0 || e.Epoch < 0 || e.Batch < 0 || len(e.Message) > 1000 {
			t.Fatalf("absurd event %+v", e)
		}
	})
}

func TestQueueFloodLosesTheOldestEvents(t *testing.T) {
	t.Parallel()
	q := NewQueue()
	for i := range queueLen + 100 {
		q.Put(Event{Batch: i})
	}
	q.Close(errors.New("over"))
	for i := range queueLen {
		e, ok := <-q.events
		if !ok || e.Batch != i+100 {
			t.Fatalf("event %d: %v %v, want batch %d", i, e.Batch, ok, i+100)
		}
	}
	e, ok := <-q.events
	if _, err := q.taken(e, ok); err == nil || err.Error() != "over" || q.dropped != 100 {
		t.Errorf("end: %v, %d dropped; want its end and 100", err, q.dropped)
	}
}
