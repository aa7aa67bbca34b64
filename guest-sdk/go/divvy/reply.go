// From a plan to the bytes of a reply.

package divvy

func (plan *Plan) finish() []byte {
	to := plan.reply
	if plan.told == nil {
		to = append(to, 0xc0)
	} else {
		to = array(to, len(plan.told))
		for _, data := range plan.told {
			to = optionalData(to, data)
		}
	}
	return plan.Outcome.finish(to)
}

func (plan *Outcome) finish(to []byte) []byte {
	to = optionalData(to, plan.memo)
	if plan.again {
		to = unsigned(to, plan.againMs)
	} else {
		to = append(to, 0xc0)
	}
	return putLines(to, plan.lines)
}

// refuse says why not; of an error that is no refusal its words.
func refuse(err error, lines []line) []byte {
	why, isRefusal := err.(*Refusal)
	if !isRefusal {
		code := "refused"
		if _, isMalformed := err.(*malformed); isMalformed {
			code = "bad_request"
		}
		why = Refuse(code, err.Error())
	}
	to := text(text([]byte{0x93, 0x01, 0x94}, why.Code), why.Message)
	if why.Retriable {
		to = append(to, 0xc3)
	} else {
		to = append(to, 0xc2)
	}
	if why.About == Nobody {
		to = append(to, 0xc0)
	} else {
		to = unsigned(to, uint64(why.About))
	}
	return putLines(to, lines)
}
