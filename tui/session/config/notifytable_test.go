package config

import (
	"net/netip"
	"testing"

	"jtune/internal/must"
)

func TestNotifyKnowsItsOwnNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1": true, "::1": true, "10.1.2.3": true, "192.168.0.9": true, "172.16.0.1": true, "fd00::1": true,
		"169.254.1.1": true, "fe80::1": true, "::ffff:10.0.0.1": true,
		"8.8.8.8": false, "192.0.2.1": false, "2001:db8::1": false, "0.0.0.0": false, "::ffff:8.8.8.8": false,
	} {
		must.Equal(t, OwnNetwork(netip.MustParseAddr(address)), want, address)
	}
}
