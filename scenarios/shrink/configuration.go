package shrink

func (s *Shrinker) configuration(c *Case) *Case { return c }
