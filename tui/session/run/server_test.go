package run

import (
	"context"
	"math"
	"net/http"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestRunOfAServerTellsTokensAndPhases(t *testing.T) {
	t.Parallel()
	s, server := sessiontest.BesideServer(t, "openai", 1)
	w := must.Get(workloads.Find(s, "chat"))(t)
	r := must.Get(Run(t.Context(), s, measure.RunRequest{Workload: w, NoRecord: true}, nil))(t)
	v := r.Character.Serving
	if v == nil || v.Unit != "token" || v.Units != sessiontest.AnswerTokens*r.Minibatches || r.Minibatches < 8 ||
		!v.UnitJ.OK ||
		v.Requests < 8 || v.TTFTMS.V != 1 || len(v.Phases) != 2 ||
		!v.Phases[1].PowerW.OK {
		t.Fatalf("%d requests: %+v", r.Minibatches, v)
	}
	if perS := 1000 * sessiontest.AnswerTokens / r.TimeMS; math.Abs(v.PerS.V/perS-1) > 1e-9 {
		t.Errorf("%v tokens/s, %v ms a request", v.PerS, r.TimeMS)
	}
	server.Config.Handler = http.NotFoundHandler()
	server.Close()
	if _, err := Run(context.Background(), s, measure.RunRequest{Workload: w, NoRecord: true}, nil); err == nil ||
		!strings.Contains(err.Error(), "no server answers at") {
		t.Errorf("a server that is gone: %v", err)
	}
	w.Server.URL = "http://192.0.2.1:8080"
	if _, err := Run(context.Background(), s, measure.RunRequest{Workload: w, NoRecord: true}, nil); err == nil ||
		!strings.Contains(err.Error(), "has no loopback address") {
		t.Errorf("a server elsewhere: %v", err)
	}
}
