// Settings and facts: maps of names to values.

package divvy

// Values are settings or facts: a map of names to values. What is missing or of another type is not there.
type Values struct{ bytes []byte }

// Get is any value, to be read by hand.
func (values Values) Get(name string) (Reader, bool) {
	from := Reader{bytes: values.bytes}
	for pairs := from.Map("a map"); pairs > 0 && from.err == nil; pairs-- {
		key := from
		text := key.Text("a name")
		from.Skip(1)
		if key.err == nil && text == name {
			return from, from.err == nil
		}
		from.Skip(1)
	}
	return from, false
}

// Text is a text.
func (values Values) Text(name string) (string, bool) {
	from, there := values.Get(name)
	if !there {
		return "", false
	}
	text := from.Text("a text")
	return text, from.err == nil
}

// Number is a number, integer or not.
func (values Values) Number(name string) (float64, bool) {
	from, there := values.Get(name)
	if !there {
		return 0, false
	}
	number := from.Number("a number")
	return number, from.err == nil
}

// Flag is true or false.
func (values Values) Flag(name string) (value, there bool) {
	from, there := values.Get(name)
	if !there {
		return false, false
	}
	value = from.Bool("true or false")
	return value, from.err == nil
}
