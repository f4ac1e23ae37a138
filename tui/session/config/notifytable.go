package config

import (
	"fmt"
	"net/netip"
	"net/url"

	"github.com/BurntSushi/toml"

	"jtune/internal/text"
)

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
		} else if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !OwnNetwork(ip) {
			add("webhook", "%s is not in your own network; give a loopback, private or link-local address, or a "+
				"name for one", ip)
		}
	}
	return out
}

// OwnNetwork reports whether an address cannot lead to a host outside the user's network.
func OwnNetwork(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
}

// Notifier reads [notify] of the configuration.
func (o Paths) Notifier() (Notify, error) {
	own, err := o.OwnTables()
	return own.Notify, err
}
