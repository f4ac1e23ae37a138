package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
	"jtune/tui/session/fleet/fleettest"
)

// TestAnsibleRoleInstallsAndSetsAMode runs the role of packaging/ansible on three hosts on the loopback, each with its
// own program and AGX Orin files: check mode changes nothing and reports the changes, the first run installs and sets
// the mode, the second one changes nothing.
func TestAnsibleRoleInstallsAndSetsAMode(t *testing.T) {
	long(t, "runs Ansible on three hosts", "ansible-playbook")
	const mode = "8c/1.34C/0.83G/2.13M"
	roles := must.Get(filepath.Abs("../../packaging/ansible/roles"))(t)
	dir := t.TempDir()
	var roots []string
	inventory := "[jetsons]\n"
	for i := range 3 {
		s := fleettest.Start(t, asJtune+"=1")
		root := tegratest.AGXOrin35(t)
		roots = append(roots, root)
		there := filepath.Join(dir, fmt.Sprintf("host%d", i))
		must.NoError(t, os.Mkdir(there, 0o755))
		inventory += fmt.Sprintf("host%d ansible_host=127.0.0.1 ansible_port=%d ansible_user=%s "+
			"ansible_ssh_common_args='%s' jtune_path=%s/jtune jtune_args='[\"--sysroot\", %q, \"--data-dir\", %q, "+
			"\"--log-file\", %q]'\n", i, s.Port, s.User, strings.Join(s.Flags(), " "), there, root, there,
			filepath.Join(there, "log"))
	}
	inventory += "[jetsons:vars]\nansible_python_interpreter=/usr/bin/python3\n"
	for name, text := range map[string]string{
		"hosts": inventory,
		"site.yml": fmt.Sprintf("- hosts: jetsons\n  gather_facts: false\n  roles:\n    - role: jtune\n      vars:\n"+
			"        jtune_binary: %s\n        jtune_mode: %s\n        jtune_become: false\n", os.Args[0], mode),
	} {
		must.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	play := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("ansible-playbook", append([]string{"-i", filepath.Join(dir, "hosts"),
			filepath.Join(dir, "site.yml")}, args...)...)
		cmd.Env = append(os.Environ(), "ANSIBLE_ROLES_PATH="+roles, "ANSIBLE_HOST_KEY_CHECKING=False",
			"LC_ALL=C.UTF-8", "ANSIBLE_LOCAL_TEMP="+dir, "HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Count(string(out), "failed=0") != 3 {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	before := tegratest.Contents(t, roots[0])
	said := play("--check")
	changed := tegratest.Differences(before, tegratest.Contents(t, roots[0]))
	if strings.Count(said, "changed=2 ") != 3 || len(changed) > 0 {
		t.Errorf("check mode is to change nothing and to name two changes:\n%s", said)
	}
	if said = play(); strings.Count(said, "changed=2 ") != 3 {
		t.Errorf("the first run is to install and to set:\n%s", said)
	}
	for _, root := range roots {
		o := jtune(t, "watch", "--count", "1", "--sysroot", root).done(t)
		must.Contain(t, o.out, mode)
	}
	if said = play(); strings.Count(said, "changed=0 ") != 3 {
		t.Errorf("the second run is to change nothing:\n%s", said)
	}
}
