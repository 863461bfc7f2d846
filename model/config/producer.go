package config

var producerDefs = []Def{
	{Key: "acks", Kind: String, Enum: []string{"all", "-1", "0", "1"}, Eras: by("1", "3.0", "all")},
	{Key: "retries", Kind: Int, Eras: by("0", "2.1", "2147483647")},
	{Key: "delivery.timeout.ms", Kind: Int, Unit: Milliseconds, Since: ver("2.1"), Eras: by("120000"), Absent: "2147483647"},
	{Key: "request.timeout.ms", Kind: Int, Unit: Milliseconds, Since: ver("0.9"), Eras: by("30000"), Absent: "30000"},
	{Key: "retry.backoff.ms", Kind: Long, Unit: Milliseconds, Eras: by("100")},
	{Key: "retry.backoff.max.ms", Kind: Long, Unit: Milliseconds, Since: ver("3.7"), Eras: by("1000"), Absent: "100"},
	{Key: "linger.ms", Kind: Long, Unit: Milliseconds, Eras: by("0", "4.0", "5")},
	{Key: "batch.size", Kind: Int, Eras: by("16384")},
	{Key: "buffer.memory", Kind: Long, Eras: by("33554432")},
	{Key: "max.block.ms", Kind: Long, Unit: Milliseconds, Since: ver("0.9"), Eras: by("60000"), Absent: "60000"},
	{Key: "max.in.flight.requests.per.connection", Kind: Int, Min: 1, Eras: by("5")},
	{Key: "enable.idempotence", Kind: Boolean, Since: ver("0.11"), Eras: by("false", "3.0.1", "true", "3.1", "false", "3.1.1", "true"), Absent: "false"},
	{Key: "metadata.max.age.ms", Kind: Long, Unit: Milliseconds, Eras: by("300000")},
	{Key: "max.request.size", Kind: Int, Eras: by("1048576")},
	{Key: "reconnect.backoff.ms", Kind: Long, Unit: Milliseconds, Eras: by("50")},
	{Key: "reconnect.backoff.max.ms", Kind: Long, Unit: Milliseconds, Since: ver("0.11"), Eras: by("1000"), Absent: "50"},
	{Key: "client.id", Kind: String, Eras: by("")},
}
