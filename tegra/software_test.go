package tegra

import (
	"slices"
	"testing"
)

func TestSoftwareDifferencesNamesWhatBothHave(t *testing.T) {
	t.Parallel()
	one := []string{"L4T 35.1", "JetPack 5.0.2", "kernel 5.10.104", "CUDA 11.4", "torch 2.0.0 on cuda", "fp16"}
	other := []string{"L4T 36.4", "CUDA 12.6", "torch 2.0.0 on cuda", "Linux 6.1", "fp32"}
	want := []string{"L4T 35.1 and 36.4", "CUDA 11.4 and 12.6"}
	if got := SoftwareDifferences(one, other); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := SoftwareDifferences(one, one); got != nil {
		t.Errorf("the same software: %q", got)
	}
	if got := SoftwareDifferences(nil, other); got != nil {
		t.Errorf("unknown software: %q", got)
	}
}
