"""Print what an edit of each file of the clone makes again, from the records of a run.

    python tools/edits.py [FILE ...]

With files: the jobs that read each, which an edit runs again, and how many may follow, if what they
make comes out otherwise. Without: the same numbers by folder, as in docs/running.md.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tabulate import tabulate

from replication.records import Ledger, Record

ROOT = Path()
FOLDERS = ("data", "src")


def readers(ledger: Ledger) -> dict[str, list[Record]]:
    """Return the jobs that read each file."""
    read_by: dict[str, list[Record]] = defaultdict(list)
    for record in ledger.records:
        for path in record.inputs:
            read_by[path].append(record)
    return read_by


def following(first: Iterable[Record], read_by: dict[str, list[Record]]) -> set[str]:
    """Return the jobs that read what these make, and so on, without these."""
    jobs, waiting = {record.job for record in first}, list(first)
    follow: set[str] = set()
    while waiting:
        for path in waiting.pop().outputs:
            for record in read_by.get(path, ()):
                if record.job not in jobs | follow:
                    follow.add(record.job)
                    waiting.append(record)
    return follow


def by_folder(files: Sequence[str], read_by: dict[str, list[Record]]) -> Iterator[list[object]]:
    """Yield a folder, its files, how many no job reads, and the jobs of the others."""
    folders: dict[str, list[str]] = defaultdict(list)
    for file in files:
        folders["/".join(Path(file).parts[:-1][:2])].append(file)
    for folder, members in sorted(folders.items()):
        read = [file for file in members if file in read_by]
        again = [len(read_by[file]) for file in read]
        after = [len(following(read_by[file], read_by)) for file in read]
        yield [folder, len(members), len(members) - len(read), _span(again), _span(after)]


def _span(numbers: Sequence[int]) -> str:
    ends = dict.fromkeys((min(numbers), max(numbers))) if numbers else {}
    return " to ".join(map(str, ends))


def main(files: Sequence[str]) -> None:
    """Print the table of these files, or of all folders."""
    read_by = readers(Ledger.read(ROOT))
    if files:
        for file in files:
            jobs = read_by.get(file, [])
            print(f"{file}: {', '.join(sorted(job.job for job in jobs)) or 'no job'};", end=" ")
            print(f"{len(following(jobs, read_by))} may follow")
        return
    listed = ["git", "ls-files", *FOLDERS]
    every = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    headers = ["folder", "files", "no job reads", "jobs an edit runs again", "may follow"]
    print(tabulate(by_folder(every.stdout.split(), read_by), headers, tablefmt="pipe"))


if __name__ == "__main__":
    main(sys.argv[1:])
