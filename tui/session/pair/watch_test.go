package pair

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/usage"
	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

func TestParsePairTakesTwoJobsInEitherOrder(t *testing.T) {
	t.Parallel()
	list := must.Get(workload.Load(""))(t)
	for _, line := range []string{"resnet18 + mobilenet-infer", "mobilenet-infer+resnet18",
		" RESNET18 +mobilenet-infer "} {
		p, err := ParsePair(list, line)
		if err != nil || PairName(p.Train.Name, p.Infer.Name) != "resnet18 + mobilenet-infer" {
			t.Errorf("%q: %s + %s, %v", line, p.Train.Name, p.Infer.Name, err)
		}
	}
	for line, want := range map[string]string{
		"resnet18": "want two workloads",
		"resnet18 + mobilenet-infer + bert-infer": "want two workloads",
		"resnet18 + ":                              `"" is not a workload`,
		"resnet18 + resnet99":                      `"resnet99" is not a workload`,
		"resnet18 + mobilenet":                     "two training jobs",
		"resnet18-infer + mobilenet-infer":         "two inference jobs",
		"resnet18 + " + strings.Repeat("long", 99): "is not a workload",
	} {
		if _, err := ParsePair(list, line); !usage.Is(err) || !strings.Contains(err.Error(), want) ||
			len(err.Error()) > 200 {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

func TestPairPartnersCanShareAGPU(t *testing.T) {
	t.Parallel()
	list := must.Get(workload.Load(""))(t)
	for _, name := range []string{"resnet18", "mobilenet-infer"} {
		w := must.Get(workload.Find(list, name))(t)
		partners := PairPartners(list, w)
		if len(partners) < 5 {
			t.Errorf("%s has %d partners", name, len(partners))
		}
		for _, other := range partners {
			if _, err := ParsePair(list, PairName(name, other.Name)); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestPairLimitsNameTheQuantileThatWasRead(t *testing.T) {
	t.Parallel()
	p := record.Pair{Latency: record.Latency{N: 1000, P50: 10, P95: 20, P99: 30}}
	for share, want := range map[float64]PairLimit{0.9: {"p95", tegra.Some(20.), 25, "ms"},
		0.99: {"p99", tegra.Some(30.), 25, "ms"}} {
		got := PairLimits(mix.Ask{Quantile: share, LatencyMS: 25}, p)
		must.Equal(t, len(got), 1, want)
		must.Equal(t, got[0], want, want)
	}
}
