package workload

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/arrivals"
	"jtune/internal/text"
	"jtune/profiles/harness"
)

// Kinds of workloads.
const (
	Train     = "train"
	Inference = "infer"
)

// Units of inference.
const (
	UnitInference = "inference"
	UnitToken     = "token"
	UnitFrame     = "frame"
)

// How often an inference job is started.
const (
	PerStream = "stream" // once: it keeps running while modes change
	PerRun    = "run"    // again for each mode
)

// Server is a program that answers requests over HTTP. In the user's file it is the table [workload.NAME.server]. A
// server that already runs is used unchanged, and never restarted or ended.
type Server struct {
	API   string `toml:"api,omitempty" json:"api"`     // openai or ollama
	URL   string `toml:"url,omitempty" json:"url"`     // such as http://127.0.0.1:8080
	Ready string `toml:"ready,omitempty" json:"ready"` // path that answers 200 when it is ready; the API's own when empty
	Model string `toml:"model,omitempty" json:"model"` // as the server calls it; the one it has loaded when empty
	// PromptTokens and OutputTokens are the tokens of each request; 512 and 128 when 0.
	PromptTokens int `toml:"prompt_tokens,omitempty" json:"prompt_tokens"`
	OutputTokens int `toml:"output_tokens,omitempty" json:"output_tokens"`
	Concurrency  int `toml:"concurrency,omitempty" json:"concurrency"` // requests outstanding at a time; 1 when 0
	// Beside names a workload of a virtual board whose power is combined with this machine's times; none when empty.
	Beside string `toml:"beside,omitempty" json:"beside"`
	// Counters is the address, or a path such as /metrics, of a running server's counters: modes are measured on its
	// real traffic, and jtune sends nothing.
	Counters string `toml:"counters,omitempty" json:"counters"`
	// Remote allows an address elsewhere than on the loopback: power stays this board's.
	Remote bool `toml:"-" json:"-"`
}

// Defaults of a server's requests.
const (
	defaultPrompt = 512
	defaultOutput = 128
)

// WithDefaults fills in what is not given.
func (s Server) WithDefaults() Server {
	s.PromptTokens = cmp.Or(s.PromptTokens, defaultPrompt)
	s.OutputTokens = cmp.Or(s.OutputTokens, defaultOutput)
	s.Concurrency = cmp.Or(s.Concurrency, 1)
	return s
}

// LatencyLimit is the latency that an inference workload must keep.
type LatencyLimit struct {
	LatencyMS float64 `toml:"latency_ms,omitempty" json:"latency_ms"`
	Quantile  float64 `toml:"quantile,omitempty" json:"quantile"` // 0.5, 0.95 or 0.99; 0.99 when 0
}

// Demand is how requests arrive. A server is sent requests at these times; for other programs a search computes the
// queue.
type Demand struct {
	Rate     float64 `toml:"rate,omitempty" json:"rate"`         // per s; 0: each request follows the answer to the last
	Arrivals string  `toml:"arrivals,omitempty" json:"arrivals"` // uniform or poisson; poisson when empty
	// MaxWaitMS is how long a batch waits to be filled; 0: until it is full.
	MaxWaitMS float64 `toml:"max_wait_ms,omitempty" json:"max_wait_ms"`
}

// Infers reports whether the workload answers requests instead of training.
func (w Workload) Infers() bool { return w.kind() == Inference }

func (w *Workload) kind() string {
	if w.Torch.Infer {
		return Inference
	}
	return cmp.Or(w.Kind, Train)
}

// UnitName returns the unit of an inference workload's speed and energy; "" for a training job.
func (w *Workload) UnitName() string {
	if !w.Infers() {
		return ""
	}
	return cmp.Or(w.Unit, UnitInference)
}

// UnitsPerBatch returns the units of inference in a batch; batch 0 is the workload's own size. For a server of a
// language model these are the tokens of an answer.
func (w *Workload) UnitsPerBatch(batch int) float64 {
	if w.Serves() && w.UnitName() == UnitToken {
		return float64(w.Server.WithDefaults().OutputTokens)
	}
	return float64(max(1, cmp.Or(batch, w.Batch)))
}

// Noun returns the name of one timed event of the workload.
func (w Workload) Noun() string {
	if w.Infers() {
		return "batch"
	}
	return "step"
}

// Restarts reports whether the job is restarted for each mode.
func (w *Workload) Restarts() bool { return w.Per == PerRun || harness.EndsWithSummary(w.Pattern) }

