// The reference strategy of shape `partitions` on the requests of tests/abi.

package main

import (
	"testing"

	"divvy-go/divvy"
	"divvy-go/suite"
)

func TestSuite(t *testing.T) {
	suite.Run(t, "", 85, func(request []byte) []byte { return divvy.Answer(request, even) })
}
