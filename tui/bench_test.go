package tui

import (
	"fmt"
	"testing"
)

// BenchmarkKeyOnFront is what one step along the front costs until the frame
// is drawn, with 18,096 modes on screen.
func BenchmarkKeyOnFront(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		for _, key := range []string{"right", "up", "]", "X"} {
			b.Run(fmt.Sprintf("%s-%dx%d", key, size[0], size[1]), func(b *testing.B) {
				d := drive(b).withView()
				d.size(size[0], size[1])
				d.press("5")
				d.r.View()
				for b.Loop() {
					d.press(key)
					d.r.View()
				}
			})
		}
	}
}

// BenchmarkFrame is what drawing each page costs, and one with a dialog over it.
func BenchmarkFrame(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		for _, scene := range []string{"1", "3", "4", "5", "6", "?"} {
			b.Run(fmt.Sprintf("%s-%dx%d", scene, size[0], size[1]), func(b *testing.B) {
				d := drive(b).withView()
				d.size(size[0], size[1])
				d.press(scene)
				for b.Loop() {
					d.r.draw()
				}
			})
		}
	}
}
