package caller

import (
	"errors"
	"os/user"
	"testing"
)

func TestFindGivesTheUserBehindSudo(t *testing.T) {
	t.Parallel()
	nobody := func(string) (*user.User, error) { return nil, errors.New("none") }
	env := func(pairs ...string) func(string) string {
		return func(k string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == k {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		name string
		euid int
		env  func(string) string
		want int
		bad  bool
	}{
		{"root behind sudo goes back to the caller", 0, env("SUDO_UID", "1000", "SUDO_GID", "1001"), 1000, false},
		{"a user stays", 1000, env("SUDO_UID", "1001", "SUDO_GID", "1001"), 0, false},
		{"root by login stays", 0, env(), 0, false},
		{"sudo by root stays", 0, env("SUDO_UID", "0", "SUDO_GID", "0"), 0, false},
		{"a broken number is refused", 0, env("SUDO_UID", "-5", "SUDO_GID", "1"), 0, true},
		{"a missing group is refused", 0, env("SUDO_UID", "1000"), 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := find(c.euid, c.env, nobody)
			if (err != nil) != c.bad {
				t.Fatalf("error %v, want one: %v", err, c.bad)
			}
			if (got != nil) != (c.want != 0) {
				t.Fatalf("got %+v, want uid %d", got, c.want)
			}
			if got != nil && got.uid != c.want {
				t.Errorf("uid %d, want %d", got.uid, c.want)
			}
		})
	}
	if self, err := user.Current(); err == nil {
		a, err := find(
			0,
			env("SUDO_UID", "12345", "SUDO_GID", self.Gid),
			func(string) (*user.User, error) { return self, nil },
		)
		if err != nil || len(a.env) != 3 || a.env[0] != [2]string{"HOME", self.HomeDir} {
			t.Errorf("account with a name: %+v, %v", a, err)
		}
	}
}
