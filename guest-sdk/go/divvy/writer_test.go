// Tests of the writer: the shortest form of everything at both sides of each border, and texts that are UTF-8 whatever they were.

package divvy

import (
	"math"
	"strings"
	"testing"
)

func TestNumbersHaveTheirShortestForm(t *testing.T) {
	for _, row := range []struct {
		number uint64
		length int
		first  byte
	}{
		{0, 1, 0}, {127, 1, 0x7f}, {128, 2, 0xcc}, {255, 2, 0xcc}, {256, 3, 0xcd}, {65535, 3, 0xcd}, {65536, 5, 0xce},
		{math.MaxUint32, 5, 0xce}, {1 << 32, 9, 0xcf}, {math.MaxUint64, 9, 0xcf},
	} {
		wrote := unsigned(nil, row.number)
		from := Reader{bytes: wrote}
		if len(wrote) != row.length || wrote[0] != row.first || from.Unsigned("it") != row.number {
			t.Errorf("%d: %x", row.number, wrote)
		}
	}
}

func TestArraysHaveTheirShortestForm(t *testing.T) {
	for _, row := range []struct {
		items, length int
		first         byte
	}{{0, 1, 0x90}, {15, 1, 0x9f}, {16, 3, 0xdc}, {65535, 3, 0xdc}, {65536, 5, 0xdd}} {
		wrote := array(nil, row.items)
		from := Reader{bytes: wrote}
		if kind, items := from.next(); len(wrote) != row.length || wrote[0] != row.first || kind != isArray || items != uint64(row.items) {
			t.Errorf("%d items: %x", row.items, wrote)
		}
	}
}

func TestBytesHaveTheirShortestForm(t *testing.T) {
	for _, row := range []struct {
		length, head int
		text, binary byte
	}{
		{0, 1, 0xa0, 0xc4}, {31, 1, 0xbf, 0xc4}, {32, 2, 0xd9, 0xc4}, {255, 2, 0xd9, 0xc4}, {256, 3, 0xda, 0xc5}, {65535, 3, 0xda, 0xc5},
		{65536, 5, 0xdb, 0xc6}, {70000, 5, 0xdb, 0xc6},
	} {
		it := strings.Repeat("x", row.length)
		wrote := text(nil, it)
		from := Reader{bytes: wrote}
		if len(wrote) != row.head+row.length || wrote[0] != row.text || from.Text("it") != it {
			t.Errorf("a text of %d bytes: %d, %02x", row.length, len(wrote), wrote[0])
		}
		wrote = optionalData(nil, []byte(it))
		from = Reader{bytes: wrote}
		if len(wrote) != max(row.head, 2)+row.length || wrote[0] != row.binary || string(from.Binary("it")) != it {
			t.Errorf("%d bytes: %d, %02x", row.length, len(wrote), wrote[0])
		}
	}
	if wrote := optionalData(nil, nil); string(wrote) != "\xc0" {
		t.Errorf("nothing: %x", wrote)
	}
}

func TestWhatIsNoUTF8BecomesQuestionMarks(t *testing.T) {
	for it, wanted := range map[string]string{
		"plain": "plain", "é": "é", "a\xffb": "a?b", "\xff": "?", "\xed\xa0\x80": "???", "\xe2\x82": "??", "\xc0\x80z": "??z",
		"\xf0\x9f\x98": "???", "😀\x80": "😀?", "\uFFFD": "\uFFFD",
	} {
		from := Reader{bytes: text(nil, it)}
		if written := from.Text("it"); written != wanted || from.err != nil {
			t.Errorf("%x: %q, wanted %q", it, written, wanted)
		}
	}
}
