#!/bin/sh
# A worker for one partition, for `divvy run --each`: it does the jobs that lie in $JOBS/PARTITION, one after the other.
#
#   JOBS=jobs DONE=done divvy run --group workers --topic jobs --each -- sh worker.sh
#
# A job is a file with a number in it; doing it is squaring the number. The result is there before the job is gone, and
# has the job's name: whoever does a job twice, because the first one was killed in between, changes nothing.
set -eu
from="$JOBS/$DIVVY_PARTITION"
mkdir -p "$from" "$DONE"

# Asked to end, it finishes the job at hand.
trap 'stop=1' TERM
stop=

echo "at work on $DIVVY_TOPIC-$DIVVY_PARTITION in generation $DIVVY_GENERATION"
while [ -z "$stop" ]; do
    for job in "$from"/*; do
        # No job at all, or one that whoever had the partition before has finished.
        number=$(cat "$job" 2>/dev/null) || continue
        name=${job##*/}
        echo $((number * number)) > "$DONE/.$name.$$"
        mv "$DONE/.$name.$$" "$DONE/$name"
        rm -f "$job"
        [ -z "$stop" ] || break
    done
    [ -n "$stop" ] || sleep 0.1 || true
done
echo "handed over"
