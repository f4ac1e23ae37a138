package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
)

// throughSudo runs jtune like sudo for the user nobody: as root, with the caller's user ID in the environment.
func throughSudo(t *testing.T, home string, args ...string) outcome {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("takes root, to be root through sudo")
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(forOthers(t), args...)
	cmd.Env = []string{asJtune + "=1", "SUDO_UID=65534", "SUDO_GID=65534", "PATH=/usr/bin:/bin"}
	for _, base := range []string{"DATA", "CONFIG", "STATE", "CACHE"} {
		cmd.Env = append(cmd.Env, "XDG_"+base+"_HOME="+filepath.Join(home, strings.ToLower(base)))
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = home, &out, &errs
	_ = cmd.Run()
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// nobodys creates a folder of the user nobody.
func nobodys(t *testing.T) string {
	t.Helper()
	dir := readable(t, t.TempDir())
	if err := os.Chown(dir, nobody, nobody); err != nil && os.Geteuid() == 0 {
		t.Fatal(err)
	}
	return dir
}

func ownersBelow(t *testing.T, dir string) (n int, roots []string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, st os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if n++; st.Sys().(*syscall.Stat_t).Uid != nobody {
			roots = append(roots, path)
		}
		return nil
	})
	must.NoError(t, err)
	return n, roots
}

var quickProfile = with(virtualBoard, "profile", "resnet", "--sample", "5", "--minibatches", "3", "--out")

// Records made through sudo belong to the calling user, in the user's folders.
func TestThroughSudoTheUsersFilesAreTheUsers(t *testing.T) {
	t.Parallel()
	home := nobodys(t)
	throughSudo(t, home, with(quickProfile, filepath.Join(home, "new", "camp"))...).done(t)
	throughSudo(t, home, "front", "--device", "virtual:agx-orin", "--samples", filepath.Join(home, "new", "camp"),
		"--svg", filepath.Join(home, "front.svg")).done(t)
	if n, roots := ownersBelow(t, home); n < 8 || len(roots) > 0 {
		t.Errorf("of %d files these are not the user's: %q", n, roots)
	}
}

// Links in a user's folder, and root's folders: none of them is opened with root's rights.
func TestThroughSudoRootOpensNothingForTheUser(t *testing.T) {
	t.Parallel()
	const secret = "root's\n"
	for name, attack := range map[string]func(t *testing.T, home, target string) (args []string, code int){
		"a log that leads to a file of root's": func(t *testing.T, home, target string) ([]string, int) {
			camp := filepath.Join(home, "camp")
			throughSudo(t, home, with(quickProfile, camp)...).done(t)
			lay(t, target, filepath.Join(camp, "log.txt"))
			return with(quickProfile, camp, "--resume"), -1
		},
		"a lock that does": func(t *testing.T, home, target string) ([]string, int) {
			lay(t, target, filepath.Join(home, "camp", ".lock"))
			return with(quickProfile, filepath.Join(home, "camp"), "--resume"), exitFailed
		},
		"the lock of the models": func(t *testing.T, home, target string) ([]string, int) {
			lay(t, target, filepath.Join(home, "data", "jtune", "models", ".lock"))
			return with(quickProfile, filepath.Join(home, "camp")), -1
		},
		"the guard's log": func(t *testing.T, home, target string) ([]string, int) {
			lay(t, target, filepath.Join(home, "state", "jtune", "guard.log"))
			root := tegratest.AGXOrin35(t)
			return []string{"apply", "MAXN", "--yes", "--sysroot", root}, exitPermission
		},
		"a model in a folder of root's": func(t *testing.T, home, target string) ([]string, int) {
			return with(quickProfile, filepath.Join(filepath.Dir(target), "ssh.service.d")), exitPermission
		},
		"a campaign read out of one": func(t *testing.T, home, target string) ([]string, int) {
			return []string{"front", "--device", "virtual:agx-orin", "--samples", target}, exitPermission
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, etc := nobodys(t), readable(t, t.TempDir())
			target := filepath.Join(etc, "authorized_keys")
			must.NoError(t, os.WriteFile(target, []byte(secret), 0o600))
			args, code := attack(t, home, target)
			o := throughSudo(t, home, args...)
			if code >= 0 && o.code != code {
				t.Errorf("exit code %d, want %d: %s", o.code, code, o.err)
			}
			must.Equal(t, string(must.Read(t, target)), secret)
			must.Equal(t, must.Get(os.Stat(etc))(t).Sys().(*syscall.Stat_t).Uid, 0)
			if list, _ := os.ReadDir(etc); len(list) != 1 {
				t.Errorf("root's folder holds %v", list)
			}
		})
	}
}

// lay creates a link of the user nobody.
func lay(t *testing.T, target, link string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(link), 0o755)
	for dir := filepath.Dir(link); err == nil && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if st, serr := os.Stat(dir); serr != nil || st.Sys().(*syscall.Stat_t).Uid == nobody {
			break
		}
		err = os.Chown(dir, nobody, nobody)
	}
	_ = os.Remove(link)
	if err == nil {
		err = os.Symlink(target, link)
	}
	if err == nil {
		err = os.Lchown(link, nobody, nobody)
	}
	if err != nil && os.Geteuid() == 0 {
		t.Fatal(err)
	}
}
