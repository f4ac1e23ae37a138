package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/profiles/harness"
)

// counters are the counters of one kind of server, in the text format of Prometheus. Names come from the servers' own
// sources; none was read from a server on a Jetson: UNVERIFIED.
type counters struct {
	runtime, unit string
	units         string   // of what was served
	requests      string   // that were answered; "" where none counts them
	busy          []string // time spent on requests, summed
	perS          float64  // of these, in a second
	latency       string   // histogram of the requests' latencies in seconds, waiting included; "" where there is none
}

var knownCounters = []counters{
	{"llama-server", "token", "llamacpp:tokens_predicted_total", "",
		[]string{"llamacpp:tokens_predicted_seconds_total", "llamacpp:prompt_seconds_total"}, 1, ""},
	{"vLLM", "token", "vllm:generation_tokens_total", "vllm:request_success_total",
		[]string{"vllm:e2e_request_latency_seconds_sum"}, 1, "vllm:e2e_request_latency_seconds"},
	{"Triton", "inference", "nv_inference_count", "nv_inference_request_success",
		[]string{"nv_inference_request_duration_us"}, 1e6, ""},
}

// served is what a server has served since its start.
type served struct {
	units, requests, busyS float64
	latency                stats.Histogram // in seconds; empty where the server shows none
}

// page is a server's page of counters.
type page struct {
	values  map[string]float64
	buckets map[string]map[float64]float64 // of histograms: counts by upper bound
}

// of reads the counters from a page; false when one is missing.
func (c *counters) of(all page) (out served, ok bool) {
	if out.units, ok = all.values[c.units]; !ok {
		return out, false
	}
	if c.requests != "" {
		if out.requests, ok = all.values[c.requests]; !ok {
			return out, false
		}
	}
	for _, name := range c.busy {
		v, ok := all.values[name]
		if !ok {
			return out, false
		}
		out.busyS += v / c.perS
	}
	if list := all.buckets[c.latency]; c.latency != "" && list != nil {
		out.latency = stats.NewHistogram(list)
	}
	return out, true
}

// bucket matches the bound of a histogram's bucket among its labels.
var bucket = regexp.MustCompile(`[{,]\s*le="([^"]+)"`)

// parseCounters reads the text format of Prometheus; values of one name are added up over their labels, those of a
// histogram for each bucket. Other lines are left out.
func parseCounters(from io.Reader) (page, error) {
	out := page{map[string]float64{}, map[string]map[float64]float64{}}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), mostLine)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, rest := line, ""
		if i := strings.IndexAny(line, "{ \t"); i > 0 {
			name, rest = line[:i], line[i:]
		}
		labels := ""
		if rest != "" && rest[0] == '{' {
			i := strings.LastIndexByte(rest, '}') // a label may hold one
			if i < 0 {
				continue
			}
			labels, rest = rest[:i], rest[i+1:]
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			continue
		}
		v, err := strconv.ParseFloat(fields[0], 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 0) {
			continue
		}
		out.values[name] += v
		if of, ok := strings.CutSuffix(name, "_bucket"); ok {
			out.addBucket(of, labels, v)
		}
	}
	return out, lines.Err()
}

// addBucket adds the count of a bucket of a histogram.
func (p *page) addBucket(of, labels string, n float64) {
	le := bucket.FindStringSubmatch(labels)
	if le == nil {
		return
	}
	bound, err := strconv.ParseFloat(le[1], 64)
	if err != nil || math.IsNaN(bound) {
		return
	}
	if p.buckets[of] == nil {
		p.buckets[of] = map[float64]float64{}
	}
	p.buckets[of][bound] += n
}

const (
	pollEvery = 500 * time.Millisecond
	// mostUnread polls in a row end the measurement: the server is gone.
	mostUnread = 6
	mostPage   = 16 << 20
)

// live measures a server by its counters. It sends no request.
type live struct {
	o      Options
	http   *http.Client
	kind   counters
	last   served
	readAt time.Duration // by the device's clock
	unread int
	events []harness.Event
	count  int
}

var _ harness.Harness = (*live)(nil)

