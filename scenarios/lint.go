package scenarios

import (
	"fmt"

	"kafkatrial/model/config"
	"kafkatrial/scenarios/format"
)

// Lint is format.Lint, and the advice that only who knows the model can give.
func Lint(f *format.File, house bool) []format.Problem {
	return format.Sorted(append(format.Lint(f, house), withoutBearing(f)...))
}

// withoutBearing tells of settings that Kafka has and no verdict can depend on. A file may well have them: it is a
// configuration from elsewhere then.
func withoutBearing(f *format.File) (advice []format.Problem) {
	look := func(setting format.Setting, sections ...config.Section) {
		why := ""
		for _, s := range sections {
			reason, harmless := config.Harmless(s, setting.Key.Text)
			if !harmless {
				return
			}
			why = reason
		}
		if why != "" && setting.Key.Pos.Line > 0 {
			advice = append(advice, format.Advice(setting.Key.Pos, fmt.Sprintf("%s changes no verdict: %s", setting.Key, why), ""))
		}
	}
	say := func(s config.Section, settings format.Config) {
		for _, setting := range settings {
			look(setting, s)
		}
	}
	say(config.Broker, f.Cluster.Config)
	for _, t := range f.Topics {
		say(config.Topic, t.Config)
	}
	for _, p := range f.Producers {
		say(config.Producer, p.Config)
	}
	for _, c := range f.Consumers {
		say(config.Consumer, c.Config)
		say(config.Producer, c.Producer)
	}
	for i := range f.Script {
		if a, ok := f.Script[i].Do.(*format.AlterConfig); ok {
			say(alteredSection(a), a.Config)
		}
	}
	for _, v := range f.Compare {
		for _, setting := range v.Set {
			var sections []config.Section
			for _, section := range setting.Sections {
				sections = append(sections, configSections[section])
			}
			look(setting, sections...)
		}
	}
	return advice
}
