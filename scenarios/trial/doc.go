// Package trial puts a statement about Kafka on trial by generated runs: it draws a cluster, its settings, a
// workload and a schedule of faults, carries them out, and has the checker rule. It is made to be used from
// go test, by this project's own suites and by anybody's.
//
// A Property says what must hold, and in which worlds: its Shape lists what may be drawn. Two things can be
// done with it. Check draws worlds, from seeds and with rapid, and fails the test if the property does not hold
// in one of them. Seek draws worlds from seeds until the property is violated: for statements such as "with
// acks=1 a record can be lost", which need a witness.
//
// Neither proves anything of runs that it has not made. Of a few hundred runs that Check makes, none may be the
// one that breaks a property, and that it passes is worth as much as what its runs have met: Property.Reaches
// says what they must. Who doubts a statement seeks a witness among some thousand seeds. Both make the same
// runs every time.
//
// A failure ends as two files, a scenario and the answers that lead through it to the failure, shrunk to the
// decisions that matter, and the command that opens them:
//
//	kafkatrial step /…/testdata/trial/NAME.answers
package trial
