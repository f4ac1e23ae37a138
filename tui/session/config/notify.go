package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/BurntSushi/toml"

	"jtune/internal/text"
	"jtune/profiles/harness"
)

// notifyTime limits the duration of each notification.
const notifyTime = 10 * time.Second

// Notify is the table [notify] of the configuration file: how the end of a campaign is announced. Without the table
// nothing is done.
type Notify struct {
	// Command is run with a sentence as its last argument, for example ["notify-send", "jtune"].
	Command []string `toml:"command"`
	// Webhook is an address in the user's own network that receives the end as JSON, by POST.
	Webhook string `toml:"webhook"`
	Bell    bool   `toml:"bell"` // of the terminal
}

// faults lists the invalid values.
func (n Notify) faults() (out []fault) {
	add := func(key, format string, args ...any) {
		out = append(out, fault{toml.Key{"notify", key}, fmt.Errorf("[notify] "+key+": "+format, args...)})
	}
	if n.Command != nil && (len(n.Command) == 0 || n.Command[0] == "") {
		add("command", "names no program; remove the key for none")
	}
	if n.Webhook != "" {
		u, err := url.Parse(n.Webhook)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			add("webhook", "%q is not an address such as http://127.0.0.1:8080/jtune", text.Clip(n.Webhook))
		} else if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !ownNetwork(ip) {
			add("webhook", "%s is not in your own network; give a loopback, private or link-local address, or a "+
				"name for one", ip)
		}
	}
	return out
}

// ownNetwork reports whether an address cannot lead to a host outside the user's network.
func ownNetwork(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
}

// CampaignEnd is the JSON sent to a webhook.
type CampaignEnd struct {
	Campaign string        `json:"campaign"` // name of its folder
	Workload string        `json:"workload"`
	Kind     string        `json:"kind"` // of the plan
	End      string        `json:"end"`  // "complete", …
	Modes    int           `json:"modes"`
	Error    text.Optional `json:"error"`
	Device   string        `json:"device"`
	Virtual  bool          `json:"virtual"`
	Text     string        `json:"text"` // everything in one sentence
}

// Notifier reads [notify] of the configuration.
func (o Paths) Notifier() (Notify, error) {
	own, err := o.OwnTables()
	return own.Notify, err
}

// Tell announces the end of a campaign in all configured ways, even if ctx has ended. The error lists the ways that
// failed; it does not fail the campaign.
func (n Notify) Tell(ctx context.Context, e CampaignEnd) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), notifyTime)
	defer cancel()
	var errs []error
	add := func(key string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("[notify] %s: %w", key, err))
		}
	}
	if n.Bell {
		add("bell", ring("/dev/tty"))
	}
	if n.Command != nil {
		add("command", runCommand(ctx, append(slices.Clone(n.Command), e.Text)))
	}
	if n.Webhook != "" {
		add("webhook", post(ctx, n.Webhook, e))
	}
	return errors.Join(errs...)
}

// ring sounds a terminal's bell without moving the cursor. Without a terminal it does nothing.
func ring(tty string) error {
	f, err := os.OpenFile(tty, os.O_WRONLY|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	_, err = f.WriteString("\a")
	return err
}

// runCommand runs a command from the user's configuration to its end.
func runCommand(ctx context.Context, command []string) error {
	h, err := harness.Exec(ctx, harness.ExecOptions{Command: command, Silence: notifyTime})
	if err != nil {
		return err
	}
	for err == nil {
		_, err = h.Next(ctx)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, h.Stop(context.WithoutCancel(ctx)))
}

// post sends the end to an address in the user's own network: no proxy, no redirection, and it checks the resolved
// address, not the name.
func post(ctx context.Context, address string, e CampaignEnd) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	dialer := net.Dialer{Control: func(_, to string, _ syscall.RawConn) error {
		if at, err := netip.ParseAddrPort(to); err != nil || !ownNetwork(at.Addr()) {
			return fmt.Errorf("%s is not in your own network", to)
		}
		return nil
	}}
	client := http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s", strings.SplitN(address, "?", 2)[0], answer.Status)
	}
	return nil
}
