package control

import (
	"bytes"
	"context"
	"net"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/usage"
)

func TestWakeSendsTheMagicPacket(t *testing.T) {
	t.Parallel()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer c.Close()
	must.NoError(t, Wake(context.Background(), "48:b0:2d:00:11:fe", c.LocalAddr().String()))
	got := make([]byte, 200)
	must.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
	n, _, err := c.ReadFrom(got)
	want := append(bytes.Repeat([]byte{0xff}, 6), bytes.Repeat([]byte{0x48, 0xb0, 0x2d, 0, 0x11, 0xfe}, 16)...)
	if err != nil || !bytes.Equal(got[:n], want) {
		t.Errorf("%x, %v", got[:n], err)
	}
	for _, bad := range []string{"", "x", "48:b0:2d:00:11", "02:00:5e:10:00:00:00:01"} {
		if err := Wake(context.Background(), bad, c.LocalAddr().String()); !usage.Is(err) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
