// Tests of the reader: every form of MessagePack and every beginning of it, counts that the bytes do not bear out, texts, settings.

package divvy

import (
	"bytes"
	"math"
	"testing"
)

// forms is MessagePack's own table: first bytes from and to, what they begin, and how many bytes of a number follow.
var forms = []struct {
	first, last int
	kind        kind
	more        int
}{
	{0x00, 0x7f, isUnsigned, 0}, {0x80, 0x8f, isMap, 0}, {0x90, 0x9f, isArray, 0}, {0xa0, 0xbf, isText, 0}, {0xc0, 0xc0, isNil, 0},
	{0xc1, 0xc1, isBad, 0}, {0xc2, 0xc3, isBool, 0}, {0xc4, 0xc4, isBinary, 1}, {0xc5, 0xc5, isBinary, 2}, {0xc6, 0xc6, isBinary, 4},
	{0xc7, 0xc7, isExtension, 1}, {0xc8, 0xc8, isExtension, 2}, {0xc9, 0xc9, isExtension, 4}, {0xca, 0xca, isFloat, 4},
	{0xcb, 0xcb, isFloat, 8}, {0xcc, 0xcc, isUnsigned, 1}, {0xcd, 0xcd, isUnsigned, 2}, {0xce, 0xce, isUnsigned, 4},
	{0xcf, 0xcf, isUnsigned, 8}, {0xd0, 0xd0, isSigned, 1}, {0xd1, 0xd1, isSigned, 2}, {0xd2, 0xd2, isSigned, 4},
	{0xd3, 0xd3, isSigned, 8}, {0xd4, 0xd8, isExtension, 0}, {0xd9, 0xd9, isText, 1}, {0xda, 0xda, isText, 2}, {0xdb, 0xdb, isText, 4},
	{0xdc, 0xdc, isArray, 2}, {0xdd, 0xdd, isArray, 4}, {0xde, 0xde, isMap, 2}, {0xdf, 0xdf, isMap, 4}, {0xe0, 0xff, isSigned, 0},
}

func TestEveryFirstByteAndEveryBeginning(t *testing.T) {
	seen := 0
	for _, form := range forms {
		for first := form.first; first <= form.last; first++ {
			seen++
			whole := []byte{byte(first), 1, 2, 3, 4, 5, 6, 7, 8}[:1+form.more]
			for length := range len(whole) + 1 {
				from := Reader{bytes: whole[:length:length]}
				kind, _ := from.next()
				isCut := length < len(whole) || form.kind == isBad
				if isCut != (from.err != nil) || !isCut && kind != form.kind || from.left() > 0 {
					t.Errorf("%x of %x: kind %d, %v", whole[:length], whole, kind, from.err)
				}
			}
		}
	}
	if seen != 256 {
		t.Errorf("%d first bytes", seen)
	}
}

func TestNumbers(t *testing.T) {
	half := math.Float64bits(1.5)
	for _, row := range []struct {
		bytes  string
		kind   kind
		number uint64
	}{
		{"\x00", isUnsigned, 0}, {"\x7f", isUnsigned, 127}, {"\xff", isSigned, math.MaxUint64}, {"\xe0", isSigned, 1<<64 - 32},
		{"\xcc\xff", isUnsigned, 255}, {"\xcd\x12\x34", isUnsigned, 0x1234}, {"\xce\xff\xff\xff\xff", isUnsigned, math.MaxUint32},
		{"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", isUnsigned, math.MaxUint64}, {"\xd0\x80", isSigned, 1<<64 - 128},
		{"\xd1\x80\x00", isSigned, 1<<64 - 1<<15}, {"\xd2\x80\x00\x00\x00", isSigned, 1<<64 - 1<<31},
		{"\xd3\x80\x00\x00\x00\x00\x00\x00\x00", isSigned, 1 << 63}, {"\xc2", isBool, 0}, {"\xc3", isBool, 1},
		{"\xca\x3f\xc0\x00\x00", isFloat, half}, {"\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00", isFloat, half},
		{"\xd4", isExtension, 2}, {"\xd8", isExtension, 17}, {"\xc7\x03", isExtension, 4},
		{"\xdd\x01\x00\x00\x00", isArray, 1 << 24}, {"\xde\x01\x00", isMap, 256},
	} {
		from := Reader{bytes: []byte(row.bytes)}
		if kind, number := from.next(); kind != row.kind || number != row.number || from.err != nil {
			t.Errorf("%x: kind %d, number %x, %v", row.bytes, kind, number, from.err)
		}
	}
}

func TestSignsAndWidths(t *testing.T) {
	from := Reader{bytes: []byte("\xd0\x05\xcf\x7f\xff\xff\xff\xff\xff\xff\xff")}
	if from.Unsigned("the signed form of 5") != 5 || from.Signed("the largest") != math.MaxInt64 || from.err != nil {
		t.Error(from.err)
	}
	for _, row := range []struct {
		bytes string
		read  func(*Reader)
	}{
		{"\xd0\xff", func(from *Reader) { from.Unsigned("it") }},
		{"\xcf\x80\x00\x00\x00\x00\x00\x00\x00", func(from *Reader) { from.Signed("it") }},
		{"\xcf\x00\x00\x00\x01\x00\x00\x00\x00", func(from *Reader) { from.unsigned32("it") }},
		{"\xa1a", func(from *Reader) { from.Number("it") }},
		{"\x01", func(from *Reader) { from.Bool("it") }},
	} {
		from := Reader{bytes: []byte(row.bytes)}
		if row.read(&from); from.err == nil || *from.err != (malformed{0, "it"}) {
			t.Errorf("%x: %v", row.bytes, from.err)
		}
	}
}

