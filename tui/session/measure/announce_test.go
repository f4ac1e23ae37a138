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
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil || r.Method != http.MethodPost {
			t.Errorf("%s: %v", r.Method, err)
		}
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
	if e != want {
		t.Errorf("the webhook got %+v, want %+v", e, want)
	}
	if line, err := os.ReadFile(said); err != nil || strings.TrimSpace(string(line)) != want.Text {
		t.Errorf("the command got %q, %v", line, err)
	}
	if all := strings.Join(notes, "\n"); strings.Contains(all, "[notify]") {
		t.Errorf("something failed:\n%s", all)
	}
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
		if (err != nil) != (c.want != nil) {
			t.Errorf("%s: %v", name, err)
		}
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
	if err := ring(terminal); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(terminal); err != nil || string(text) != "\a" {
		t.Errorf("%q, %v", text, err)
	}
	if err := ring(terminal + "/none"); err != nil {
		t.Errorf("without a terminal: %v", err)
	}
}
