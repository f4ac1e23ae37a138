#!/bin/busybox sh
# First process of the emulated machines. "run=system" among the kernel's words starts the Debian system of the disk.
# Else it waits for a line on the console, the name of what jtune shall do and the seed of its draws: the machine is
# saved at this point, and each power cut begins here.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts && mount -t devpts devpts /dev/pts
for m in $(cat /modules/order); do insmod /modules/$m.ko; done
until [ -b /dev/vda ]; do sleep 0.05; done
mount -t ext4 /dev/vda /data || exit 1
if grep -qw run=system /proc/cmdline; then
  umount /dev/pts /proc /sys
  exec switch_root /data /sbin/init
fi

cd /data
mount --bind /data/etc /board/etc # knobs begin anew with each boot, the unit of --at-boot stays
export HOME=/data PATH=/bin:/
jtune --version >/dev/null # into the page cache
echo READY
until [ -n "$seed" ]; do read -r run seed; done # the first character may be lost
virtual() { jtune --device virtual:agx-orin --speed 300 --data-dir /data/jtune --log-file /data/log --seed "$seed" "$@"; }
board() { jtune --device jetson --sysroot /board --log-file /data/log "$@"; }
done=0
did() { # did WORDS…: carries them out, and says so once they are done
  if "$@" >/dev/null 2>/said; then
    done=$((done + 1))
    echo "DONE $done $*"
  else
    echo "FAILED $*: $(cat /said)"
  fi
}
echo "BEGIN $run"
case $run in
  profile) virtual profile resnet --sample 100 --minibatches 10 --out /data/jtune/campaigns/cut ;;
  tune) virtual tune resnet --power-limit 25 --coverage front ;;
  models)
    while :; do
      did virtual models --keep /data/base.model
      did virtual models rename base other
      did virtual campaigns rename base moved
      did virtual campaigns delete moved
      did virtual campaigns restore moved
      did virtual models delete other
      did virtual models restore other
      did virtual models rename other base
      did virtual campaigns rename moved base
      did virtual models delete base
      did virtual models purge base
    done
    ;;
  apply)
    while :; do
      did board apply 4c/0.73C/0.31G/2.13M --yes --at-boot
      did board apply MAXN --yes --at-boot
      did board apply --at-boot off
      did board revert
    done
    ;;
esac 2>&1
echo "END $run $?"
sync
poweroff -f
