package config

// ForTopic gives the settings of a topic on a broker: the topic's own choices (nil for none), and for what
// it leaves open the broker's values. The broker's values are read through, not copied.
//
// Kafka: LogConfig.fromProps over KafkaConfig.extractLogConfigMap.
func ForTopic(broker, overrides *Values) *Values {
	var v *Values
	if overrides == nil {
		v = New(Topic, broker.version)
	} else {
		v = overrides.Clone()
	}
	v.broker = broker
	return v
}
