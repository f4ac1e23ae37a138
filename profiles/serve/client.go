package serve

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/internal/usage"
	"jtune/tegra"
)

// ErrModels means that no model was named and the server has several, or none.
var ErrModels = errors.New("which model is meant is not clear")

// answer is the result of a request.
type answer struct {
	begin, first, end   time.Duration // by the clock
	in, out             int           // tokens
	decoded             int           // of out, those that decodeMS covers
	pieces              int           // in which they came, where these time them; 0: the server says the times
	prefillMS, decodeMS tegra.Val[float64]
}

// about is what a server reports about itself.
type about struct {
	Runtime, Model, Precision string
	OnCPU                     bool
}

// client talks to a server. It follows no redirects, which could lead to another machine.
type client struct {
	o    Options
	http *http.Client
	bare atomic.Bool // the server rejects fields beyond OpenAI's API
	each atomic.Bool // its pieces are tokens: an answer of the longest length had as many of them
}

func newClient(o Options) *client {
	o.URL = strings.TrimSuffix(o.URL, "/")
	return &client{o: o, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// Limits of what is read.
const (
	mostJSON = 4 << 20
	mostLine = 1 << 20
)

// quick bounds the short requests.
const quick = 10 * time.Second

// get reads a JSON document; into nil reads nothing.
func (c *client) get(ctx context.Context, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, quick)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.o.URL+path, nil)
	if err != nil {
		return err
	}
	a, err := c.http.Do(r)
	if err != nil {
		return shortly(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(io.LimitReader(a.Body, mostJSON))
	switch {
	case err != nil:
		return shortly(err)
	case a.StatusCode != http.StatusOK:
		return statusError(a.StatusCode, body)
	case into == nil:
		return nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s answers no JSON: %.60q", path, text.OneLine(string(body[:min(60, len(body))])))
	}
	return nil
}

// shortly returns a connection error without the address, which is shown elsewhere.
func shortly(err error) error {
	var inner interface{ Unwrap() error }
	if errors.As(err, &inner) && inner.Unwrap() != nil && strings.HasPrefix(err.Error(), "Get ") ||
		strings.HasPrefix(err.Error(), "Post ") {
		return errors.Unwrap(err)
	}
	return err
}

func statusError(code int, body []byte) error {
	var o struct {
		Error any `json:"error"`
	}
	why := string(body[:min(300, len(body))])
	if json.Unmarshal(body, &o) == nil && o.Error != nil {
		why = errorText(o.Error)
	}
	return fmt.Errorf("HTTP status %d: %s", code, cmp.Or(text.OneLine(why), http.StatusText(code)))
}

// errorText returns the message of an error object, which is a string or has a message.
func errorText(v any) string {
	if m, ok := v.(map[string]any); ok {
		return text.OneLine(fmt.Sprint(m["message"]))
	}
	return text.OneLine(fmt.Sprint(v))
}

// ready returns nil when the server answers requests.
func (c *client) ready(ctx context.Context) error {
	if c.o.Ready != "" {
		return c.get(ctx, c.o.Ready, nil)
	}
	if c.o.API == Ollama {
		return c.get(ctx, "/api/version", nil)
	}
	return c.get(ctx, "/v1/models", nil)
}

// about asks which model is loaded, and what serves it.
func (c *client) about(ctx context.Context) (about, error) {
	if c.o.API == Ollama {
		return c.aboutOllama(ctx)
	}
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			OwnedBy string `json:"owned_by"`
		} `json:"data"`
	}
	if err := c.get(ctx, "/v1/models", &list); err != nil {
		return about{}, fmt.Errorf("server at %s: %w", c.o.URL, err)
	}
	a := about{Runtime: "OpenAI API", Model: c.o.Model}
	var names []string
	for _, m := range list.Data {
		names = append(names, m.ID)
		a.Runtime = cmp.Or(text.OneLine(m.OwnedBy), a.Runtime)
	}
	return a, c.choose(&a, names, "serves")
}

