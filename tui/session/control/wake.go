package control

import (
	"bytes"
	"context"
	"fmt"
	"net"

	"jtune/internal/text"
	"jtune/internal/usage"
)

// WakeAddress is the destination of a wake-up packet: every machine of the local network, UDP port 9.
const WakeAddress = "255.255.255.255:9"

// Wake sends the packet that wakes a board on the local network (Wake-on-LAN: six bytes 255, then the address 16
// times). There is no answer: the board either comes up or does not support it.
func Wake(ctx context.Context, mac, to string) error {
	address, err := net.ParseMAC(mac)
	if err != nil || len(address) != 6 {
		return usage.Errorf("%q is not a MAC address such as 48:b0:2d:00:11:22", text.Clip(mac))
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp", to)
	if err != nil {
		return fmt.Errorf("wake: %w", err)
	}
	defer conn.Close()
	packet := append(bytes.Repeat([]byte{255}, 6), bytes.Repeat(address, 16)...)
	if _, err := conn.Write(packet); err != nil {
		return fmt.Errorf("wake: %w", err)
	}
	return nil
}
