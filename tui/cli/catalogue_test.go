package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDeviceListsJetsonsAndMachinesToCompareWith(t *testing.T) {
	t.Parallel()
	text := jtune(t, "device", "--list").done(t).out
	for _, want := range []string{"AGX Xavier", "29,232", "Raspberry Pi 5, no Jetson, as stated elsewhere",
		"Edge TPU, no Jetson, as stated elsewhere: does not train", "not checked"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("the list does not say %q:\n%s", want, text)
		}
	}
	var list []map[string]any
	if err := json.Unmarshal([]byte(jtune(t, "device", "--list", "--json").done(t).out), &list); err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		switch d["name"] {
		case "Nano":
			if d["cores"] != 4.0 || d["modes"] != nil || d["jetson"] != true { // its memory clocks are not all known
				t.Errorf("got %v", d)
			}
		case "RTX A5000":
			if d["price_usd"] != nil || d["cores"] != nil || d["jetson"] != false {
				t.Errorf("what is not known is to be null: %v", d)
			}
		}
	}
}