func (c *client) aboutOllama(ctx context.Context) (about, error) {
	type models struct {
		Models []struct {
			Name    string `json:"name"`
			Size    int64  `json:"size"`
			VRAM    int64  `json:"size_vram"`
			Details struct {
				Level string `json:"quantization_level"`
			} `json:"details"`
		} `json:"models"`
	}
	var version struct {
		Version string `json:"version"`
	}
	var loaded, installed models
	for path, into := range map[string]any{"/api/version": &version, "/api/ps": &loaded, "/api/tags": &installed} {
		if err := c.get(ctx, path, into); err != nil {
			return about{}, fmt.Errorf("server at %s: %w", c.o.URL, err)
		}
	}
	a := about{Runtime: "Ollama " + text.OneLine(version.Version), Model: c.o.Model}
	names := func(m models) (out []string) {
		for _, one := range m.Models {
			out = append(out, one.Name)
		}
		return out
	}
	list, verb := names(loaded), "has loaded"
	if len(list) == 0 {
		list, verb = names(installed), "has"
	}
	if err := c.choose(&a, list, verb); err != nil {
		return a, err
	}
	for _, m := range append(loaded.Models, installed.Models...) {
		if m.Name == a.Model || m.Name == a.Model+":latest" {
			a.Precision = cmp.Or(a.Precision, text.OneLine(m.Details.Level))
			a.OnCPU = a.OnCPU || m.Size > 0 && m.VRAM == 0 && len(loaded.Models) > 0
		}
	}
	return a, nil
}

// mostModel is the longest name of a model, in bytes: it is recorded unchanged.
const mostModel = 200

// choose takes the only model when none was named.
func (c *client) choose(a *about, names []string, verb string) error {
	switch {
	case a.Model != "":
		return nil
	case len(names) == 1 && (len(names[0]) > mostModel || names[0] != text.OneLine(names[0])):
		return fmt.Errorf("%w: its name at %s, %.40q, has more than %d bytes or control characters; give %s",
			ErrModels, c.o.URL, names[0], mostModel, usage.Weights.Value())
	case len(names) == 1:
		a.Model = names[0]
		return nil
	case len(names) == 0:
		return fmt.Errorf("%w: the server at %s %s none; load one, or give %s", ErrModels, c.o.URL, verb,
			usage.Weights.Value())
	}
	return fmt.Errorf("%w: the server at %s %s %s; give %s", ErrModels, c.o.URL, verb,
		text.OneLine(strings.Join(names, ", ")), usage.Weights.Value())
}

// ask sends one request and reads its stream to the end.
func (c *client) ask(ctx context.Context, prompt string, output int) (answer, error) {
	a, err := c.once(ctx, prompt, output)
	var status *refused
	if errors.As(err, &status) && !c.bare.Load() && c.o.API == OpenAI && status.code/100 == 4 {
		c.bare.Store(true) // perhaps for what only some servers know
		a, err = c.once(ctx, prompt, output)
	}
	if err != nil {
		return a, fmt.Errorf("server at %s: %w", c.o.URL, err)
	}
	return a, nil
}

// errStalls means that no text of an answer came for too long.
var errStalls = errors.New("it stalls")

// refused is a response with a status other than 200.
type refused struct {
	code int
	err  error
}

func (r *refused) Error() string { return r.err.Error() }

func (c *client) once(ctx context.Context, prompt string, output int) (answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := fmt.Errorf("nothing comes for %s: %w", units.Span(c.o.Silence), errStalls)
	watch := time.AfterFunc(c.o.Silence, func() { cancel(stalled) })
	defer watch.Stop()
	path, body := c.body(prompt, output)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.o.URL+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	s := stream{clock: c.o.Clock, a: answer{begin: c.o.Clock.Now()}, alive: func() { watch.Reset(c.o.Silence) }}
	reply, err := c.http.Do(r)
	if err == nil {
		defer reply.Body.Close()
		if reply.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(io.LimitReader(reply.Body, mostJSON))
			return answer{}, &refused{reply.StatusCode, statusError(reply.StatusCode, text)}
		}
		if err = s.read(reply.Body, c.o.API, output); err == nil {
			err = s.count(output, &c.each)
		}
		if err == nil {
			s.finish()
			err = s.believable(len(prompt), output)
		}
	}
	switch {
	case context.Cause(ctx) == stalled:
		return s.a, stalled
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF): // which the reader of events takes for an end
		return s.a, fmt.Errorf("the connection ended (%v): did it die? look at its log", shortly(err))
	case err != nil:
		return s.a, shortly(err)
	}
	return s.a, nil
}

func (c *client) body(prompt string, output int) (path string, body []byte) {
	if c.o.API == Ollama {
		body, _ = json.Marshal(map[string]any{"model": c.o.Model, "prompt": prompt, "stream": true, "raw": true,
			"keep_alive": "30m", "options": map[string]any{"num_predict": output, "temperature": 0}})
		return "/api/generate", body
	}
	ask := map[string]any{"model": c.o.Model, "prompt": prompt, "max_tokens": output, "temperature": 0, "stream": true,
		"stream_options": map[string]any{"include_usage": true}}
	if !c.bare.Load() {
		ask["ignore_eos"], ask["cache_prompt"] = true, false
	}
	body, _ = json.Marshal(ask)
	return "/v1/completions", body
}

