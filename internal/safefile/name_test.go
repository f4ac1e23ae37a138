package safefile

import "testing"

func TestNamesHaveNoWayOut(t *testing.T) {
	for in, want := range map[string]string{"resnet18": "resnet18", "../etc": "_._etc", "my net/2": "my_net_2",
		".x": "_x"} {
		if got := Name(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