func newLive(ctx context.Context, o Options) (harness.Harness, error) {
	if o.Poll <= 0 {
		o.Poll = pollEvery
	}
	l := &live{o: o, http: newClient(o).http}
	all, err := l.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("counters at %s: %w", o.Counters, err)
	}
	for _, kind := range knownCounters {
		if now, ok := kind.of(all); ok {
			l.kind, l.last, l.readAt = kind, now, o.Clock.Now()
			l.emit(harness.Event{Kind: harness.Hello, Info: map[string]string{"protocol": "2", "kind": "infer",
				"unit": kind.unit, "runtime": kind.runtime}})
			return l, nil
		}
	}
	return nil, fmt.Errorf("counters at %s: none of llama-server (start it with --metrics), vLLM or Triton among %d",
		o.Counters, len(all.values))
}

func (l *live) read(ctx context.Context) (page, error) {
	ctx, cancel := context.WithTimeout(ctx, quick)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.o.Counters, nil)
	if err != nil {
		return page{}, err
	}
	a, err := l.http.Do(r)
	if err != nil {
		return page{}, shortly(err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(a.Body, mostJSON))
		return page{}, statusError(a.StatusCode, body)
	}
	return parseCounters(io.LimitReader(a.Body, mostPage))
}

func (l *live) emit(e harness.Event) {
	e.T = l.o.Clock.Now()
	l.events = append(l.events, e)
}

// Next returns the next event: what was served since the last poll.
func (l *live) Next(ctx context.Context) (harness.Event, error) {
	for len(l.events) == 0 {
		if err := l.o.Clock.Sleep(ctx, l.o.Poll); err != nil {
			return harness.Event{}, err
		}
		if err := l.poll(ctx); err != nil {
			return harness.Event{}, err
		}
	}
	e := l.events[0]
	l.events = l.events[1:]
	return e, nil
}

func (l *live) poll(ctx context.Context) error {
	all, err := l.read(ctx)
	now, ok := l.kind.of(all)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && !ok:
		err = errors.New("the counters of " + l.kind.runtime + " are gone")
		fallthrough
	case err != nil:
		if l.unread++; l.unread >= mostUnread {
			return fmt.Errorf("counters at %s: %s: the server is gone", l.o.Counters, text.OneLine(err.Error()))
		}
		return nil
	}
	l.unread = 0
	was, previous := l.last, l.readAt
	l.readAt = l.o.Clock.Now()
	done := served{units: now.units - was.units, requests: now.requests - was.requests, busyS: now.busyS - was.busyS}
	switch {
	case max(done.units, done.requests, done.busyS) > mostCounted:
		l.last = now
		l.emit(harness.Event{Kind: harness.Note, Message: fmt.Sprintf("the counters of the server rose by more than "+
			"%.0e at once, which is left out", mostCounted)})
	case done.units < 0 || done.requests < 0 || done.busyS < 0:
		l.last = now
		l.emit(harness.Event{Kind: harness.Note,
			Message: "the counters of the server started again from 0: was it restarted?"})
	case done.units < 1 || l.kind.requests != "" && done.requests < 1 || !(done.busyS > 0):
		// nothing was answered yet; work in progress counts with its answer
	default:
		l.last = now
		if l.kind.requests == "" { // no counter of answers: estimate their number from the usual length
			done.requests = math.Round(done.units / float64(max(1, l.o.OutputTokens)))
		}
		n := max(1, int(min(done.requests, mostTokens)))
		units, busyS, first := done.units/float64(n), done.busyS/float64(n), len(l.events)
		for range min(n, mostAtOnce) {
			l.emit(harness.Event{Kind: harness.Infer, N: max(1, count(int(math.Round(units)))), Batch: l.count,
				TimeMS: 1000 * busyS, Previous: previous})
			l.count++
		}
		if answered, ok := now.latency.Since(was.latency); ok && answered.N() > 0 {
			l.events[first].Answered = &answered
		}
	}
	return nil
}

const (
	mostAtOnce  = 256 // events of one poll
	mostCounted = 1e9 // tokens, answers or seconds between two polls: more is no count of what was served
)

// Stop stops reading. The server continues.
func (l *live) Stop(context.Context) error {
	l.http.CloseIdleConnections()
	return nil
}