// stream reads an answer that comes in pieces.
type stream struct {
	clock  tegra.Clock
	a      answer
	pieces int
	ended  bool
	alive  func() // called at each piece; nil: nobody waits
}

// read reads lines to the end of the answer.
func (s *stream) read(from io.Reader, api string, most int) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), mostLine)
	bad := 0
	for !s.ended && lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		err := s.openAI(line)
		if api == Ollama {
			err = s.ollama(line)
		}
		var broken *json.SyntaxError
		switch {
		case errors.As(err, &broken):
			if bad++; bad > 3 {
				shown := text.OneLine(string(line[:min(80, len(line))]))
				return fmt.Errorf("the answer is no JSON: %q", shown)
			}
		case err != nil:
			return err
		case s.pieces > 4*most+1000:
			return fmt.Errorf("%d pieces for a request of %d tokens: it does not end", s.pieces, most)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if !s.ended {
		return fmt.Errorf("the answer broke off after %d tokens", s.pieces)
	}
	return nil
}

// piece notes a piece of the answer that has text. Other pieces, and comments sent by proxies, are not progress.
func (s *stream) piece() {
	if s.alive != nil {
		s.alive()
	}
	if s.pieces++; s.pieces == 1 {
		s.a.first = s.clock.Now()
	}
}

// sane returns a duration that a server reports, of which perMS units make one ms.
func sane(v, perMS float64) tegra.Val[float64] {
	return tegra.Val[float64]{V: v / perMS, OK: v > 0 && v/perMS < 1e9}
}

const mostTokens = 1 << 20

func count(n int) int { return max(0, min(n, mostTokens)) }

// openAI reads a line of server-sent events.
func (s *stream) openAI(line []byte) error {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		if line[0] == ':' || bytes.HasPrefix(line, []byte("event:")) || bytes.HasPrefix(line, []byte("id:")) {
			return nil
		}
		return json.Unmarshal(line, &struct{}{})
	}
	if data = bytes.TrimSpace(data); string(data) == "[DONE]" {
		s.ended = true
		return nil
	}
	var o struct {
		Error   any `json:"error"`
		Choices []struct {
			Text     string `json:"text"`
			Thinking string `json:"reasoning_content"` // tokens as well
		} `json:"choices"`
		Usage *struct {
			In  int `json:"prompt_tokens"`
			Out int `json:"completion_tokens"`
		} `json:"usage"`
		Timings *struct {
			PromptMS  float64 `json:"prompt_ms"`
			PredictMS float64 `json:"predicted_ms"`
		} `json:"timings"`
	}
	if err := json.Unmarshal(data, &o); err != nil {
		return err
	}
	if o.Error != nil {
		return errors.New(errorText(o.Error))
	}
	if len(o.Choices) > 0 && o.Choices[0].Text+o.Choices[0].Thinking != "" {
		s.piece()
		s.a.end = s.clock.Now()
	}
	if o.Usage != nil {
		s.a.in, s.a.out = count(o.Usage.In), count(o.Usage.Out)
	}
	if t := o.Timings; t != nil {
		if p, d := sane(t.PromptMS, 1), sane(t.PredictMS, 1); p.OK && d.OK {
			s.a.prefillMS, s.a.decodeMS = p, d
		}
	}
	return nil
}

// ollama reads a line of Ollama's own API; its durations are nanoseconds.
func (s *stream) ollama(line []byte) error {
	var o struct {
		Error    any     `json:"error"`
		Response string  `json:"response"`
		Thinking string  `json:"thinking"` // tokens as well
		Done     bool    `json:"done"`
		In       int     `json:"prompt_eval_count"`
		InNS     float64 `json:"prompt_eval_duration"`
		Out      int     `json:"eval_count"`
		OutNS    float64 `json:"eval_duration"`
	}
	if err := json.Unmarshal(line, &o); err != nil {
		return err
	}
	if o.Error != nil {
		return errors.New(errorText(o.Error))
	}
	if o.Response+o.Thinking != "" {
		s.piece()
	}
	if s.ended = o.Done; o.Done {
		s.a.in, s.a.out, s.a.end = count(o.In), count(o.Out), s.clock.Now()
		if p, d := sane(o.InNS, 1e6), sane(o.OutNS, 1e6); p.OK && d.OK {
			s.a.prefillMS, s.a.decodeMS = p, d
		}
	}
	return nil
}

// Loaded returns the model that a running server has loaded, or the named one; "" when no server answers.
func Loaded(ctx context.Context, o Options) (model string, err error) {
	c := newClient(o)
	defer c.close()
	if c.ready(ctx) != nil {
		return "", nil
	}
	a, err := c.about(ctx)
	return a.Model, err
}
