package scenarios

// Progress tells which step of the script comes next or is under way, from 1, and how many there are. Once
// the script is over, next is one more than that.
func (r *Run) Progress() (next, of int) { return r.director.at + 1, len(r.director.script) }

// Ready says that the cluster has come up, so that the script has begun.
func (r *Run) Ready() bool { return r.director.ready }
