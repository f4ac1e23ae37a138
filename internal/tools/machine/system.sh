# Makes the disk $5 of a Debian system: $1 is its root, $2 the folder of jtune and the fake board, $3 the key for
# SSH, $4 the suite.
root=$1 dir=$2 key=$3 suite=$4 disk=$5
export PATH="$PATH:/usr/sbin:/sbin"
mmdebstrap --quiet --variant=minbase \
  --include=linux-image-cloud-amd64,systemd-sysv,udev,kmod,openssh-server,sudo,procps "$suite" "$root"
install -m 755 "$dir/jtune" "$root/usr/local/bin/jtune"

# The board's files. Knobs and sensors are new with each boot, and the processors are the kernel's own. SSH and the
# unit of --at-boot see them in place of the kernel's /sys.
cp -a "$dir/first/board" "$root/srv/board"
mkdir -p "$root/srv/board/sys/firmware/devicetree" "$root/var/lib/nvpmodel"
mv "$root/srv/board/proc/device-tree" "$root/srv/board/sys/firmware/devicetree/base"
chmod 700 "$root/srv/board/sys/kernel/debug"
cp -a "$root/srv/board/etc/." "$root/etc/"
cp -a "$root/srv/board/var/lib/nvpmodel/." "$root/var/lib/nvpmodel/"
cat >"$root/usr/local/sbin/board" <<'END'
#!/bin/sh -eu
mkdir -p /run/board
mount -t tmpfs board /run/board
cp -a /srv/board/sys /run/board/
mkdir -p /run/board/sys/fs/cgroup
mount --bind /sys/fs/cgroup /run/board/sys/fs/cgroup
for file in $(ls /sys/devices/system/cpu/cpu[0-9]*/online 2>/dev/null); do # none under user-mode Linux
  mount --bind "$file" "/run/board$file"
done
if [ -e /etc/refuse ]; then # a knob that takes no value
  file=/run/board/sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu/max_freq
  mount --bind "$file" "$file"
  mount -o remount,bind,ro "$file"
fi
END
chmod 755 "$root/usr/local/sbin/board"
system=$root/etc/systemd/system
cat >"$system/board.service" <<'END'
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/board
END
# A stand-in for nvpmodel's service: it sets the mode of its file of the last id, else that of the default.
cat >"$root/usr/local/sbin/nvpmodel-service" <<'END'
#!/bin/sh -eu
conf=/etc/nvpmodel.conf
id=$(sed -n 's/^pmode:0*\([0-9][0-9]*\).*/\1/p' /var/lib/nvpmodel/status || :)
[ -n "$id" ] || id=$(sed -n 's/^< PM_CONFIG DEFAULT=\([0-9]*\).*/\1/p' $conf)
awk -v id="$id" '
  /^<.*PARAM/ { sub(/.*NAME=/, ""); param = $1; model = 0; next }
  /^<.*POWER_MODEL/ { model = $0 ~ ("ID=" id " ") ? 1 : 2; next }
  !model && NF == 2 { sub(/_KNEXT$/, "", $1); paths[param, $1] = paths[param, $1] " " $2 }
  model == 1 && NF == 3 && $3 != -1 { n = split(paths[$1, $2], p, " "); for (i = 1; i <= n; i++) print $3, p[i] }
' $conf | while read -r value path; do
  [ ! -e "$path" ] || echo "$value" >"$path"
done
END
chmod 755 "$root/usr/local/sbin/nvpmodel-service"
cat >"$system/nvpmodel.service" <<'END'
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/nvpmodel-service
[Install]
WantedBy=multi-user.target
END
# root's shell on the console, for a boot without SSH. It reads a command a line, and says when it has ended.
cat >"$root/usr/local/sbin/console" <<'END'
#!/bin/sh
stty -echo
cd /root
echo CONSOLE
while read -r number command; do
  (eval "$command") 2>&1
  echo "ENDED $number $?"
done
END
chmod 755 "$root/usr/local/sbin/console"
cat >"$system/console.service" <<'END'
[Service]
ExecStart=/usr/local/sbin/console
StandardInput=tty-force
StandardOutput=tty
TTYPath=/dev/ttyS0
Environment=HOME=/root TERM=dumb
END
for unit in ssh nvpmodel console jtune-mode jtune-staged train; do
  mkdir "$system/$unit.service.d"
  printf '[Unit]\nRequires=board.service\nAfter=board.service\n[Service]\nBindPaths=/run/board/sys:/sys\n' \
    >"$system/$unit.service.d/board.conf"
done

printf '[Match]\nName=e*\n[Network]\nAddress=10.0.2.15/24\n' >"$root/etc/systemd/network/machine.network"
chroot "$root" systemctl --quiet enable systemd-networkd ssh nvpmodel
ln -sf /dev/null "$system/systemd-networkd-wait-online.service"
echo machine >"$root/etc/hostname"
echo '127.0.0.1 localhost machine' >"$root/etc/hosts"
rm -f "$key"
ssh-keygen -q -t ed25519 -N '' -f "$key"
for user in worker other guest; do
  chroot "$root" useradd -m -s /bin/sh "$user"
done
printf 'other:secret\nguest:guest\n' | chroot "$root" chpasswd
for home in root home/worker home/other home/guest; do
  mkdir -p "$root/$home/.ssh"
  cp "$key.pub" "$root/$home/.ssh/authorized_keys"
  chroot "$root" chown -R --reference="/$home" "/$home/.ssh"
done
for home in root home/worker; do
  mkdir -p "$root/$home/.config/jtune"
  cat >"$root/$home/.config/jtune/config.toml" <<'END'
[workload.stray] # a process of it has neither its group nor its environment
title = "stray"
batch = 16
samples = 1600
command = ["sh", "-c", """setsid env -i /bin/sleep 7777 &
while sleep 0.1; do echo '{"event":"minibatch","time_ms":100}'; done"""]
END
  chroot "$root" chown -R --reference="/$home" "/$home/.config"
done
cat >"$root/etc/sudoers.d/jtune" <<'END'
Defaults passwd_timeout=0.3, timestamp_timeout=0
Defaults:other timestamp_timeout=0.5
worker ALL=(root) NOPASSWD: /usr/local/bin/jtune guard -sysroot=/
other ALL=(ALL) ALL
END
chmod 440 "$root/etc/sudoers.d/jtune"
truncate -s 1500M "$disk.part"
mke2fs -q -t ext4 -d "$root" "$disk.part"
mv "$disk.part" "$disk"
