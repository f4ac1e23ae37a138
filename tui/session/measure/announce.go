package measure

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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"jtune/internal/text"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// notifyTime limits the duration of each notification.
const notifyTime = 10 * time.Second

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

// campaignEnd describes the end of a campaign.
func campaignEnd(s *session.Session, dir string, h record.Header, sum profiles.Summary, err error) CampaignEnd {
	b := s.Device.Board()
	e := CampaignEnd{Campaign: filepath.Base(dir), Workload: h.Workload.Name, Kind: h.Plan.Kind,
		End:   sum.End.String(),
		Modes: len(record.Modes(sum.Rows)), Device: b.Name, Virtual: b.Virtual}
	e.Text = fmt.Sprintf("%s of %s on %s: %s, %s", e.Kind, e.Workload, e.Device, e.End, text.Count(e.Modes, "mode"))
	if err != nil {
		e.Error = text.Optional(text.OneLine(err.Error()))
		e.Text += ": " + string(e.Error)
	}
	if mark := tegra.VirtualMark(b.Origin()); mark != "" {
		e.Text += " " + mark
	}
	return e
}

// announce announces the end of a campaign in all configured ways, even if ctx has ended. The error lists the ways that
// failed; it does not fail the campaign.
func announce(ctx context.Context, n config.Notify, e CampaignEnd) error {
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
		if at, err := netip.ParseAddrPort(to); err != nil || !config.OwnNetwork(at.Addr()) {
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
