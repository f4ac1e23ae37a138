package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/text"
	"jtune/profiles/harness"
	"jtune/profiles/load"
	"jtune/tegra"
)

// Options say which server is measured, and how.
type Options struct {
	API          string // OpenAI or Ollama
	URL          string
	Ready        string // path that answers 200 when the server is ready; the API's own when empty
	Model        string // the one that is loaded when empty
	PromptTokens int    // of each request, about
	OutputTokens int
	Load         arrivals.Load
	// Counters is the address of a server's counters: the server is measured on its real traffic, and jtune sends
	// nothing. Poll is the interval of reading them; half a second.
	Counters string
	Poll     time.Duration

	Start   harness.ExecOptions // starts the server where none answers; no command: it must run
	Silence time.Duration       // how long an answer may stall, by the machine's clock; 60 s
	Clock   tegra.Clock         // stamps events; the machine's when nil
}

// APIs.
const (
	OpenAI = "openai"
	Ollama = "ollama"
)

// startUp is how long a server may load its model.
const startUp = 10 * time.Minute

// mostFailures in a row end the measurement: the server does not work.
const mostFailures = 3

// retryAfter is how long the next request waits after a failed one.
const retryAfter = 500 * time.Millisecond

// server is a running measurement.
type server struct {
	o      Options
	client *client
	child  harness.Harness // nil: the server was there
	died   chan error      // of the child
	cancel context.CancelFunc
	onCPU  bool        // which was reported
	short  atomic.Bool // that answers are shorter than asked for was reported
	dense  atomic.Bool // that there are more tokens than pieces was
	events chan harness.Event
	done   chan struct{} // closed when no request is under way any more

	mu       sync.Mutex
	words    float64 // per prompt token
	last     time.Duration
	answered int
	failures int
	err      error // how it ended
}

var _ harness.Harness = (*server)(nil)

// New starts to measure a server. ctx only covers the start.
func New(ctx context.Context, o Options) (harness.Harness, error) {
	if o.Clock == nil {
		o.Clock = tegra.RealClock()
	}
	if o.Counters != "" {
		return newLive(ctx, o)
	}
	o.Silence = cmp.Or(o.Silence, harness.DefaultSilence)
	o.PromptTokens, o.OutputTokens = max(1, o.PromptTokens), max(1, o.OutputTokens)
	s := &server{o: o, client: newClient(o), died: make(chan error, 1), events: make(chan harness.Event, 4096),
		done: make(chan struct{}), words: 1}
	if err := s.reach(ctx); err != nil {
		s.endChild()
		return nil, err
	}
	about, err := s.client.about(ctx)
	if err != nil {
		s.endChild()
		return nil, err
	}
	s.client.o.Model = about.Model
	s.hello(about)
	running, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go s.run(running)
	return s, nil
}

// reach waits until the server answers, and starts it if none does.
func (s *server) reach(ctx context.Context) error {
	why := s.client.ready(ctx)
	if why == nil {
		return nil
	}
	if len(s.o.Start.Command) == 0 {
		return fmt.Errorf("no server answers at %s (%w): start it, or give command = [\"program\", \"argument\"] "+
			"in its [workload.NAME]", s.o.URL, why)
	}
	var err error
	start := s.o.Start
	start.Silence = math.MaxInt64 / 4 // its lines are no events
	if s.child, err = harness.Exec(ctx, start); err != nil {
		return err
	}
	go func() {
		for {
			if _, err := s.child.Next(context.Background()); err != nil {
				s.died <- err
				return
			}
		}
	}()
	for until := time.Now().Add(startUp); time.Now().Before(until); {
		select {
		case err := <-s.died:
			return s.gone(err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
		if why = s.client.ready(ctx); why == nil {
			return nil
		}
	}
	return fmt.Errorf("the server at %s is not ready after %s: %w", s.o.URL, startUp, why)
}

// gone returns the error for a started server that has ended.
func (s *server) gone(err error) error {
	s.child = nil
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the server %s ended by itself before it answered at %s", text.OneLine(s.o.Start.Command[0]),
			s.o.URL)
	}
	return err
}

func (s *server) endChild() {
	if s.child != nil {
		s.child.Stop(context.Background())
	}
}

func (s *server) hello(a about) {
	info := map[string]string{"protocol": "2", "kind": "infer", "unit": "token", "runtime": a.Runtime, "model": a.Model,
		"precision": a.Precision}
	s.emit(harness.Event{Kind: harness.Hello, Info: info})
	s.warnOfCPU(a)
}

// warnOfCPU says that the model runs on the CPU, once.
func (s *server) warnOfCPU(a about) {
	if a.OnCPU && !s.onCPU {
		s.onCPU = true
		s.emit(harness.Event{Kind: harness.Note, Message: fmt.Sprintf("the server at %s runs %s on the CPU: install "+
			"its build for CUDA (on a Jetson that of JetPack)", s.o.URL, a.Model)})
	}
}

// emit queues an event, at the present time unless it has one. A slow reader loses the oldest events.
func (s *server) emit(e harness.Event) {
	if e.T == 0 {
		e.T = s.o.Clock.Now()
	}
	for {
		select {
		case s.events <- e:
			return
		default:
		}
		select {
		case <-s.events:
		default:
		}
	}
}

// warmUp is how many requests do not count; the first of them is short.
const warmUp = 2

