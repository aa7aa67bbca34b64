"""A search indexer with two copies of each shard, for `divvy run --each` with the strategy `redundant`.

    DOCS=docs INDEX=index NODE=a divvy run --group search --topic shards --each \
        --assignor redundant --rack a --ready-line 'shard is ready' -- python3 indexer.py

The documents of shard N are the text files of $DOCS/N. Each copy indexes them by itself and answers on a socket of its
own, $INDEX/N/NODE.sock: a line with a word in, a line with the names of the documents out. So any copy can be asked,
and searching goes on when a node dies. The primary ($DIVVY_PRIMARY) also writes the shard's index to $INDEX/N/index.json, under its epoch:
a primary that was replaced and does not know it yet is refused.
"""

import fcntl
import json
import os
import re
import signal
import socketserver
import threading
from pathlib import Path

stop = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stop.set())

SHARD = os.environ["DIVVY_PARTITION"]
PLACE = Path(os.environ["INDEX"]) / SHARD
index: dict[str, set[str]] = {}


class Search(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            found = sorted(index.get(line.decode().strip().lower(), ()))
            self.wfile.write((" ".join(found) + "\n").encode())


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def take_in(document: Path) -> None:
    for word in re.findall(r"\w+", document.read_text().lower()):
        index.setdefault(word, set()).add(document.stem)


def publish(epoch: int) -> None:
    """Replaces the shard's index unless a primary of a later epoch has: looked at and replaced under one lock."""
    with open(PLACE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        whole = PLACE / "index.json"
        last = json.loads(whole.read_text())["epoch"] if whole.exists() else epoch
        if epoch < last:
            raise SystemExit(f"epoch {last} has written since: this one has {epoch}")
        words = {word: sorted(documents) for word, documents in index.items()}
        new = PLACE / "index.json.new"
        new.write_text(json.dumps({"epoch": epoch, "by": os.environ["NODE"], "words": words}))
        new.rename(whole)


def main() -> None:
    documents = Path(os.environ["DOCS"]) / SHARD
    for folder in (documents, PLACE):
        folder.mkdir(parents=True, exist_ok=True)
    socket = PLACE / f"{os.environ['NODE']}.sock"
    socket.unlink(missing_ok=True)
    seen: set[str] = set()
    server = None
    while not stop.is_set():
        new = [document for document in sorted(documents.glob("*.txt")) if document.name not in seen]
        for document in new:
            take_in(document)
            seen.add(document.name)
        if os.environ.get("DIVVY_PRIMARY") == "1" and (new or server is None):
            publish(int(os.environ["DIVVY_EPOCH"]))
        if server is None:
            server = Server(str(socket), Search)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            print(f"shard is ready: {len(seen)} documents, primary {os.environ.get('DIVVY_PRIMARY')}", flush=True)
        stop.wait(0.1)
    socket.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
