package config

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNotifySaysWhatFailedAndNoMore(t *testing.T) {
	t.Parallel()
	moved := httptest.NewServer(http.RedirectHandler("http://example.com/", http.StatusFound))
	defer moved.Close()
	for name, c := range map[string]struct {
		n    Notify
		want []string
	}{
		"nothing asked for": {Notify{}, nil},
		"no such program":   {Notify{Command: []string{"/nonexistent/x"}}, []string{"[notify] command"}},
		"a program fails":   {Notify{Command: []string{"false"}}, []string{"[notify] command"}},
		"a redirection":     {Notify{Webhook: moved.URL}, []string{"[notify] webhook", "302"}},
		"nobody listens":    {Notify{Webhook: "http://127.0.0.1:1/"}, []string{"[notify] webhook", "refused"}},
		"a foreign address": {Notify{Webhook: "http://192.0.2.1/"}, []string{"not in your own network"}},
		"each is tried": {Notify{Command: []string{"false"}, Webhook: "http://127.0.0.1:1/"},
			[]string{"[notify] command", "[notify] webhook"}},
	} {
		err := c.n.Tell(t.Context(), CampaignEnd{Text: "x"})
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
	if err := os.WriteFile(terminal, nil, 0o600); err != nil {
		t.Fatal(err)
	}
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

func TestNotifyKnowsItsOwnNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1": true, "::1": true, "10.1.2.3": true, "192.168.0.9": true, "172.16.0.1": true, "fd00::1": true,
		"169.254.1.1": true, "fe80::1": true, "::ffff:10.0.0.1": true,
		"8.8.8.8": false, "192.0.2.1": false, "2001:db8::1": false, "0.0.0.0": false, "::ffff:8.8.8.8": false,
	} {
		if got := ownNetwork(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
