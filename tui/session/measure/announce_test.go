package measure

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// TestNotifyTellsTheEndOfACampaign measures two modes with each way but the bell configured.
func TestNotifyTellsTheEndOfACampaign(t *testing.T) {
	t.Parallel()
	got := make(chan CampaignEnd, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var e CampaignEnd
		must.NoError(t, json.NewDecoder(r.Body).Decode(&e))
		must.Equal(t, r.Method, http.MethodPost)
		got <- e
	}))
	defer server.Close()
	dir := t.TempDir()
	said, settings := filepath.Join(dir, "said"), filepath.Join(dir, "config.toml")
	text := fmt.Sprintf("[notify]\ncommand = ['sh', '-c', 'echo \"$1\" > %s', 'sh']\nwebhook = %q\n", said, server.URL)
	must.NoError(t, os.WriteFile(settings, []byte(text), 0o644))
	s := sessiontest.Open(t, session.Options{Device: "virtual:nano",
		Paths: config.Paths{DataDir: dir, Config: settings},
		Speed: math.Inf(1)})
	w, err := workloads.Find(s, "lstm")
	must.NoError(t, err)
	var notes []string
	r := ProfileRequest{Measuring: Measuring{Workload: w, Dir: filepath.Join(dir, "c1")}, Sample: 2}
	_, err = Profile(t.Context(), s, r, func(e Event) {
		note, _ := e.(NoteEvent)
		notes = append(notes, string(note))
	})
	must.NoError(t, err)
	e := <-got
	want := CampaignEnd{Campaign: "c1", Workload: "lstm", Kind: "sample", End: "complete", Modes: 2,
		Device:  "Nano",
		Virtual: true, Text: "sample of lstm on Nano: complete, 2 modes (VIRTUAL: a simulation, not a measurement)"}
	must.Equal(t, e, want)
	must.Equal(t, strings.TrimSpace(string(must.Read(t, said))), want.Text)
	must.Lack(t, strings.Join(notes, "\n"), "[notify]")
}

func TestNotifySaysWhatFailedAndNoMore(t *testing.T) {
	t.Parallel()
	moved := httptest.NewServer(http.RedirectHandler("http://example.com/", http.StatusFound))
	defer moved.Close()
	for name, c := range map[string]struct {
		n    config.Notify
		want []string
	}{
		"nothing asked for": {config.Notify{}, nil},
		"no such program":   {config.Notify{Command: []string{"/nonexistent/x"}}, []string{"[notify] command"}},
		"a program fails":   {config.Notify{Command: []string{"false"}}, []string{"[notify] command"}},
		"a redirection":     {config.Notify{Webhook: moved.URL}, []string{"[notify] webhook", "302"}},
		"nobody listens":    {config.Notify{Webhook: "http://127.0.0.1:1/"}, []string{"[notify] webhook", "refused"}},
		"a foreign address": {config.Notify{Webhook: "http://192.0.2.1/"}, []string{"not in your own network"}},
		"each is tried": {config.Notify{Command: []string{"false"}, Webhook: "http://127.0.0.1:1/"},
			[]string{"[notify] command", "[notify] webhook"}},
	} {
		err := announce(t.Context(), c.n, CampaignEnd{Text: "x"})
		must.Equal(t, err != nil, c.want != nil, name)
		for _, w := range c.want {
			if err != nil && !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v does not say %q", name, err, w)
			}
		}
	}
}

func TestNotifyRings(t *testing.T) {
	t.Parallel()
	terminal := filepath.Join(t.TempDir(), "tty")
	must.NoError(t, os.WriteFile(terminal, nil, 0o600))
	must.NoError(t, ring(terminal))
	must.Equal(t, string(must.Read(t, terminal)), "\a")
	must.NoError(t, ring(terminal+"/none"))
}
