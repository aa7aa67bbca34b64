"""What both admin stories share: saying what was done, waiting with a deadline, and judging."""

import sys
import time

DEADLINE_S = 60


def say(text):
    print(text, flush=True)


def check(what, is_so, told):
    """Ends the story if something is not as it should be."""
    if not is_so:
        sys.exit(f"{what}: not so; what was told is {told!r}")
    say(what)


def until(what, look, is_so):
    """Looks again and again until what is seen is right."""
    end = time.monotonic() + DEADLINE_S
    while True:
        seen = look()
        if is_so(seen):
            say(what)
            return seen
        if time.monotonic() > end:
            sys.exit(f"{what}: not within {DEADLINE_S} s; the last look saw {seen!r}")


def refused(what, action, *words):
    """The action must fail, with these words in its error."""
    try:
        told = action()
    except Exception as error:  # noqa: BLE001 - each library has its own
        text = f"{type(error).__name__}: {error}"
        check(f"{what} is refused", all(word in text for word in words), text)
    else:
        sys.exit(f"{what} was not refused; what was told is {told!r}")