func TestACountHasToBeBorneOut(t *testing.T) {
	for _, tooMany := range []string{
		"\x91", "\xdd\xff\xff\xff\xff", "\xdc\x00\x02\xc0", "\x81\xc0", "\xdf\xff\xff\xff\xff", "\xdf\x80\x00\x00\x01\xc0\xc0\xc0", "\xa1",
		"\xdb\xff\xff\xff\xff", "\xd9\x02a", "\xc4\x02\x01", "\xc6\xff\xff\xff\xff", "\xd5\x01\x02", "\xc9\xff\xff\xff\xff\x00",
	} {
		for by, read := range []func(*Reader) int{
			func(from *Reader) int { from.Skip(1); return 0 },
			func(from *Reader) int { return from.Array("it") },
			func(from *Reader) int { return from.Map("it") },
			func(from *Reader) int { return len(from.Text("it")) },
			func(from *Reader) int { return len(from.Binary("it")) },
		} {
			from := Reader{bytes: []byte(tooMany)}
			if found := read(&from); found != 0 || from.err == nil {
				t.Errorf("%x is believed by reader %d: %d", tooMany, by, found)
			}
		}
	}
}

func TestNestedValuesArePassedOverAndNoBeginningOfThem(t *testing.T) {
	nested := []byte("\x93\x82\xa1a\x92\x01\xc4\x02\x09\x09\xa1b\xd6\x01\x02\x03\x04\x05\xcb\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\xdc\x00\x01\xde\x00\x01\xd9\x01c\xc7\x01\x00\x00")
	for length := range len(nested) + 1 {
		from := Reader{bytes: nested[:length:length]}
		if from.Skip(1); (from.err != nil) != (length < len(nested)) {
			t.Errorf("the first %d bytes: %v", length, from.err)
		}
	}
	// As deep as the bytes go: nesting takes no stack.
	from := Reader{bytes: append(bytes.Repeat([]byte{0x91}, 1<<20), 0)}
	if from.Skip(1); from.err != nil || from.left() > 0 {
		t.Error(from.err)
	}
}

func TestTheFirstFaultStays(t *testing.T) {
	from := Reader{bytes: []byte{0x01, 0xc1, 0x02}}
	from.Unsigned("one")
	from.Skip(1)
	if from.Unsigned("three") != 0 || from.Nil() || from.err == nil || *from.err != (malformed{1, "a value of MessagePack"}) {
		t.Error(from.err)
	}
}

func TestOnlyUTF8IsAText(t *testing.T) {
	for text, isOne := range map[string]bool{
		"": true, "plain": true, "\xc2\x80": true, "\xed\x9f\xbf": true, "\xee\x80\x80": true, "\xf0\x90\x80\x80": true,
		"\xf4\x8f\xbf\xbf": true, "a\x80": false, "\xc0\x80": false, "\xe0\x9f\xbf": false, "\xed\xa0\x80": false,
		"\xf0\x8f\xbf\xbf": false, "\xf4\x90\x80\x80": false, "\xf8\x90\x80\x80": false, "\xff": false, "ab\xc3": false, "\xe2\x82": false,
	} {
		from := Reader{bytes: append([]byte{0xa0 | byte(len(text))}, text...)}
		if read := from.Text("it"); (from.err == nil) != isOne || isOne && read != text {
			t.Errorf("%x: %q, %v", text, read, from.err)
		}
	}
}

func TestSettings(t *testing.T) {
	whole := []byte("\x87\x07\xc3\xa1a\xa1x\xa1a\xa1y\xa1n\xfd\xa1f\xca\x3f\xc0\x00\x00\xa1b\xc3\xa1t\xa1\xff")
	values := Values{whole}
	if text, there := values.Text("a"); !there || text != "x" {
		t.Errorf("the first of two names counts: %q", text)
	}
	for name, wanted := range map[string]float64{"n": -3, "f": 1.5} {
		if number, there := values.Number(name); !there || number != wanted {
			t.Errorf("%s: %v", name, number)
		}
	}
	if flag, there := values.Flag("b"); !there || !flag {
		t.Error("b is true")
	}
	for _, name := range []string{"z", "n", "t", ""} {
		if text, there := values.Text(name); there {
			t.Errorf("%q is no text: %q", name, text)
		}
	}
	if _, there := values.Flag("n"); there {
		t.Error("n is no flag")
	}
	nested := Values{[]byte("\x81\xa1m\x81\xa1x\xa1y")}
	from, there := nested.Get("m")
	inner := from.Values("a map")
	if text, is := inner.Text("x"); !there || !is || text != "y" {
		t.Errorf("a map in a map: %q", text)
	}
	for length := range whole {
		cut := Values{whole[:length:length]}
		if _, there := cut.Get("missing"); there {
			t.Errorf("found in the first %d bytes", length)
		}
		cut.Text("t")
		cut.Number("f")
	}
}
