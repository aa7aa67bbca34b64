// MessagePack, read in place: no length is believed that the bytes do not bear out.

package divvy

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// malformed are bytes that are not what the ABI says.
type malformed struct {
	at     int
	wanted string
}

func (it *malformed) Error() string {
	return "the request cannot be read: byte " + strconv.Itoa(it.at) + ": expected " + it.wanted
}

type kind int

const (
	isNil kind = iota
	isBool
	isUnsigned
	isSigned
	isFloat
	isText
	isBinary
	isExtension
	isArray
	isMap
	isBad
)

// Reader reads MessagePack in place, and believes no length that the bytes do not bear out. Once something is not as it should be,
// Err stays, and everything reads as nothing.
type Reader struct {
	bytes []byte
	at    int
	err   *malformed
}

// Err is what was wrong first.
func (from *Reader) Err() error {
	if from.err == nil {
		return nil
	}
	return from.err
}

func (from *Reader) no(at int, wanted string) {
	if from.err == nil {
		from.err = &malformed{at, wanted}
	}
	from.at = len(from.bytes)
}

func (from *Reader) left() uint64 { return uint64(len(from.bytes) - from.at) }

func (from *Reader) take(length uint64, wanted string) []byte {
	if length > from.left() {
		from.no(from.at, wanted)
		return nil
	}
	start := from.at
	from.at += int(length)
	return from.bytes[start:from.at:from.at]
}

func (from *Reader) big(size int) uint64 {
	var number uint64
	for _, b := range from.take(uint64(size), "the rest of a value") {
		number = number<<8 | uint64(b)
	}
	return number
}

// next is a value's kind, and its number, length or count; of floats the bits as a double.
func (from *Reader) next() (kind, uint64) {
	first := from.take(1, "a value")
	if first == nil {
		return isBad, 0
	}
	b := first[0]
	switch {
	case b < 0x80:
		return isUnsigned, uint64(b)
	case b < 0x90:
		return isMap, uint64(b & 15)
	case b < 0xa0:
		return isArray, uint64(b & 15)
	case b < 0xc0:
		return isText, uint64(b & 31)
	case b >= 0xe0:
		return isSigned, uint64(int64(int8(b)))
	}
	switch b {
	case 0xc0:
		return isNil, 0
	case 0xc2, 0xc3:
		return isBool, uint64(b & 1)
	case 0xc4, 0xc5, 0xc6:
		return isBinary, from.big(1 << (b - 0xc4))
	case 0xc7, 0xc8, 0xc9:
		return isExtension, from.big(1<<(b-0xc7)) + 1
	case 0xca:
		return isFloat, math.Float64bits(float64(math.Float32frombits(uint32(from.big(4)))))
	case 0xcb:
		return isFloat, from.big(8)
	case 0xcc, 0xcd, 0xce, 0xcf:
		return isUnsigned, from.big(1 << (b - 0xcc))
	case 0xd0:
		return isSigned, uint64(int64(int8(from.big(1))))
	case 0xd1:
		return isSigned, uint64(int64(int16(from.big(2))))
	case 0xd2:
		return isSigned, uint64(int64(int32(from.big(4))))
	case 0xd3:
		return isSigned, from.big(8)
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		return isExtension, 1<<(b-0xd4) + 1
	case 0xd9, 0xda, 0xdb:
		return isText, from.big(1 << (b - 0xd9))
	case 0xdc, 0xdd:
		return isArray, from.big(2 << (b - 0xdc))
	case 0xde, 0xdf:
		return isMap, from.big(2 << (b - 0xde))
	}
	from.no(from.at-1, "a value of MessagePack")
	return isBad, 0
}

func (from *Reader) want(wanted kind, what string) uint64 {
	start := from.at
	found, number := from.next()
	if found != wanted {
		from.no(start, what)
		return 0
	}
	return number
}

