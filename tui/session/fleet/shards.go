package fleet

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/lazyregexp"
	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/internal/usage"
)

// Shards is a plan split over several boards, each of which measures a part. It is stored in a file next to the parts,
// so that the same command resumes what is missing.
type Shards struct {
	ID     string   `json:"id"`     // of the folder on the boards
	Boards []string `json:"boards"` // in the order of the shards
	Args   []string `json:"args"`   // of jtune lab profile
	dir    string   // local folder of the file and the parts
}

const (
	shardsFile = "fleet.json"
	mostShards = 1 << 20
	// folderThere is relative to the home folder on the board.
	folderThere = "jtune-fleet"
)

// idPattern is the valid form of an ID; it is checked because the boards' shells receive it and the file may come from
// anyone.
var idPattern = lazyregexp.New(`^[0-9]{8}-[0-9a-f]{16}$`)

// ErrOtherPlan reports that a folder holds the parts of another plan.
var ErrOtherPlan = errors.New("holds parts of another plan")

// OpenShards starts a plan in a folder, or resumes the one in it.
func OpenShards(dir string, boards []Board, args []string) (*Shards, error) {
	now := &Shards{Args: args, dir: dir}
	for _, b := range boards {
		now.Boards = append(now.Boards, b.Name)
	}
	file := filepath.Join(dir, shardsFile)
	data, err := safefile.Read(file, mostShards)
	if err == nil {
		var old Shards
		if err := json.Unmarshal(data, &old); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if !idPattern.MatchString(old.ID) {
			return nil, fmt.Errorf("%s: %q is not an id of a jtune plan: give another %s", file, text.Clip(old.ID),
				usage.Out)
		}
		if !slices.Equal(old.Boards, now.Boards) || !slices.Equal(old.Args, now.Args) {
			return nil, fmt.Errorf("%s %w: profile %s on %s; give another %s", dir, ErrOtherPlan,
				text.Clip(strings.Join(old.Args, " ")), text.Clip(strings.Join(old.Boards, ",")), usage.Out)
		}
		now.ID = old.ID
		return now, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var id [8]byte
	for i := range id {
		id[i] = byte(rand.Uint32())
	}
	now.ID = time.Now().UTC().Format("20060102") + "-" + hex.EncodeToString(id[:])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	data, err = json.MarshalIndent(now, "", "  ")
	if err != nil {
		return nil, err
	}
	return now, safefile.Replace(file, append(data, '\n'))
}

// part returns the name of a board's part, both here and there.
func (s *Shards) part(b Board) string { return fmt.Sprintf("part-%d", s.number(b)) }

// there returns the folder of a board's part, relative to the home folder there.
func (s *Shards) there(b Board) string { return folderThere + "/" + s.ID + "/" + s.part(b) }

// number returns a board's shard, from 1.
func (s *Shards) number(b Board) int { return slices.Index(s.Boards, b.Name) + 1 }

// Parts returns the local folders of all boards, whether they exist or not.
func (s *Shards) Parts() (dirs []string) {
	for i := range s.Boards {
		dirs = append(dirs, filepath.Join(s.dir, fmt.Sprintf("part-%d", i+1)))
	}
	return dirs
}

// again is the delay before a board is tried again.
var again = 5 * time.Second

// Measure measures a board's part there and copies it here. After a lost connection it tries again up to `tries` times,
// the run or only the copy: the run on the board finishes its mode, and the next call resumes it. A part that is
// complete here is not copied again.
func (s *Shards) Measure(ctx context.Context, b Board, tries int, line func(string)) Result {
	if s.complete(b) {
		return Result{Board: b}
	}
	args := append([]string{"lab", "profile"}, s.Args...)
	args = append(args, "--shard", fmt.Sprintf("%d/%d", s.number(b), len(s.Boards)), "--out", s.there(b),
		"--resume")
	call := Call{Shell: "mkdir -p " + text.ShellWord(path.Dir(s.there(b))) + " && " + b.Command(args...), Line: line}
	r, ran := Result{Board: b}, false
	for {
		if !ran {
			r = b.Do(ctx, call)
			ran = r.Err == nil || !mayGoOn(r.Err)
		}
		err := r.Err
		if ran && ctx.Err() == nil {
			err = s.fetch(ctx, b, line)
			if err == nil && r.Err == nil {
				err = os.WriteFile(s.mark(b), nil, 0o644)
			}
		}
		if err == nil || tries == 0 || !mayGoOn(err) || ctx.Err() != nil {
			if err != nil && r.Err == nil {
				r.Code, r.Err = 1, err
			}
			return r
		}
		tries--
		line(fmt.Sprintf("%v; again in %v", err, again))
		select {
		case <-time.After(again):
		case <-ctx.Done():
			r.Code, r.Err = 130, ctx.Err()
			return r
		}
	}
}

// mark is the empty file that says that a board's part was measured without an error and copied whole.
func (s *Shards) mark(b Board) string { return filepath.Join(s.dir, s.part(b)+".complete") }

func (s *Shards) complete(b Board) bool {
	_, folder := os.Stat(filepath.Join(s.dir, s.part(b)))
	_, mark := os.Stat(s.mark(b))
	return folder == nil && mark == nil
}

// mayGoOn reports whether an error is temporary: no connection, or the campaign of a lost connection is still running.
func mayGoOn(err error) bool {
	return errors.Is(err, ErrLost) || strings.Contains(err.Error(), "in use by another jtune")
}

// fetchTime limits the copying of a part.
const fetchTime = time.Hour

// fetch copies a board's part here and replaces an earlier copy. If it is too large, the jobs' output stays there;
// merging does not need it.
func (s *Shards) fetch(ctx context.Context, b Board, line func(string)) error {
	err := s.copied(ctx, b, "")
	if errors.Is(err, errTooMuch) {
		line("the part is large: the outputs of the job, log.txt, stay there in " + s.there(b))
		err = s.copied(ctx, b, " --exclude=log.txt")
	}
	return err
}

// copied copies the output of tar with these options.
func (s *Shards) copied(ctx context.Context, b Board, options string) error {
	to := filepath.Join(s.dir, s.part(b))
	fresh, err := os.MkdirTemp(s.dir, ".part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := unpack(reader, fresh)
		reader.CloseWithError(err) // stop reading from the board
		ended <- err
	}()
	r := b.Do(ctx, Call{Shell: "tar -C " + text.ShellWord(s.there(b)) + options + " -cf - .", Out: writer,
		Within: fetchTime})
	writer.CloseWithError(r.Err)
	if err := cmp.Or(<-ended, r.Err); err != nil {
		return fmt.Errorf("the record of %s: %w", b.Name, err)
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return safefile.Rename(fresh, to)
}
