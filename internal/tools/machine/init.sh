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
did() { # did WORDS…: carries them out, and says so once they are done, or what they said
  if "$@" >/dev/null 2>/said; then
    done=$((done + 1))
    echo "DONE $done $*"
  else
    echo "FAILED $*: $(cat /said)"
    return 1
  fi
}
found() { board device | grep -q "now  *12c/2.20C/1.30G/3.20M"; } # the fake board's mode
killed() { # a client that is killed while it waits for an answer: its guard restores
  sleep 900 | jtune --device jetson --sysroot /board --log-file /data/log apply 4c/0.73C/0.31G/2.13M --keep-after 10m &
  until board device | grep -q "now  *4c/0.73C"; do sleep 1; done
  kill -9 $!
  until found; do sleep 1; done
}
resumed() { # a campaign that is killed goes on
  jtune --device virtual:agx-orin --speed 300 --log-file /data/log --seed "$seed" \
    profile resnet --sample 40 --minibatches 10 --out smoke &
  until [ "$(wc -l <smoke/modes.csv)" -gt 3 ]; do sleep 1; done
  kill -9 $!
  virtual --speed max profile resnet --sample 40 --minibatches 10 --out smoke --resume
  [ "$(cut -d, -f1-4 smoke/modes.csv | sort -u | wc -l)" = 41 ]
}
level=DEBUG # of what ssh says
there() { # OpenSSH's client, to OpenSSH's server on the loopback, in a terminal
  chroot /data /usr/bin/ssh -F none -tt -i /etc/ssh/key -o BatchMode=yes -o LogLevel=$level -o StrictHostKeyChecking=no \
    -o UserKnownHostsFile=/dev/null -o KexAlgorithms=curve25519-sha256 root@127.0.0.1 "$@"
}
login() { # Debian's programs for this processor lie on the disk
  ifconfig lo 127.0.0.1 up
  mkdir -p /data/board /data/dev /data/proc
  for from in /board /board/etc /dev /dev/pts /proc; do mount --bind $from /data$from; done
  chroot /data /usr/sbin/sshd -f /dev/null -h /etc/ssh/key -o UsePAM=no -o AuthorizedKeysFile=/etc/ssh/key.pub \
    -o StrictModes=no -o UseDNS=no -o LoginGraceTime=0 || return
  for try in 1 2 3 4 5 6 7 8 9; do # each step is a line on the console: on a busy host it is slow, but it goes on
    there jtune --version </dev/null 2>/dev/console && level=ERROR && return
    sleep 1
  done
  return 1
}
lost() { # a connection that is lost while a mode waits for an answer
  sleep 900 | there jtune --device jetson --sysroot /board --log-file /log apply 4c/0.73C/0.31G/2.13M --keep-after 10m &
  until board device | grep -q "now  *4c/0.73C"; do sleep 1; done
  kill -9 $(pidof ssh)
  until found && ! pidof jtune; do sleep 1; done
}
screens() { # in a terminal of 80x24; each key is typed once the page before it is drawn, as a word of it shows
  : >drawn
  (
    for page in Clocks:2 Workloads:3 campaign:4 About:5 loaded:6 'knobs:?' Help:qq; do
      until grep -qa "${page%:*}" drawn; do sleep 1; done
      echo "DRAWN ${page%:*}" >/dev/console
      printf %s "${page#*:}"
    done
    while pidof jtune >/dev/null; do sleep 1; done
  ) | there 'stty cols 80 rows 24; TERM=xterm-256color exec jtune --device virtual:agx-orin' >drawn
  grep -qa VIRTUAL drawn && ! pidof jtune
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
  config) # the editor adds one to the batch size
    printf '#!/bin/sh\nn=$(sed -n "s/^batch = //p" "$1"); sed -i "s/^batch = .*/batch = $((n + 1))/" "$1"\n' >/bin/edit
    chmod +x /bin/edit
    export EDITOR=/bin/edit
    while :; do did jtune --config /data/config.toml --log-file /data/log config edit; done
    ;;
  smoke)
    did jtune --version
    did board doctor
    did board device
    did board apply 4c/0.73C/0.31G/2.13M --yes
    did board revert
    did found
    did killed
    did resumed
    did login && did lost && did screens
    ;;
esac 2>&1
echo "END $run $?"
sync
poweroff -f
