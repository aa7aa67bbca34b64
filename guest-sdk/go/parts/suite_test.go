// The reference strategy of shape `states`, with both optional exports, on the requests of tests/abi.

package main

import (
	"testing"

	"divvy-go/divvy"
	"divvy-go/suite"
)

func TestStates(t *testing.T) {
	suite.Run(t, "states", 55, func(request []byte) []byte { return divvy.AnswerStates(request, parts) })
}

func TestUserData(t *testing.T) {
	suite.Run(t, "user-data", 30, func(request []byte) []byte { return divvy.AnswerUserData(request, told) })
}

func TestCheck(t *testing.T) {
	suite.Run(t, "check", 30, func(request []byte) []byte { return divvy.AnswerCheck(request, judged) })
}
