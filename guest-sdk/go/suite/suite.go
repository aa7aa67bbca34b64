// Package suite runs the requests of tests/abi through a reference strategy on this machine: the same bytes as in the sandbox; every
// beginning of a request, and every change of one of its bytes, is answered.
package suite

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Run tries a folder of tests/abi, which has at least so many requests. A request without a reply is malformed.
func Run(t *testing.T, folder string, least int, answer func(request []byte) []byte) {
	t.Helper()
	root := filepath.Join("..", "..", "..", "tests", "abi", folder)
	requests, err := filepath.Glob(filepath.Join(root, "requests", "*.msgpack"))
	if err != nil || len(requests) < least {
		t.Fatalf("%d requests in %s, wanted %d: %v", len(requests), root, least, err)
	}
	for _, path := range requests {
		name := strings.TrimSuffix(filepath.Base(path), ".msgpack")
		reply := answer(read(t, path))
		wanted, err := os.ReadFile(filepath.Join(root, "replies", name+".msgpack"))
		switch {
		case err == nil && !bytes.Equal(reply, wanted):
			t.Errorf("%s: %x, wanted %x", name, shown(reply), shown(wanted))
		case err != nil && !isBadRequest(reply):
			t.Errorf("%s is not refused as bad_request: %x", name, shown(reply))
		}
	}
	hostile(t, read(t, filepath.Join(root, "requests", "everything.msgpack")), answer)
}

// hostile cuts and changes a request: whoever reads beyond it panics.
func hostile(t *testing.T, whole []byte, answer func(request []byte) []byte) {
	t.Helper()
	for length := range whole {
		if !isBadRequest(answer(whole[:length:length])) {
			t.Errorf("the first %d bytes are believed", length)
		}
	}
	for at, kept := range whole {
		for other := range 256 {
			whole[at] = byte(other)
			if reply := answer(whole); reply[0] != 0x93 || reply[1] > 1 {
				t.Errorf("no reply with %02x at %d: %x", other, at, shown(reply))
			}
		}
		whole[at] = kept
	}
}

func isBadRequest(reply []byte) bool {
	return bytes.HasPrefix(reply, []byte("\x93\x01\x94\xabbad_request"))
}

func shown(reply []byte) []byte { return reply[:min(len(reply), 200)] }

func read(t *testing.T, path string) []byte {
	t.Helper()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
