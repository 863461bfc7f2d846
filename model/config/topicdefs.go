package config

var topicDefs = []Def{
	{Key: "min.insync.replicas", Kind: Int, Min: 1, Since: ver("0.8.2"), Eras: by("1"), Absent: "1", Synonym: "min.insync.replicas"},
	{Key: "unclean.leader.election.enable", Kind: Boolean, Eras: by("true", "0.11", "false"), Synonym: "unclean.leader.election.enable"},
	{Key: "flush.messages", Kind: Long, Min: 1, Eras: by("9223372036854775807"), Synonym: "log.flush.interval.messages"},
	{Key: "flush.ms", Kind: Long, Unit: Milliseconds, Eras: by("9223372036854775807"), Synonym: "log.flush.interval.ms"},
}