// Unsigned is an integer that is not negative.
func (from *Reader) Unsigned(wanted string) uint64 {
	start := from.at
	found, number := from.next()
	if found == isUnsigned || (found == isSigned && int64(number) >= 0) {
		return number
	}
	from.no(start, wanted)
	return 0
}

func (from *Reader) unsigned32(wanted string) uint32 {
	start := from.at
	number := from.Unsigned(wanted)
	if number > math.MaxUint32 {
		from.no(start, wanted)
		return 0
	}
	return uint32(number)
}

// Signed is an integer.
func (from *Reader) Signed(wanted string) int64 {
	start := from.at
	found, number := from.next()
	if found == isSigned || (found == isUnsigned && number <= math.MaxInt64) {
		return int64(number)
	}
	from.no(start, wanted)
	return 0
}

// Number is an integer or a float.
func (from *Reader) Number(wanted string) float64 {
	start := from.at
	switch found, number := from.next(); found {
	case isUnsigned:
		return float64(number)
	case isSigned:
		return float64(int64(number))
	case isFloat:
		return math.Float64frombits(number)
	default:
		from.no(start, wanted)
		return 0
	}
}

// Bool is true or false.
func (from *Reader) Bool(wanted string) bool { return from.want(isBool, wanted) == 1 }

func (from *Reader) count(of kind, least uint64, wanted string) int {
	start := from.at
	count := from.want(of, wanted)
	if count > from.left()/least {
		from.no(start, wanted)
		return 0
	}
	return int(count)
}

// Array is the number of items of an array: each is at least one byte.
func (from *Reader) Array(wanted string) int { return from.count(isArray, 1, wanted) }

// Map is the number of pairs of a map: each is at least two bytes.
func (from *Reader) Map(wanted string) int { return from.count(isMap, 2, wanted) }

// Text is a text: UTF-8.
func (from *Reader) Text(wanted string) string {
	start := from.at
	bytes := from.take(from.want(isText, wanted), wanted)
	if !utf8.Valid(bytes) {
		from.no(start, wanted)
		return ""
	}
	return string(bytes)
}

// Binary are bytes of the request, never nil.
func (from *Reader) Binary(wanted string) []byte {
	return from.take(from.want(isBinary, wanted), wanted)
}

// optionalBinary are bytes of the request, or nil.
func (from *Reader) optionalBinary(wanted string) []byte {
	if from.Nil() {
		return nil
	}
	return from.Binary(wanted)
}

// finish passes over what a later minor version appended; nothing may follow.
func (from *Reader) finish(tail int) error {
	from.Skip(tail)
	if from.left() > 0 {
		from.no(from.at, "the end")
	}
	return from.Err()
}

// Nil reads nil if it is next, and says whether it was.
func (from *Reader) Nil() bool {
	if from.left() == 0 || from.bytes[from.at] != 0xc0 {
		return false
	}
	from.at++
	return true
}

// Skip passes over values with all that is in them; nesting only counts what is still to come.
func (from *Reader) Skip(values int) {
	for pending := uint64(values); pending > 0 && from.err == nil; {
		pending--
		switch found, number := from.next(); found {
		case isText, isBinary, isExtension:
			from.take(number, "the rest of a value")
		case isArray:
			pending += number
		case isMap:
			pending += 2 * number
		}
	}
}

// fields begins an array of at least `known` items, and says how many unknown ones follow them.
func (from *Reader) fields(known int, wanted string) int {
	start := from.at
	items := from.Array(wanted)
	if items < known {
		from.no(start, wanted)
		return 0
	}
	return items - known
}

// Values is a map as it lies, to be asked by name.
func (from *Reader) Values(wanted string) Values {
	look := *from
	look.Map(wanted)
	start := from.at
	if look.err != nil {
		from.no(start, wanted)
	}
	from.Skip(1)
	if from.err != nil {
		return Values{}
	}
	return Values{from.bytes[start:from.at]}
}
