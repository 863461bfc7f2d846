package view

import "slices"

// Pane is a part of the stepper's screen that can have the focus.
type Pane uint8

// The panes, in the order in which Tab goes through them.
const (
	TimePane Pane = iota
	ClusterPane
	NowPane
	NumPanes
)

// pane is a part of the stepper's screen. Rows count its heading.
type pane interface {
	needs(width int) needs
	draw(width, rows int) []string
}

// needs says how many rows a pane is of use with, how many it wants, and with how many it has nothing left to show.
// A pane that has nothing to show needs none.
type needs struct{ least, good, most int }

// share gives the panes of a column, all of which are in the first list, their rows. First each gets the least that it needs, in the order of the first list; then what
// it wants, in the order of the second; then what it could still fill, in the order of the third; what is left then goes to the last
// pane of the third.
func share(rows, width int, least, good, most []pane) map[pane]int {
	got, wants := map[pane]int{}, map[pane]needs{}
	for _, p := range least {
		wants[p] = p.needs(width)
	}
	raise := func(p pane, to int) {
		if more := min(to-got[p], rows); more > 0 {
			got[p] += more
			rows -= more
		}
	}
	for _, p := range least {
		raise(p, wants[p].least)
	}
	for _, p := range good {
		raise(p, wants[p].good)
	}
	for _, p := range most {
		raise(p, wants[p].most)
	}
	got[most[len(most)-1]] += rows
	return got
}

// stack draws panes one below the other.
func (c *Context) stack(width int, rows map[pane]int, panes ...pane) []string {
	var lines []string
	for _, p := range panes {
		if n := rows[p]; n > 0 {
			lines = append(lines, c.block(p.draw(width, n), width, n)...)
		}
	}
	return lines
}

// The widths on which the shape of the screen rests.
const (
	sentenceWidth = 70 // of a sentence of the time line, where panes stand beside it
	clusterWidth  = 72 // of the cluster, from which on it is no wider where panes stand one below the other
	timeRows      = 6  // of the time line, which it keeps at every size
	columnsHeight = 30 // from which on panes stand beside the time line
	gap           = 2  // between columns
)

// Columns says how wide the column left of the time line is, 0 if panes stand one below the other: beside it they stand only
// where that costs it no node's column and no sentence, and the cluster no place. It depends on the run and the size, not on the step.
func (c *Context) Columns(v *Stepper) int {
	left := c.Width - gap - c.timelineWidth(v)
	if left < clusterWidth || c.Height < columnsHeight {
		return 0
	}
	return min(left, max(clusterWidth, c.Width*2/5))
}

// arrange lays the panes out: in two columns where there is room for both, else one below the other.
func (c *Context) arrange(v *Stepper) []string {
	p := c.panes(v)
	height := c.Height - 2 // header and footer
	left := c.Columns(v)
	if left == 0 {
		body := p.body()
		return c.stack(c.Width, p.share(height, c.Width), body...)
	}
	right := c.Width - left - gap
	rows := p.shareColumns(height, left, right)
	return beside(c.block(c.stack(left, rows, p.cluster, p.clients, p.claims), left, height),
		c.block(c.stack(right, rows, p.flights, p.time, p.now), right, height), "  ")
}

// panes is what the screen is made of.
type panes struct {
	time             *timePane
	now              *nowPane
	claims           *claimsPane
	flights          *flightPane
	cluster, clients pane
	both             pane // cluster and clients side by side
}

func (c *Context) panes(v *Stepper) *panes {
	cl, ap := &clusterPane{c, v}, &clientPane{c, v}
	return &panes{time: &timePane{c, v}, now: &nowPane{c, v}, claims: &claimsPane{c, v}, flights: newFlightPane(c, v),
		cluster: cl, clients: ap, both: &pair{c, cl, ap}}
}

// body is the order in which panes stand one below the other.
func (p *panes) body() []pane { return []pane{p.both, p.flights, p.time, p.now, p.claims} }

// share shares the rows of a screen without columns: before anything else the time line keeps its rows, then what has just happened and
// what the narrator says are shown whole; what other panes leave is the time line's.
func (p *panes) share(rows, width int) map[pane]int {
	return share(rows, width,
		[]pane{p.time, p.now, p.claims, p.flights, p.both},
		[]pane{p.now, p.both, p.claims, p.flights, p.time},
		[]pane{p.both, p.flights, p.time})
}

// shareColumns does the same for each column.
func (p *panes) shareColumns(rows, left, right int) map[pane]int {
	got := share(rows, left, []pane{p.cluster, p.claims, p.clients}, []pane{p.cluster, p.claims, p.clients}, []pane{p.cluster, p.claims, p.clients})
	for k, n := range share(rows, right, []pane{p.time, p.now, p.flights}, []pane{p.now, p.flights, p.time}, []pane{p.flights, p.time}) {
		got[k] = n
	}
	return got
}

// placed says how wide a pane is on the screen, and how many rows it has.
func (c *Context) placed(v *Stepper, pick func(*panes) pane) (width, rows int) {
	p := c.panes(v)
	height := c.Height - 2
	left := c.Columns(v)
	if left == 0 {
		return c.Width, p.share(height, c.Width)[pick(p)]
	}
	right := c.Width - left - gap
	got := p.shareColumns(height, left, right)
	if slices.Contains([]pane{p.time, p.now, p.flights}, pick(p)) {
		return right, got[pick(p)]
	}
	return left, got[pick(p)]
}

// pair is the cluster with the clients to its right, under one heading.
type pair struct {
	c       *Context
	cluster *clusterPane
	clients *clientPane
}

// split shares the width out.
func (p *pair) split(width int) (left, right int) {
	left = width * 9 / 16
	if width >= 64 {
		left = width * 4 / 7
	}
	left = min(left, clusterWidth)
	return left, width - left - 1
}

func (p *pair) needs(width int) needs {
	left, right := p.split(width)
	a, b := p.cluster.needs(left), p.clients.needs(right)
	return needs{max(a.least, min(b.least, 4)), max(a.good, min(b.good, max(a.good, 1+(p.c.Height-7)/3, 4), 7)), a.good}
}

// draw gives the cluster no more rows than it needs: what it shows is then the same at every width.
func (p *pair) draw(width, rows int) []string {
	left, right := p.split(width)
	title, lines := p.cluster.body(left, min(rows, p.cluster.needs(left).good)-1)
	clients := p.clients.body(right, rows-1)
	return append([]string{p.c.Rule(title, width, p.cluster.focused())},
		beside(p.c.block(lines, left, rows-1), p.c.block(clients, right, rows-1), " ")...)
}
