"""Attack a run in copies of the repository: what is killed, flipped or cut must be noticed.

    python tools/attack.py FINISHED [TARGET ...] [--kills 20] [--flips 400] [--cuts 40]
        [--batch 100]

FINISHED is a folder after a run of these targets, by default `make reproduce`. Where an attack hits
is drawn from its name. The exit code is 1 if anything went unnoticed, or came back otherwise.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
from tabulate import tabulate

from replication.records import Ledger

LAUNCHER = [sys.executable, str(Path(__file__).resolve().with_name("launch.py"))]
OPTIONS = ["--", "--cores", "2"]
PARTS = ["Snakefile", "config.yaml", "config", "workflow", "src", "data", "profiles"]
MADE = ["results", "figures", "papers"]
# Times are in them.
TIMED = ("/manifest.json", "/index.html", "ro-crate-metadata.json")
# A run that is killed lives between these, in seconds.
LIVES = (1.0, 15.0)

Damage = Callable[[Path, random.Random], None]


def flip_a_bit(path: Path, rng: random.Random) -> None:
    """Flip one bit, and leave size and times as they are."""
    times, content = path.stat(), bytearray(path.read_bytes())
    bit = rng.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def cut(path: Path, rng: random.Random) -> None:
    """Truncate, empty or remove a file, or fill its end with zeros."""
    size = path.stat().st_size
    how = rng.choice(["half", "empty", "gone", "zeros"])
    if how == "gone":
        path.unlink()
    else:
        os.truncate(path, 0 if how == "empty" else size // 2)
    if how == "zeros":
        os.truncate(path, size)


def launch(where: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Make targets, or verify what was made."""
    command = [*LAUNCHER, *arguments, *OPTIONS]
    return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)


def copy(source: Path, to: Path, parts: Sequence[str]) -> Path:
    """Copy parts of a repository."""
    to.mkdir()
    for name in parts:
        if (source / name).is_dir():
            shutil.copytree(source / name, to / name, symlinks=True)
        elif (source / name).is_file():
            shutil.copy2(source / name, to / name)
    return to


def results(where: Path) -> dict[str, Path]:
    """Return every result by its name; records are none."""
    paths = (path for name in MADE for path in sorted((where / name).rglob("*")))
    return {str(p.relative_to(where)): p for p in paths if p.is_file() and ".sums" not in p.parts}


def is_as_before(where: Path, before: Path) -> bool:
    """Return whether all results have the bytes of the clean run, and their records say so."""
    now, clean = results(where), results(before)
    same = now.keys() == clean.keys() and all(
        path.read_bytes() == clean[name].read_bytes()
        for name, path in now.items()
        if not name.endswith(TIMED)
    )
    return same and launch(where, ["--verify"]).returncode == 0


def attack_files(
    clean: Path, where: Path, names: Sequence[str], damage: Damage, targets: Sequence[str]
) -> tuple[int, bool]:
    """Damage files one after another, and heal them; return how many were named, and the end."""
    damaged: set[str] = set()
    n_named = 0
    for name in names:
        rng = random.Random(name)
        file = rng.choice(sorted(results(where).keys() - damaged))
        damage(where / file, rng)
        damaged.add(file)
        n_named += {one.path for one in Ledger.read(where).differences()} == damaged
    named = set(launch(where, ["--verify"]).stdout.split("\n"))
    all_named = all(any(line.startswith(f"{file} ") for line in named) for file in damaged)
    healed = launch(where, targets).returncode == 0
    return n_named, all_named and healed and is_as_before(where, clean)


def attack_processes(
    clean: Path, where: Path, names: Sequence[str], targets: Sequence[str]
) -> tuple[int, bool]:
    """Kill runs one after another, and let the last one end; count those that were gone on with."""
    n_gone_on, as_before = 0, True
    for name in names:
        rng = random.Random(name)
        before = had_lock(where)
        with subprocess.Popen(
            [*LAUNCHER, *targets, *OPTIONS],
            cwd=where,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as running:
            try:
                running.wait(rng.uniform(*LIVES))
            except subprocess.TimeoutExpired:
                kill(running.pid, all_of_it=rng.random() < 0.5)
            screen = running.communicate()[1].decode()
        n_gone_on += running.returncode != os.EX_TEMPFAIL and (
            not before or "of a killed run" in screen
        )
        if running.returncode == 0:
            as_before &= is_as_before(where, clean)
            for made in [*MADE, ".snakemake"]:
                shutil.rmtree(where / made, ignore_errors=True)
    as_before &= launch(where, targets).returncode == 0
    return n_gone_on, as_before and is_as_before(where, clean)


def had_lock(where: Path) -> bool:
    """Return whether a killed run has left its lock."""
    return any((where / ".snakemake" / "locks").glob("*.lock"))


def kill(launcher: int, *, all_of_it: bool) -> None:
    """Kill Snakemake, whose jobs go on writing; or at once all that belongs to the run."""
    process = psutil.Process(launcher)
    own = process.children()
    victims = [process, *process.children(recursive=True)] if all_of_it else own
    for victim in victims or [process]:
        victim.kill()


def attacks(clean: Path, folder: Path, chosen: argparse.Namespace) -> Iterator[list[object]]:
    """Attack, and say of each kind of attack how many there were and what became of them."""
    for kind, n, damage in (("flip", chosen.flips, flip_a_bit), ("cut", chosen.cuts, cut)):
        if n == 0:
            continue
        names = [f"{kind}/{k}" for k in range(n)]
        where = copy(clean, folder / kind, [*PARTS, *MADE, ".snakemake"])
        started, n_named, as_before = time.monotonic(), 0, True
        for at in range(0, n, chosen.batch):
            batch = names[at : at + chosen.batch]
            named, healed = attack_files(clean, where, batch, damage, chosen.targets)
            n_named, as_before = n_named + named, as_before and healed
        yield [kind, n, n_named, as_before, f"{time.monotonic() - started:.0f}"]
    if chosen.kills == 0:
        return
    started = time.monotonic()
    where = copy(clean, folder / "kill", PARTS)
    names = [f"kill/{k}" for k in range(chosen.kills)]
    n_gone_on, as_before = attack_processes(clean, where, names, chosen.targets)
    yield ["kill", chosen.kills, n_gone_on, as_before, f"{time.monotonic() - started:.0f}"]


def main() -> int:
    """Attack, print the table, and return whether all went well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("finished", type=Path)
    parser.add_argument("targets", nargs="*")
    for name, default in (("kills", 20), ("flips", 400), ("cuts", 40), ("batch", 100)):
        parser.add_argument(f"--{name}", type=int, default=default)
    chosen = parser.parse_args()
    headers = ["attack", "number", "noticed or gone on with", "end as the clean run", "s"]
    with tempfile.TemporaryDirectory() as folder:
        clean = copy(chosen.finished, Path(folder) / "clean", [*PARTS, *MADE, ".snakemake"])
        rows = []
        for row in attacks(clean, Path(folder), chosen):
            rows.append(row)
            print(*row, file=sys.stderr, flush=True)
    print(tabulate(rows, headers, tablefmt="pipe"))
    return 0 if all(row[1] == row[2] and row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
