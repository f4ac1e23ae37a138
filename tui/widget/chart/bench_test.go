package chart

import (
	"math"
	"testing"

	"jtune/internal/axis"
)

// benchCloud returns as many points as an AGX Orin has power modes.
func benchCloud() (xs, ys []float64) {
	const n = 18096
	xs, ys = make([]float64, n), make([]float64, n)
	for i := range xs {
		xs[i], ys[i] = 50+float64(i%997), 10+float64(i%89)/2
	}
	return xs, ys
}

func BenchmarkCloud(b *testing.B) {
	xs, ys := benchCloud()
	for b.Loop() {
		p := Plot{X: axis.NewScale(xs, true), Y: axis.NewScale(ys, false), XName: "ms", YName: "W"}
		p.Points(xs, ys, InkCloud)
		p.Render(160, 45, Plain)
	}
}

// BenchmarkCloudAndFront draws the Front page's plot at 200x50.
func BenchmarkCloudAndFront(b *testing.B) {
	xs, ys := benchCloud()
	var fx, fy []float64
	for i := range 60 {
		fx, fy = append(fx, 50*math.Pow(1.05, float64(i))), append(fy, 54-float64(i)*0.7)
	}
	for b.Loop() {
		p := Plot{X: axis.NewScale(xs, true), Y: axis.NewScale(ys, false), XName: "ms", YName: "W"}
		p.Points(xs, ys, InkCloud)
		p.Line(fx, fy, InkFront)
		p.Render(160, 45, Plain)
	}
}

// BenchmarkStream draws the busy chart of the Live page: three lines over two minutes.
func BenchmarkStream(b *testing.B) {
	var ts []float64
	var lines [3][]float64
	for i := range 120 {
		ts = append(ts, float64(i-119))
		for k := range lines {
			lines[k] = append(lines[k], 50+40*math.Sin(float64(i)/9+float64(k)))
		}
	}
	for b.Loop() {
		p := Plot{X: axis.Scale{Lo: -120, Hi: 0}, Y: axis.FromZero(100), XName: "s", YName: "%"}
		for k := range lines {
			p.Line(ts, lines[k], InkSeries)
		}
		p.Render(96, 16, Plain)
	}
}

func BenchmarkSpark(b *testing.B) {
	var load []float64
	for i := range 12 {
		load = append(load, float64(i*8))
	}
	for b.Loop() {
		Spark(load, 100, 12)
	}
}
