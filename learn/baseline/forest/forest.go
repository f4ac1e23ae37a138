// Package forest implements regression trees and random forests, for comparison: PowerTrain's authors tried and
// rejected them for power modes.
//
//	inputs, targets ──► Grow ──► Forest ──► At
//
// The trees are CART (Breiman and others 1984): a node is split where the squared error falls most, until the targets
// of a leaf are equal. A forest (Breiman 2001) is the mean of trees fitted to bootstrap samples of the rows. Every tree
// considers all inputs at each split, as is usual for regression and the default of scikit-learn. CART is small, and
// golearn, the known Go library, has not changed since 2022, so jtune has its own implementation.
package forest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"jtune/learn/internal/parallel"
	"jtune/learn/internal/rows"
)

// Config configures Grow. The zero value gives a forest of 100 trees.
type Config struct {
	Trees int // 0: 100
	// Whole gives every tree all rows instead of a bootstrap sample: with one tree, a plain decision tree.
	Whole   bool
	MinLeaf int // fewest rows in a leaf; 0: 1
	Seed    uint64
}

const defaultTrees = 100

// Tree is the configuration of a single decision tree.
var Tree = Config{Trees: 1, Whole: true}

// Forest predicts by the mean of its trees. It is safe for concurrent reads.
type Forest struct{ trees [][]node }

// node is a split, or a leaf if low is 0, since node 0 is the root and no child.
type node struct {
	input     int
	at        float64 // rows with a value ≤ at go low
	low, high int32
	value     float64 // mean target
}

// Grow grows the trees on all processors. Equal arguments give equal forests. It returns an error for no rows, rows of
// unequal length and values that are not finite. Cost per tree: rows × inputs × depth; 100 trees of 50 rows and four
// inputs take about a millisecond, of 4,000 rows half a second.
func Grow(x [][]float64, y []float64, c Config) (*Forest, error) {
	if err := rows.Check(x, y); err != nil {
		return nil, fmt.Errorf("forest: %w", err)
	}
	if c.Trees == 0 {
		c.Trees = defaultTrees
	}
	if c.Trees < 0 || c.MinLeaf < 0 {
		return nil, fmt.Errorf("forest of %d trees with %d rows in a leaf: must be positive", c.Trees, c.MinLeaf)
	}
	c.MinLeaf = max(c.MinLeaf, 1)
	orders := sorted(x)
	f := &Forest{trees: make([][]node, c.Trees)}
	_ = parallel.Each(c.Trees, func(t int) error {
		f.trees[t] = grow(x, y, orders, c, uint64(t))
		return nil
	})
	return f, nil
}

// sorted returns, per input, the rows in its ascending order.
func sorted(x [][]float64) [][]int {
	orders := make([][]int, len(x[0]))
	for k := range orders {
		orders[k] = make([]int, len(x))
		for i := range x {
			orders[k][i] = i
		}
		slices.SortStableFunc(orders[k], func(a, b int) int { return cmp.Compare(x[a][k], x[b][k]) })
	}
	return orders
}

// grower grows one tree.
type grower struct {
	x      [][]float64
	y      []float64
	weight []float64 // how often the bootstrap drew each row
	least  float64   // fewest rows in a leaf
	low    []bool    // by row: on the low side of the current split
	spare  []int
	nodes  []node
}

// grow grows tree number t from rows with the given orders.
func grow(x [][]float64, y []float64, orders [][]int, c Config, t uint64) []node {
	n := len(x)
	g := grower{
		x:      x,
		y:      y,
		weight: make([]float64, n),
		least:  float64(c.MinLeaf),
		low:    make([]bool, n),
		spare:  make([]int, n),
	}
	random := rand.New(rand.NewPCG(c.Seed, t))
	for i := range n {
		if !c.Whole {
			i = random.IntN(n)
		}
		g.weight[i]++
	}
	mine := make([][]int, len(orders))
	for k, order := range orders {
		for _, i := range order {
			if g.weight[i] > 0 {
				mine[k] = append(mine[k], i)
			}
		}
	}
	g.add(mine)
	return g.nodes
}

// add grows the subtree of these rows, sorted by each input in orders, and returns its root.
func (g *grower) add(orders [][]int) int32 {
	here := int32(len(g.nodes))
	count, mean := 0.0, 0.0
	for _, i := range orders[0] {
		count += g.weight[i]
		mean += g.weight[i] * g.y[i]
	}
	mean /= count
	g.nodes = append(g.nodes, node{value: mean})
	input, at, places := g.cut(orders, count, mean)
	if places == 0 {
		return here
	}
	for j, i := range orders[input] {
		g.low[i] = j < places
	}
	low, high := make([][]int, len(orders)), make([][]int, len(orders))
	for k, order := range orders {
		g.part(order)
		low[k], high[k] = order[:places], order[places:]
	}
	l := g.add(low)
	h := g.add(high)
	g.nodes[here] = node{input: input, at: at, low: l, high: h, value: mean}
	return here
}

// part moves the rows of the low side to the front and preserves the order of both sides.
func (g *grower) part(order []int) {
	front, back := 0, 0
	for _, i := range order {
		if g.low[i] {
			order[front] = i
			front++
		} else {
			g.spare[back] = i
			back++
		}
	}
	copy(order[front:], g.spare[:back])
}

// leastGain prevents rounding from splitting rows with equal targets, and betterBy from choosing between equal splits:
// processors round differently, and all must take the first of equal splits.
const (
	leastGain = 1e-12
	betterBy  = 1 + 1e-9
)

// cut finds the split that lowers the squared error most, halfway between two values of an input: with sum the targets
// below it relative to the mean, the error falls by sum²·(1/low + 1/high). places is the number of distinct rows that
// go low, 0 if no split helps.
func (g *grower) cut(orders [][]int, count, mean float64) (input int, at float64, places int) {
	best := leastGain * (1 + mean*mean) * count
	for k, order := range orders {
		sum, low := 0.0, 0.0
		for j, i := range order[:len(order)-1] {
			sum += g.weight[i] * (g.y[i] - mean)
			low += g.weight[i]
			v, next := g.x[i][k], g.x[order[j+1]][k]
			if v == next || low < g.least || count-low < g.least {
				continue
			}
			if gain := sum * sum * (1/low + 1/(count-low)); gain > best*betterBy {
				best, input, at, places = gain, k, v+(next-v)/2, j+1
			}
		}
	}
	return input, at, places
}

// At returns the prediction at x, which has as many inputs as the training rows. It lies between the smallest and the
// largest target.
func (f *Forest) At(x []float64) float64 {
	sum := 0.0
	for _, nodes := range f.trees {
		n := &nodes[0]
		for n.low != 0 {
			if x[n.input] <= n.at {
				n = &nodes[n.low]
			} else {
				n = &nodes[n.high]
			}
		}
		sum += n.value
	}
	return sum / float64(len(f.trees))
}
