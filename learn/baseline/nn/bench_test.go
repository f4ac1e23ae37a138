package nn

import (
	"context"
	"fmt"
	"testing"

	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// BenchmarkReference learns ResNet's time from all 4,368 modes: 100 passes over
// 3,931 rows.
func BenchmarkReference(b *testing.B) {
	x, y := columns(sweeptest.Load(b, sweeptest.ResNet), timeMS)
	for _, batch := range []int{16, 64} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			for b.Loop() {
				if _, err := Train(b.Context(), x, y, Config{Batch: batch}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTransfer carries both networks over to MobileNet from 50 modes, on
// two goroutines, as a user waits for it.
func BenchmarkTransfer(b *testing.B) {
	reference, _ := ResNetReference()
	samples := sweeptest.Load(b, sweeptest.MobileNet)
	var few []tegra.Measured
	for i := range 50 {
		few = append(few, samples[i*len(samples)/50])
	}
	for _, way := range []struct {
		name string
		c    Config
	}{{"as-used", ForTransfer()}, {"batch=64-steps=3000", Config{}}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := reference.Transfer(b.Context(), Medians(few), way.c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPredict predicts time in all 18,096 modes of an AGX Orin.
func BenchmarkPredict(b *testing.B) {
	reference, _ := ResNetReference()
	var x [][inputs]float64
	for cores := range 12 {
		for cpu := range 29 {
			for gpu := range 13 {
				for mem := range 4 {
					x = append(x, [inputs]float64{float64(cores + 1), 115 + 72*float64(cpu), 115 + 99*float64(gpu),
						204 + 998*float64(mem)})
				}
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		reference.Time.Predict(x)
	}
}

// BenchmarkAuthorsSets reports the errors [%] over MobileNet's 4,368 modes,
// median of the authors' ten sample sets of each size. It takes minutes.
//
//	go test -run '^$' -bench AuthorsSets -benchtime 1x -timeout 30m ./learn/nn
func BenchmarkAuthorsSets(b *testing.B) {
	reference, _ := ResNetReference()
	for _, n := range []int{10, 20, 50, 100} {
		for _, way := range []struct {
			name  string
			learn trainPair
			c     Config
		}{
			{"transfer", reference.Transfer, ForTransfer()},
			{"transfer-zero-config", reference.Transfer, Config{}},
			{"scratch", TrainPair, FromScratch()},
			{"scratch-standardised", TrainPair, Config{}},
		} {
			b.Run(fmt.Sprintf("%s/modes=%d", way.name, n), func(b *testing.B) {
				for b.Loop() {
					timePct, powerPct := mobileNet(b, n, 10, way.learn, way.c)
					b.ReportMetric(timePct, "time-%")
					b.ReportMetric(powerPct, "power-%")
				}
			})
		}
	}
}

type trainPair func(context.Context, []Sample, Config) (Pair, error)
