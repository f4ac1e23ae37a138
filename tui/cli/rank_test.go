package cli

import (
	"net"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestRankOfModelsAndAMachineWithoutModes(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	o := jtune(t, "rank", "--models", "orin="+model+",low="+model, "--samples", "1000",
		"--power-limit", "orin=30,low=2", "--epoch-time", "pi=50000", "--period", "24h", "--idle-power", "7.5",
		"--sleep-power", "0.4", "--wake-energy", "300", "--wake-time", "40").done(t)
	lines := strings.Split(o.out, "\n")
	for i, want := range []string{"board ", "orin ", "pi ", "low "} {
		if !strings.HasPrefix(lines[i], want) {
			t.Fatalf("not in the order of their times, those that cannot last:\n%s", o.out)
		}
	}
	must.Contain(t, o.out, "DNR: no mode: fastest, power ≤ 2 W", "a round ends after 13.9 h", "orin: a pause of ",
		"sleeping pays, as in every pause longer than 40")
	v := jtune(t, "rank", "--models", "orin="+model, "--samples", "1000", "--round", "1h", "--json").done(t).
		object(t, "boards round_s energy_wh curve knee_s virtual")
	boards, _ := v["boards"].([]any)
	if len(boards) != 1 || v["curve"] != nil {
		t.Fatalf("%v", v)
	}
	hasKeys(t, boards[0], "name device virtual guess mode measured time_ms power_w epoch_s time_s energy_wh edp_js "+
		"dnr rest")
}

func TestWakeSaysWhereItSends(t *testing.T) {
	t.Parallel()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer c.Close()
	to := c.LocalAddr().String()
	must.Contain(t, jtune(t, "wake", "48:b0:2d:00:11:22", "--to", to).done(t).out, to)
}
