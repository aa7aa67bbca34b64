// MessagePack, written: everything in its shortest form, every text as UTF-8.

package divvy

import (
	"encoding/binary"
	"unicode/utf8"
)

func unsigned(to []byte, number uint64) []byte {
	switch {
	case number < 0x80:
		return append(to, byte(number))
	case number < 0x100:
		return append(to, 0xcc, byte(number))
	case number < 0x10000:
		return binary.BigEndian.AppendUint16(append(to, 0xcd), uint16(number))
	case number>>32 == 0:
		return binary.BigEndian.AppendUint32(append(to, 0xce), uint32(number))
	}
	return binary.BigEndian.AppendUint64(append(to, 0xcf), number)
}

func sized(to []byte, first byte, length int) []byte {
	switch {
	case length < 0x100:
		return append(to, first, byte(length))
	case length < 0x10000:
		return binary.BigEndian.AppendUint16(append(to, first+1), uint16(length))
	}
	return binary.BigEndian.AppendUint32(append(to, first+2), uint32(length))
}

func data(to, bytes []byte) []byte { return append(sized(to, 0xc4, len(bytes)), bytes...) }

func optionalData(to, bytes []byte) []byte {
	if bytes == nil {
		return append(to, 0xc0)
	}
	return data(to, bytes)
}

func array(to []byte, items int) []byte {
	switch {
	case items < 16:
		return append(to, 0x90|byte(items))
	case items < 0x10000:
		return binary.BigEndian.AppendUint16(append(to, 0xdc), uint16(items))
	}
	return binary.BigEndian.AppendUint32(append(to, 0xdd), uint32(items))
}

// text is written as UTF-8, whatever it is: a host refuses a whole reply for a text that is none, metadata in a line, say.
func text(to []byte, text string) []byte {
	if len(text) < 32 {
		to = append(to, 0xa0|byte(len(text)))
	} else {
		to = sized(to, 0xd9, len(text))
	}
	if utf8.ValidString(text) {
		return append(to, text...)
	}
	for at := 0; at < len(text); {
		_, size := utf8.DecodeRuneInString(text[at:])
		if size == 1 && text[at] >= utf8.RuneSelf {
			to = append(to, '?')
		} else {
			to = append(to, text[at:at+size]...)
		}
		at += size
	}
	return to
}

func putLines(to []byte, lines []line) []byte {
	to = array(to, len(lines))
	for _, line := range lines {
		to = text(text(append(to, 0x92), string(line.level)), line.text)
	}
	return to
}
