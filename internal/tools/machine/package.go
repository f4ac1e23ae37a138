package main

import (
	"context"
	"fmt"
	"path/filepath"
)

// packageVersion is the version of the tested package.
const packageVersion = "0.0.1~machine"

// scrape reads the exporter's series with only the shell.
const scrape = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/9939 && printf "GET /metrics HTTP/1.0\r\n\r\n" >&3 && cat <&3'`

// packaged installs the package beside the program that the other days use, runs its hardened service under the
// system's own systemd, and removes it.
func (s *system) packaged(ctx context.Context) {
	dir := filepath.Join(filepath.Dir(s.disk), "package")
	if err := sh(ctx, `[ -e "$1/SHA256SUMS" ] || packaging/release "$2" "$1"`, dir, packageVersion); err != nil {
		s.findings = append(s.findings, err.Error())
		return
	}
	file := filepath.Join(dir, "jtune_"+packageVersion+"_amd64.deb")
	s.check("the package is copied", s.send(ctx, file, "/root/jtune.deb"), 0)
	const board = "/etc/systemd/system/ssh.service.d/board.conf"
	s.check("it is installed, and no service of it runs", s.ssh(ctx, "root",
		"apt-get install -y /root/jtune.deb && /usr/bin/jtune version && ! systemctl is-enabled jtune-exporter && "+
			"! systemctl is-active jtune-exporter"), 0, "jtune "+packageVersion, "disabled", "inactive")
	s.check("doctor says what comes next", s.ssh(ctx, "guest", "/usr/bin/jtune doctor"), 0, "next: ", "verdict: usable")
	s.check("the exporter runs under its limits", s.ssh(ctx, "root",
		"mkdir -p /run/systemd/system/jtune-exporter.service.d && cp "+board+" /run/systemd/system/"+
			"jtune-exporter.service.d/ && systemctl daemon-reload && systemctl start jtune-exporter && "+
			"for i in $(seq 300); do "+scrape+" 2>/dev/null && exit 0; sleep 0.2; done; "+
			"journalctl -u jtune-exporter -o cat; exit 1"), 0, "jetson_module_power_watts ", "jetson_board_info{model=")
	s.check("as a user that systemd made for it", s.ssh(ctx, "root", "uid=$(ps -o uid= -p $(systemctl show -p MainPID "+
		"--value jtune-exporter)); [ $uid -ge 61184 ] && [ $uid -le 65519 ]"), 0)
	s.check("it stops in good order", s.ssh(ctx, "root", "systemctl stop jtune-exporter; systemctl is-failed "+
		"jtune-exporter"), 1, "inactive")
	s.check("it is removed, and nothing of it stays", s.ssh(ctx, "root", "apt-get purge -y jtune && "+
		"! find / -xdev -path /var/lib/dpkg -prune -o -path /var/log -prune -o -name '*jtune-exporter*' -print | "+
		"grep . && "+
		"! [ -e /usr/bin/jtune ]"), 0)
}

// send copies a file into the system.
func (s *system) send(ctx context.Context, from, to string) said {
	ctx, cancel := s.e.within(ctx, hang)
	defer cancel()
	err := sh(ctx, fmt.Sprintf(`ssh -F none -p %d -i "$1" -o IdentitiesOnly=yes -o BatchMode=yes -o LogLevel=ERROR `+
		`-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null root@127.0.0.1 "cat > $3" < "$2"`, s.port),
		s.key, from, to)
	if err != nil {
		return said{err.Error(), 1}
	}
	return said{}
}
