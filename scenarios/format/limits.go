package format

import "time"

// Limits of a scenario file. They keep a hostile file from costing more than a moment, and a friendly one from growing past
// what a person can follow.
const (
	MaxFileBytes   = 256 << 10            // size of a file
	MaxDepth       = 24                   // nesting of mappings and lists
	MaxTokens      = 60_000               // YAML tokens in a file
	MaxBrokers     = 9                    // brokers of a cluster
	MaxControllers = 5                    // controllers of a cluster with ZooKeeper
	MaxPartitions  = 100                  // partitions of a topic
	MaxRecords     = 10_000               // records that all send steps of a file submit together
	MaxSteps       = 1000                 // steps of a script
	MaxDuration    = 365 * 24 * time.Hour // any duration, either sign
	MaxName        = 100                  // characters in a name or a config value
	MaxText        = 10_000               // characters in a text for people
	MaxProblems    = 100                  // problems that one Load reports
)
