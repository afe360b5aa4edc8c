"""Holdfast and its peers on the same PostgreSQL, workload by workload in turn, so that both have the same hour.

    python benchmarks/beside_peers.py PEERS [--seconds 3] [--repetitions 1] [--json] [W1 W2 W3 W4 W5]

PEERS is a folder with the peers' own drivers (`driver.py`, `queue_driver.py`), set up by its `setup_peers.sh`: their
virtual environments, and a PostgreSQL with its default, durable settings, on which all databases of this run are made.
Holdfast runs as `holdfast bench --served` does it: the server is one process, the worker with its clients another. What
has no served form yet (W5, enqueueing) runs embedded, and says so. DBOS runs W1, W2, W3 and W5; PgQueuer runs W4.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

SERVER = "postgresql://postgres@127.0.0.1:{port}/postgres"
LONGEST = 900

Row = dict[str, Any]


class Line(NamedTuple):
    """What is compared: our figure, the peer's record and its field; whether less is better; how ours was hosted."""

    workload: str
    title: str
    ours: str
    peer: str
    theirs: str
    field: str
    less: bool = False
    embedded: bool = False


LINES = (
    Line("W1", "a workflow with one task, 200 in flight, per second", "served W1", "DBOS", "W1 hello", "per_s"),
    Line("W1", "the same alone, p50 in ms", "served W1 p50", "DBOS", "W1 latency", "p50_ms", less=True),
    Line("W1", "the same alone, p99 in ms", "served W1 p99", "DBOS", "W1 latency", "p99_ms", less=True),
    Line("W2", "ten tasks in sequence, steps per second", "served W2", "DBOS", "W2 chain10", "steps_s"),
    Line("W3", "100 workflows with 100 tasks each, steps per second", "served W3", "DBOS", "W3 fan100x100", "steps_s"),
    Line("W4", "standalone tasks, per second", "served W4 process", "PgQueuer", "W4 process", "per_s"),
    Line("W4", "enqueued by the thousand, per second", "W4 enqueue batches", "PgQueuer", "W4 enqueue batch 1000", "per_s",
         embedded=True),
    Line("W5", "10,000 sleepers due in 10 s, lateness p99 in ms", "W5 late p99", "DBOS", "W5 timers n=10000 spread=10s",
         "late_p99_ms", less=True, embedded=True),
)  # fmt: skip


class Run:
    """One run: where things are, and how long each measurement is to be."""

    def __init__(self, asked: argparse.Namespace, folder: Path) -> None:
        self._peers = asked.peers.resolve()
        self._asked = asked
        self._raw = folder / "raw.jsonl"
        self._home = Path(os.environ.get("PEERS_HOME", Path(tempfile.gettempdir()) / "peers"))
        self._server = SERVER.format(port=os.environ.get("BENCH_PG_PORT", "55432"))

    def ours(self, workload: str, *, served: bool) -> dict[str, float]:
        """Our figures of a workload, by name."""
        words = [sys.executable, "-m", "holdfast", "bench", workload, "--json", "--store", self._server]
        words += ["--seconds", str(self._asked.seconds), "--repetitions", str(self._asked.repetitions)]
        ended = subprocess.run(
            [*words, *(["--served"] if served else [])], stdout=subprocess.PIPE, check=True, timeout=LONGEST
        )
        measured = json.loads(ended.stdout)["measurements"]
        return {figure["name"]: figure["value"] for each in measured for figure in each["figures"]}

    def theirs(self, workload: str) -> Iterator[Row]:
        """What the peer that has this workload recorded."""
        if workload == "W4":
            words = [self._python("tasks"), "queue_driver.py", "pgqueuer"]  # it knows no other length than its own
        else:
            limits = ["--reps", str(self._asked.repetitions), "--seconds", str(self._asked.seconds)]
            words = [self._python("dbos"), "driver.py", "dbos", "pg", workload, *limits]
        environment = {**os.environ, "BENCH_RAW": str(self._raw), "PEERS_HOME": str(self._home)}
        before = self._recorded()
        subprocess.run(
            words, cwd=self._peers, env=environment, check=True, timeout=LONGEST,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        yield from self._recorded()[len(before) :]

    def _recorded(self) -> list[Row]:
        return [json.loads(line) for line in self._raw.read_text().splitlines()] if self._raw.exists() else []

    def _python(self, name: str) -> str:
        return str(self._home / f"venv-{name}" / "bin" / "python")


def compare(run: Run, workload: str) -> Iterator[Row]:
    """A row for each line of a workload; first ours, then theirs."""
    lines = [line for line in LINES if line.workload == workload]
    ours: dict[str, float] = {}
    for embedded in {line.embedded for line in lines}:
        ours |= run.ours(workload, served=not embedded)
    recorded = list(run.theirs(workload))
    failed = [row for row in recorded if "FAILED" in row["workload"]]
    assert not failed, failed
    for line in lines:
        values = [row[line.field] for row in recorded if row["workload"] == line.theirs]
        assert values, f"{line.peer} has recorded no {line.theirs}: {[row['workload'] for row in recorded]}"
        their = sorted(values)[len(values) // 2]
        better = their / ours[line.ours] if line.less else ours[line.ours] / their
        yield {
            "workload": workload,
            "what": line.title,
            "holdfast": ours[line.ours],
            "hosted": "embedded" if line.embedded else "server and worker",
            "peer": f"{line.peer} {recorded[0]['version']}",
            "theirs": their,
            "times_better": round(better, 2),
            "load": round(os.getloadavg()[0], 1),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", type=Path)
    parser.add_argument("workloads", nargs="*", default=["W1", "W2", "W3", "W4"], metavar="W1…W5")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows: list[Row] = []
    print(time.strftime("%Y-%m-%d %H:%M:%S"), f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(asked, Path(folder))
        for workload in asked.workloads:
            for row in compare(run, workload):
                rows.append(row)
                print(
                    f"{row['what']:52} Holdfast {row['holdfast']:9,.1f} ({row['hosted']})   {row['peer'].split()[0]} "
                    f"{row['theirs']:9,.1f}   {row['times_better']:.2f} times",
                    file=sys.stderr if asked.json else sys.stdout,
                    flush=True,
                )
    if asked.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
