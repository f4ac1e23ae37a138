package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// smokeDisk creates disk $3 of the small machine in folder $1: the fake board's /etc, and OpenSSH with its dependencies
// from suite $2. This machine cannot run arm64 programs, so no package is configured.
const smokeDisk = `
dir=$1 suite=$2 disk=$3 root=$1/files
export PATH="$PATH:/usr/sbin:/sbin"
rm -rf "$root"
mmdebstrap --quiet --variant=extract --architectures=arm64 --include=dash,coreutils,openssh-server "$suite" "$root" \
  2>"$dir/log" || { cat "$dir/log"; exit 1; }
mkdir -p "$root/jtune" "$root/run/sshd" "$root/root" "$root/usr/local/bin"
cp -a "$dir/first/board/etc/." "$root/etc/"
install -m 755 "$dir/jtune" "$root/usr/local/bin/jtune"
ln -sf dash "$root/bin/sh"
printf 'root:*:0:0::/root:/bin/sh\nsshd:*:100:65534::/run/sshd:/bin/false\n' >"$root/etc/passwd"
ssh-keygen -q -t ed25519 -N '' -f "$root/etc/ssh/key"
truncate -s 512M "$disk"
mke2fs -q -t ext4 -d "$root" "$disk"
`

// smokeOfArm64 boots the small arm64 machine once: reading, setting, reverting, measuring, kills, and over SSH a lost
// connection and the screens.
func smokeOfArm64(ctx context.Context, l *lab) (count int, findings []string, err error) {
	b, err := l.newMedia(ctx, "arm64")
	if err != nil {
		return 0, nil, err
	}
	image := filepath.Join(l.dir, "arm64.img")
	if err := sh(ctx, smokeDisk, filepath.Join(l.dir, "arm64"), l.suite, image); err != nil {
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
	for line, err := range e.until("END smoke") {
		if err != nil {
			return count, findings, err
		}
		done, failed := strings.HasPrefix(line, "DONE "), strings.HasPrefix(line, "FAILED ")
		if done || failed {
			fmt.Fprintln(l.log, "arm64:", line)
			count++
		}
		if failed {
			before := e.said()
			findings = append(findings, line+"; before:\n"+strings.Join(before[max(0, len(before)-40):], "\n"))
		}
	}
	return count, findings, nil
}
