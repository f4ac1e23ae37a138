package tui

import (
	"fmt"
	"testing"
)

// BenchmarkKeyOnFront measures one step along the front including its frame, with 18,096 modes on screen.
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

// BenchmarkFrame measures drawing each page, and one with a dialog.
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
