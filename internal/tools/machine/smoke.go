package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// smokeOfArm64 boots the small machine for arm64 once: reading, setting, reverting, measuring, kills and screens.
func smokeOfArm64(ctx context.Context, l *lab) (count int, findings []string, err error) {
	b, err := l.newMedia(ctx, "arm64")
	if err != nil {
		return 0, nil, err
	}
	files, image := filepath.Join(l.dir, "arm64/files"), filepath.Join(l.dir, "arm64.img")
	if err := os.MkdirAll(filepath.Join(files, "jtune"), 0o755); err != nil {
		return 0, nil, err
	}
	if err := sh(ctx, `cp -a "$1" "$2"`, filepath.Join(l.dir, "arm64/first/board/etc"), files); err != nil {
		return 0, nil, err
	}
	if err := disk(ctx, image, files, "96M"); err != nil {
		return 0, nil, err
	}
	e, err := b.start(ctx, image, "")
	if err != nil {
		return 0, nil, err
	}
	defer e.cut()
	if err := e.wait("READY"); err != nil {
		return 0, nil, err
	}
	fmt.Fprint(e.keys, "\nsmoke 1\n")
	if err := e.wait("END smoke"); err != nil {
		return 0, nil, err
	}
	for _, line := range e.said() {
		if strings.HasPrefix(line, "DONE ") || strings.HasPrefix(line, "FAILED ") {
			fmt.Fprintln(l.log, "arm64:", line)
			count++
		}
		if strings.HasPrefix(line, "FAILED ") {
			findings = append(findings, line)
		}
	}
	return count, findings, nil
}
