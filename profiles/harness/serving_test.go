package harness

import (
	"testing"
	"time"

	"jtune/internal/must"
)

func TestParseReadsBatchesAndRequestsOfInference(t *testing.T) {
	t.Parallel()
	var p parser
	parse := func(text string) Event {
		t.Helper()
		e := must.Get(p.parse([]byte(text)))(t)
		return stamp(e, 100*time.Second)
	}
	e := parse(`{"event":"infer","job":"infer","n":16,"time_ms":28.1,"fetch_ms":1.2,"phase":"decode","t":3.2}`)
	if e.Kind != Infer || !e.Timed() || e.N != 16 || e.TimeMS != 28.1 || e.FetchMS.V != 1.2 || e.Phase != "decode" ||
		e.Job != "infer" {
		t.Errorf("infer: %+v", e)
	}
	if e = parse(`{"event":"infer","time_ms":5}`); e.N != 1 {
		t.Errorf("a batch that does not say its size has %d units, want 1", e.N)
	}
	e = parse(`{"event":"request","arrive":3.0,"start":3.25,"first":3.5,"end":4.0,"in":512,"out":128,"n":1}`)
	if e.Kind != Request || e.Timed() || e.Latency() != 1000 || e.Start != 99250*time.Millisecond ||
		e.First != 99500*time.Millisecond || e.In != 512 || e.Out != 128 || e.N != 1 {
		t.Errorf("request: %+v, latency %v ms", e, e.Latency())
	}
	if e = parse(`{"event":"request","arrive":3,"end":4}`); e.Start != 99*time.Second || e.First != e.T {
		t.Errorf("a request of two times: %+v; want it to start when it arrives", e)
	}
	if e = parse(`{"event":"warm","n":20}`); e.Kind != Warm || e.N != 20 {
		t.Errorf("warm: %+v", e)
	}
}