// run sends requests until it is stopped or the server fails.
func (s *server) run(ctx context.Context) {
	defer close(s.done)
	err := s.warm(ctx)
	if err == nil {
		err = load.Send(ctx, load.Options{Load: s.o.Load, Seed: LoadSeed, Clock: s.o.Clock, For: math.MaxInt64 / 2},
			s.request)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && err != nil && ctx.Err() == nil {
		s.err = err
	}
	close(s.events)
}

// warm sends the requests that do not count: the first loads the model and tells how many words make a token.
func (s *server) warm(ctx context.Context) error {
	for n := range warmUp {
		prompt := 16
		if n > 0 {
			prompt = s.o.PromptTokens
		}
		a, err := s.client.ask(ctx, s.prompt(prompt, -n), min(s.o.OutputTokens, 1<<(4+3*n)))
		if err != nil {
			return s.failed(err)
		}
		if n == 0 && a.in > 0 {
			s.words = min(4, 16/float64(a.in))
		}
		e := s.batch(a)
		e.Unclean = true
		s.emit(e)
	}
	s.emit(harness.Event{Kind: harness.Warm, N: warmUp})
	if a, err := s.client.about(ctx); err == nil { // now the model is loaded, which tells where
		s.warnOfCPU(a)
	}
	return nil
}

// failed adds to an error what is known of the server's end.
func (s *server) failed(err error) error {
	select {
	case end := <-s.died:
		return s.gone(end)
	default:
		return err
	}
}

// request sends one request and emits its result.
func (s *server) request(ctx context.Context, number int, due time.Duration) {
	a, err := s.client.ask(ctx, s.prompt(s.o.PromptTokens, number), s.o.OutputTokens)
	if err != nil {
		s.fail(ctx, a.begin, err)
		return
	}
	s.mu.Lock()
	s.failures = 0
	s.mu.Unlock()
	if a.out < s.o.OutputTokens && !s.short.Swap(true) {
		s.emit(harness.Event{Kind: harness.Note, Message: fmt.Sprintf("the server at %s ends its answers early: %s of "+
			"%d asked for: a token's share of the prompt is larger than in answers of full length", s.o.URL,
			text.Count(a.out, "token"), s.o.OutputTokens)})
	}
	if a.pieces > 1 && 4*a.out >= 5*a.pieces && !s.dense.Swap(true) {
		s.emit(harness.Event{Kind: harness.Note, Message: fmt.Sprintf("the server at %s counts %s in %s: if some come "+
			"without text, as those of hidden reasoning do, the first token looks later and decoding faster than they "+
			"are", s.o.URL, text.Count(a.out, "token"), text.Count(a.pieces, "piece"))})
	}
	e := s.batch(a)
	told := harness.Event{Kind: harness.Request, T: a.end, Arrive: due, Start: a.begin, First: a.first, In: a.in,
		Out: a.out, N: max(1, a.out), Decoded: a.decoded}
	if s.o.Load.Open() {
		told.LateMS = ms(max(0, a.begin-due))
	}
	s.emit(told)
	s.emit(e)
}

// LoadSeed is the seed of the send times in an open loop, the same in every mode.
const LoadSeed = 1

// single reports whether only one request at a time is outstanding, so that the parts of its time belong to it alone.
func (s *server) single() bool { return !s.o.Load.Open() && s.o.Load.Outstanding <= 1 }

// fail counts a request that began at a time and failed. Too many in a row end the measurement, and a stall in
// which no other was answered either.
func (s *server) fail(ctx context.Context, begin time.Duration, err error) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	s.failures++
	hangs := errors.Is(err, errStalls) && s.last <= begin
	if (hangs || s.failures >= mostFailures) && s.err == nil {
		s.err = s.failed(err)
		s.cancel()
	}
	s.mu.Unlock()
	s.emit(harness.Event{Kind: harness.Note, Message: "a request failed: " + err.Error()})
	pause := time.NewTimer(retryAfter)
	defer pause.Stop()
	select {
	case <-ctx.Done():
	case <-pause.C:
	}
}

// batch returns the event of an answer. With several requests at a time, or at a rate, each gets the time since the
// last answer, so that the times add up.
func (s *server) batch(a answer) harness.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := a.begin
	if !s.single() && s.last > 0 {
		from = s.last
	}
	s.last = max(s.last, a.end)
	e := harness.Event{Kind: harness.Infer, T: a.end, N: max(1, a.out), Batch: s.answered,
		TimeMS: max(1e-3, ms(a.end-from))}
	if s.single() {
		e.PrefillMS, e.DecodeMS, e.Decoded = a.prefillMS, a.decodeMS, a.decoded
	}
	e.In = a.in
	s.answered++
	return e
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// prompt makes up a text of about that many tokens, whose first words contain its number.
func (s *server) prompt(tokens, number int) string {
	out := []byte("request " + strconv.Itoa(number) + ":")
	words := []string{"the", "board", "reads", "a", "clock", "and", "writes", "its", "power", "down"}
	for i := range max(1, int(float64(tokens)*s.words)) {
		out = append(append(out, ' '), words[uint(i*7+number*3+i/10)%uint(len(words))]...)
	}
	return string(out)
}

// Next returns the next event.
func (s *server) Next(ctx context.Context) (harness.Event, error) {
	select {
	case e, ok := <-s.events:
		if ok {
			return e, nil
		}
	case <-ctx.Done():
		return harness.Event{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return harness.Event{}, s.err
	}
	return harness.Event{}, io.EOF
}

// Stop ends the requests, and the server where it was started here.
func (s *server) Stop(ctx context.Context) error {
	s.cancel()
	<-s.done
	s.client.close()
	if s.child != nil {
		return s.child.Stop(ctx)
	}
	return nil
}
