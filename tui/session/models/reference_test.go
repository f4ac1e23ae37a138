package models

import (
	"strings"
	"testing"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/tui/session/config"
)

func TestReferenceIsFoundByItsName(t *testing.T) {
	t.Parallel()
	o := config.Paths{DataDir: t.TempDir()}
	for name, want := range map[string]bool{"": false, "none": false, learn.ShippedName: true} {
		if r, err := Reference(o, name); err != nil || (r != nil) != want {
			t.Errorf("%q: got %v, %v", name, r, err)
		}
	}
	if _, err := Reference(o, "resnet"); !usage.Is(err) || !strings.Contains(err.Error(), learn.ShippedName) {
		t.Errorf("an unknown name: got %v, want a usage error that names the shipped one", err)
	}
}
