package config

var consumerDefs = []Def{
	{Key: "group.id", Kind: String, Eras: by("", "2.2", Null)},
	{Key: "client.id", Kind: String, Eras: by("")},
	{Key: "enable.auto.commit", Kind: Boolean, Since: ver("0.9"), Eras: by("true")},
	{Key: "auto.commit.interval.ms", Kind: Int, Unit: Milliseconds, Eras: by("60000", "0.9", "5000")},
	{Key: "auto.offset.reset", Kind: String, Enum: []string{"earliest", "latest", "none"}, Eras: by("latest")},
	{Key: "session.timeout.ms", Kind: Int, Unit: Milliseconds, Since: ver("0.9"), Eras: by("30000", "0.10.1", "10000", "3.0", "45000")},
	{Key: "heartbeat.interval.ms", Kind: Int, Unit: Milliseconds, Since: ver("0.9"), Eras: by("3000")},
	{Key: "max.poll.interval.ms", Kind: Int, Unit: Milliseconds, Min: 1, Since: ver("0.10.1"), Eras: by("300000")},
	{Key: "max.poll.records", Kind: Int, Min: 1, Since: ver("0.10"), Eras: by("2147483647", "0.10.1", "500"), Absent: "2147483647"},
	{Key: "request.timeout.ms", Kind: Int, Unit: Milliseconds, Since: ver("0.9"), Eras: by("40000", "0.10.1", "305000", "2.0", "30000"), Absent: "30000"},
	{Key: "retry.backoff.ms", Kind: Long, Unit: Milliseconds, Eras: by("100")},
	{Key: "fetch.min.bytes", Kind: Int, Eras: by("1")},
	{Key: "fetch.max.wait.ms", Kind: Int, Unit: Milliseconds, Since: ver("0.9"), Eras: by("500")},
	{Key: "metadata.max.age.ms", Kind: Long, Unit: Milliseconds, Since: ver("0.9"), Eras: by("300000")},
	{Key: "isolation.level", Kind: String, Enum: []string{"read_uncommitted", "read_committed"}, Since: ver("0.11"), Eras: by("read_uncommitted"), Absent: "read_uncommitted"},
}
