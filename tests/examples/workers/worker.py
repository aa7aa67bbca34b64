"""A worker for all partitions of a member, for `divvy run`: it does the jobs that lie in $JOBS/PARTITION.

    JOBS=jobs DONE=done divvy run --group workers --topic jobs --ready-line 'at work' -- python3 worker.py

A job is a file with a number in it; doing it is squaring the number. The result is there before the job is gone, and
has the job's name: whoever does a job twice, because the first one was killed in between, changes nothing.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path

# Asked to end, it finishes the job at hand.
stop = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stop.set())


def do(job: Path, done: Path) -> None:
    try:
        number = int(job.read_text())
    except FileNotFoundError:  # whoever had the partition before has finished it
        return
    result = done / f".{job.name}.{os.getpid()}"
    result.write_text(str(number**2))
    result.rename(done / job.name)
    job.unlink(missing_ok=True)


def main() -> None:
    partitions = json.loads(os.environ["DIVVY_PARTITIONS_JSON"])
    folders = [Path(os.environ["JOBS"]) / str(number) for numbers in partitions.values() for number in numbers]
    done = Path(os.environ["DONE"])
    for folder in [*folders, done]:
        folder.mkdir(parents=True, exist_ok=True)
    print("at work on", os.environ["DIVVY_PARTITIONS"], flush=True)
    while not stop.is_set():
        jobs = [job for folder in folders for job in sorted(folder.iterdir())]
        for job in jobs:
            if stop.is_set():
                break
            do(job, done)
        stop.wait(0 if jobs else 0.1)
    print("handed over", flush=True)


if __name__ == "__main__":
    sys.exit(main())