// inferFaults are the faults of the keys of inference.
func (w *Workload) inferFaults(add func(bad bool, key, why string, args ...any)) {
	oneOf := func(key, v string, known ...string) {
		add(v != "" && !slices.Contains(known, v), key, "%s %q: want %s", key, v, strings.Join(known, ", "))
	}
	oneOf("kind", w.Kind, Train, Inference)
	oneOf("unit", w.Unit, UnitInference, UnitToken, UnitFrame)
	oneOf("per", w.Per, PerStream, PerRun)
	oneOf("server.api", w.Server.API, APIOpenAI, APIOllama)
	add(w.Kind == Train && w.Torch.Infer, "kind", "kind = \"train\" and torch = { infer = true } exclude each other")
	for _, only := range []struct {
		key   string
		given bool
	}{{"unit", w.Unit != ""}, {"per", w.Per != ""}, {"server", w.Server != Server{}},
		{"limit", w.Limit != LatencyLimit{}},
		{"load", w.Load != Demand{}}} {
		add(only.given && !w.Infers(), only.key, "%s is only for inference: give kind = \"infer\" too", only.key)
	}
	for _, b := range w.Batches {
		add(b < 1 || b > 1<<20, "batches", "batches: %d is outside 1 to %d", b, 1<<20)
	}
	add(w.Per == PerStream && harness.EndsWithSummary(w.Pattern), "per",
		"pattern %s reads what a program prints when it ends: per = %q", w.Pattern, PerRun)
	w.Server.faults(add)
	add(w.Live() && len(w.Command) > 0, "server.counters", "server.counters: the server must already run: remove "+
		"command")
	add(w.Live() && w.Load != (Demand{}), "server.counters",
		"server.counters: nothing is sent, so there is no load: remove it")
	l := w.Limit
	add(l.LatencyMS < 0 || l.LatencyMS > 1e9, "limit.latency_ms",
		"limit.latency_ms %g is outside 0 to 1e9", l.LatencyMS)
	add(!slices.Contains([]float64{0, 0.5, 0.95, 0.99}, l.Quantile), "limit.quantile",
		"limit.quantile %g: want 0.5, 0.95 or 0.99", l.Quantile)
	d := w.Load
	add(d.Rate < 0 || d.Rate > 1e6, "load.rate", "load.rate %g is outside 0 to 1e6 per s", d.Rate)
	oneOf("load.arrivals", d.Arrivals, string(arrivals.Uniform), string(arrivals.Poisson))
	add(d.MaxWaitMS < 0 || d.MaxWaitMS > 1e6, "load.max_wait_ms", "load.max_wait_ms %g is outside 0 to 1e6",
		d.MaxWaitMS)
	add(d.MaxWaitMS > 0 && w.Serves(), "load.max_wait_ms", "load.max_wait_ms: a server makes its own batches")
	add(d.Arrivals != "" && d.Rate == 0, "load.arrivals", "load.arrivals needs load.rate, in requests per second")
}

// APIs of servers.
const (
	APIOpenAI = "openai"
	APIOllama = "ollama"
)

func (s *Server) faults(add func(bad bool, key, why string, args ...any)) {
	if *s == (Server{}) {
		return
	}
	live := s.Counters != ""
	add(live && !strings.HasPrefix(s.Counters, "/") && !webAddress(s.Counters), "server.counters",
		"server.counters %q: want an address such as http://127.0.0.1:8080/metrics, or a path", text.Clip(s.Counters))
	add(s.API == "" && !live, "server", "server without api: give api = \"openai\" or \"ollama\"")
	add(s.URL != "" && !webAddress(s.URL), "server.url",
		"server.url %q: want an address such as http://127.0.0.1:8080", text.Clip(s.URL))
	add(s.URL == "" && !(live && webAddress(s.Counters)), "server",
		"server without url: give url = \"http://127.0.0.1:8080\"")
	for _, n := range []struct {
		key string
		v   int
	}{{"server.prompt_tokens", s.PromptTokens}, {"server.output_tokens", s.OutputTokens},
		{"server.concurrency", s.Concurrency}} {
		add(n.v < 0 || n.v > 1<<20, n.key, "%s %d is outside 0 to %d", n.key, n.v, 1<<20)
	}
}

// webAddress reports whether an address names a server.
func webAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// identity returns the settings of a server that affect the measurement; its address does not.
func (s Server) identity() string {
	s = s.WithDefaults()
	live := ""
	if s.Counters != "" {
		live = " live"
	}
	return fmt.Sprintf("%s %q %d %d %d%s", s.API, s.Model, s.PromptTokens, s.OutputTokens, s.Concurrency, live)
}

// Local reports whether a server's address is this machine's.
func (s *Server) Local() bool { return s.local(s.URL) }

func (Server) local(address string) bool {
	if address == "" {
		return true
	}
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// WithEnv returns the workload with settings such as K=V added to its environment.
func (w Workload) WithEnv(settings []string) (Workload, error) {
	if len(settings) == 0 {
		return w, nil
	}
	env := maps.Clone(w.Env)
	if env == nil {
		env = map[string]string{}
	}
	for _, s := range settings {
		k, v, ok := strings.Cut(s, "=")
		if !ok || k == "" || strings.ContainsRune(s, 0) {
			return w, fmt.Errorf("%q cannot be set: want NAME=VALUE", text.Clip(s))
		}
		env[k] = v
	}
	w.Env = env
	return w, nil
}

// expand puts the batch size into the words of a command.
func (w *Workload) expand() []string {
	out := slices.Clone(w.Command)
	for i, word := range out {
		out[i] = strings.ReplaceAll(word, "${"+batchVariable+"}", strconv.Itoa(w.Batch))
	}
	if len(out) > 0 && !w.Own {
		out[0] = located(out[0])
	}
	return out
}
