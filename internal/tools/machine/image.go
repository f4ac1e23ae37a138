package main

import (
	"context"
	_ "embed"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"jtune/tegra/tegratest"
)

//go:embed init.sh
var initScript []byte

const (
	boardName = "agx-orin-36"
)

// modules lists modules of Debian's cloud kernel that a disk needs, in order of their dependencies. ext4 and the
// console are built in; newer releases build in some of these too.
var modules = strings.Fields(`virtio/virtio_ring virtio/virtio virtio/virtio_pci_modern_dev
	virtio/virtio_pci_legacy_dev virtio/virtio_pci block/virtio_blk`)

// media is what an emulated machine boots from.
type media struct{ arch, kernel, initrd, jtune string }

// newMedia builds a kernel and an initramfs with busybox, jtune and a fake board's files.
func (l *lab) newMedia(ctx context.Context, arch string) (media, error) {
	l.media.Lock()
	defer l.media.Unlock()
	dir := filepath.Join(l.dir, arch)
	b := media{arch, filepath.Join(dir, "vmlinuz"), filepath.Join(dir, "initrd.gz"), filepath.Join(dir, "jtune")}
	if _, err := os.Stat(b.initrd); err == nil {
		return b, nil // built by an earlier call
	}
	first := filepath.Join(dir, "first") // the initramfs
	board := tegratest.New(boardName)
	board.FollowClocks()
	for name := range maps.Clone(board.Files) { // as root jtune reads the clock that a core runs at
		if path.Base(name) == "cpuinfo_cur_freq" {
			delete(board.Files, name)
			board.Links[name] = "scaling_max_freq"
		}
	}
	if err := board.WriteTo(filepath.Join(first, "board")); err != nil {
		return b, err
	}
	if err := os.WriteFile(filepath.Join(first, "init"), initScript, 0o755); err != nil {
		return b, err
	}
	return b, sh(ctx, `
arch=$1 suite=$2 dir=$3
shift 3
export PATH="$PATH:/usr/sbin:/sbin" SOURCE_DATE_EPOCH=0
CGO_ENABLED=0 GOARCH=$arch go build -trimpath -ldflags='-s -w' -o "$dir/jtune" .
mmdebstrap --quiet --variant=extract --architectures="$arch" --include="linux-image-cloud-$arch,busybox-static" \
  "$suite" "$dir/debian" 2>"$dir/log" || { cat "$dir/log"; exit 1; }
cp "$dir"/debian/boot/vmlinuz-* "$dir/vmlinuz"
cd "$dir/first"
mkdir -p bin modules data proc sys dev
usr=../debian # below which a release keeps its programs and modules
[ -e $usr/bin/busybox ] || usr=../debian/usr
cp $usr/bin/busybox ../jtune bin/
for m; do # those that the kernel does not have built in
  file=$(ls $usr/lib/modules/*/kernel/drivers/"$m".ko* 2>/dev/null) || continue
  case $file in *.xz) xz -dc "$file" >"modules/${m##*/}.ko" ;; *) cp "$file" modules/ ;; esac
  basename "$m"
done >modules/order
find . | cpio --quiet -o -H newc | gzip -1 >../initrd.gz
`, append([]string{arch, l.suite, dir}, modules...)...)
}

// disk creates an ext4 disk with a folder's files.
func disk(ctx context.Context, path, files, size string) error {
	return sh(ctx, `PATH="$PATH:/usr/sbin:/sbin"; truncate -s "$3" "$1"; mke2fs -q -t ext4 -d "$2" "$1"`, path, files, size)
}

// start boots a machine with a disk, without hardware acceleration: some hosts that offer it do not have it.
func (b media) start(ctx context.Context, disk, words string, more ...string) (*emulator, error) {
	program := "qemu-system-x86_64"
	args := []string{"-M", "q35"}
	always := []string{"-nodefaults", "-nographic", "-no-reboot", "-serial", "stdio"}
	console, cpu := "ttyS0", "max"
	if b.arch == "arm64" {
		program, args = "qemu-system-aarch64", []string{"-M", "virt"}
		console, cpu = "ttyAMA0", "cortex-a72" // the emulated max CPU signs each pointer, which is slow
	}
	args = append(args, "-cpu", cpu, "-m", "512", "-kernel", b.kernel, "-initrd",
		b.initrd, "-append", "console="+console+" quiet panic=-1 mitigations=off "+words,
		"-drive", "file="+disk+",if=virtio,format=raw,cache=writeback")
	args = slices.Concat(always, args, more)
	return start(ctx, program, append(args, "-accel", "tcg,thread=single")...) // unless more sets another
}
