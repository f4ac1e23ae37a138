package nn

import (
	"testing"

	"jtune/tegra/sweep/sweeptest"
)

func BenchmarkReference(b *testing.B) {
	x, y := columns(sweeptest.Load(b, sweeptest.ResNet), timeMS)
	for b.Loop() {
		n, err := Train(x, y, Config{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(n.Report.BestLoss, "loss")
	}
}
