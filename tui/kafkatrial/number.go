package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// number is the value of a flag: a whole number, written as people write one. 010 is not eight here, and 0x10 is no
// number: a seed that means another one than it says is worse than an error.
type number[T int | int64 | uint64] struct{ to *T }

// numberOf makes a flag's value, with a default.
func numberOf[T int | int64 | uint64](to *T, byDefault T) *number[T] {
	*to = byDefault
	return &number[T]{to}
}

// String, Set and Type are what a flag wants.
func (n *number[T]) String() string {
	if n.to == nil {
		return "0"
	}
	return fmt.Sprint(*n.to)
}

func (n *number[T]) Set(s string) error {
	_, unsigned := any(*n.to).(uint64)
	digits := s
	if !unsigned {
		digits = strings.TrimPrefix(s, "-")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" || len(digits) > 1 && digits[0] == '0' {
		return errors.New("expected a whole number in decimal digits, such as 42")
	}
	var err error
	if unsigned {
		var u uint64
		u, err = strconv.ParseUint(s, 10, 64)
		*n.to = T(u)
	} else {
		var i int64
		i, err = strconv.ParseInt(s, 10, 64)
		*n.to = T(i)
	}
	if err != nil {
		return errors.New("the number is too large")
	}
	return nil
}

func (n *number[T]) Type() string { return "int" }
