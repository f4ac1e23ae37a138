package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"jtune/internal/arrivals"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/harness"
	"jtune/profiles/serve"
)

// ErrNoWeights means that the workload runs any model and none was named.
var ErrNoWeights = errors.New("it needs a model")

// weightsVariable is the placeholder for the file of weights in a command.
const weightsVariable = "${JTUNE_WEIGHTS}"

// Serves reports whether a server answers the workload's requests.
func (w *Workload) Serves() bool { return w.Server != Server{} }

// About says what a workload runs: its title, its model and data, its server, or its command.
func (w Workload) About() string {
	switch {
	case w.Title != "" && w.Title != w.Name:
		return w.Title
	case w.Model != "" && w.Dataset != "":
		return w.Model + " on " + w.Dataset
	case w.Serves():
		return strings.TrimSpace(w.Model + " of the server at " + w.Server.URL)
	case len(w.Command) > 0:
		return text.Clip(strings.Join(w.Command, " "))
	}
	return w.Model + w.Dataset
}

// Beside reports whether the job really runs on this machine, beside a virtual board.
func (w *Workload) Beside() bool {
	return w.Elsewhere != nil || w.OnHost || w.Torch.Beside || w.Serves() && w.Server.Beside != ""
}

// WithWeights names the model: a file for a command, or the name by which a server knows it.
func (w Workload) WithWeights(name string) (Workload, error) {
	if name == "" {
		return w, nil
	}
	command := slices.Clone(w.Command)
	for i, word := range command {
		command[i] = strings.ReplaceAll(word, weightsVariable, name)
	}
	if slices.Equal(command, w.Command) && !w.Serves() {
		return w, fmt.Errorf("workload %s takes no %s: its command does not contain %s", w.Name, usage.Weights,
			weightsVariable)
	}
	w.Command = command
	if w.Serves() {
		w.Server.Model = name
	}
	return w, nil
}

// Discover asks a running server for its loaded model, if none is named, and which processor it uses. With several
// models, or none, the error wraps serve.ErrModels.
func (w Workload) Discover(ctx context.Context) (Workload, error) {
	if !w.Serves() || w.Live() || w.Server.reachable() != nil {
		return w, nil
	}
	name, err := serve.Loaded(ctx, w.serveOptions(HarnessOptions{}))
	if err != nil {
		return w, fmt.Errorf("workload %s: %w", w.Name, err)
	}
	if name == "" { // no server runs: its command starts one
		return w, nil
	}
	w.Server.Model = name
	if w.Command != nil {
		w.Command = slices.Clone(w.Command)
		for i, word := range w.Command {
			w.Command[i] = strings.ReplaceAll(word, weightsVariable, name)
		}
	}
	return w, nil
}

// reachable returns an error for a server on another machine: its power is not this board's.
func (s *Server) reachable() error {
	if !(s.Local() && s.local(s.counters())) && !s.Remote {
		return fmt.Errorf("server %s has no loopback address, and jtune can only measure this board's power; run "+
			"jtune there, or give %s if the address is this board's", s.URL, usage.Remote)
	}
	return nil
}

// Live reports whether modes are measured on the real traffic of a running server.
func (w *Workload) Live() bool { return w.Server.Counters != "" }

// UnitsOfRequest returns how many units a request counts as when real requests, of any length, are measured; 0 for
// generated requests.
func (w *Workload) UnitsOfRequest() int {
	switch {
	case !w.Live():
		return 0
	case w.UnitName() == UnitToken:
		return w.Server.WithDefaults().OutputTokens
	}
	return 1
}

// counters is the address of the counters; "" where none are given.
func (s *Server) counters() string {
	if strings.HasPrefix(s.Counters, "/") {
		return strings.TrimSuffix(s.URL, "/") + s.Counters
	}
	return s.Counters
}

func (w *Workload) serveOptions(o HarnessOptions) serve.Options {
	s := w.Server.WithDefaults()
	start, silence := w.silence(o)
	return serve.Options{API: s.API, URL: s.URL, Counters: s.counters(), Ready: s.Ready, Model: s.Model,
		PromptTokens: s.PromptTokens, OutputTokens: s.OutputTokens, Load: w.Load.arrivals(s.Concurrency),
		Silence: max(start, silence), Clock: o.Clock, Start: harness.ExecOptions{
			Command: w.expand(), Dir: w.Dir, Env: w.environment(o), Log: o.Log, Name: w.Name,
			Container: w.Container}}
}

// arrivals is the load that is sent: requests at a rate, or that many outstanding.
func (d Demand) arrivals(outstanding int) arrivals.Load {
	if d.Rate == 0 {
		return arrivals.Load{Pattern: arrivals.Closed, Outstanding: outstanding}
	}
	return arrivals.Load{Pattern: cmp.Or(arrivals.Pattern(d.Arrivals), arrivals.Poisson), RatePerS: d.Rate}
}

// newServer returns the function that starts to measure the workload's server. With a virtual board, this machine's
// times are combined with the power of a workload that the board simulates.
func (w Workload) newServer(o HarnessOptions) func(context.Context, int) (harness.Harness, error) {
	return func(ctx context.Context, batch int) (harness.Harness, error) {
		w := w.AtBatch(batch)
		if err := w.Ready(); err != nil {
			return nil, fmt.Errorf("workload %s: %w", w.Name, err)
		}
		begin := func() (harness.Harness, error) {
			h, err := serve.New(ctx, w.serveOptions(o))
			if err != nil {
				return nil, fmt.Errorf("workload %s: %w", w.Name, err)
			}
			return h, nil
		}
		if o.Virtual != nil {
			return harness.Alongside(o.Virtual, w.Server.Beside, 0, true, begin)
		}
		return begin()
	}
}
