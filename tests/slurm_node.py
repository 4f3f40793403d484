"""A Slurm cluster of two nodes, both this machine, for as long as a block of code runs.

Debian's packages are installed where they are missing, which takes root. Nothing else of the
machine is changed but one file, the configuration, which is there while the cluster is.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
from filelock import FileLock

PACKAGES: Final = ("slurm-wlm", "munge")
_PROGRAMS: Final = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel")
# A step of a job looks here: the executor plugin takes SLURM_CONF out of its environment.
_CONFIGURATION: Final = Path("/etc/slurm/slurm.conf")
_HEADER: Final = "# Written by tests/slurm_node.py of llm-power; it goes when the cluster stops.\n"
_STATE: Final = Path("/run/llm-power-slurm")
_SECONDS: Final = 30.0

# Control groups, which a container often has not, are used nowhere. Memory is given out as it is
# asked for, and a job that takes more is ended. Ended jobs stay known for a day.
_TEXT: Final = """\
ClusterName=llm-power
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={state}/munge.socket
CredType=cred/munge
SlurmctldPort={controller}
StateSaveLocation={state}/controller
SlurmdSpoolDir={state}/%n
SlurmctldPidFile={state}/slurmctld.own.pid
SlurmdPidFile={state}/%n.own.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=86400
KillWait=2
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE
"""

# A node is a slurmd of its own; each has all cores, and its share of the memory.
NODES: Final = ("one", "two")
_NODE: Final = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cores} "
    "RealMemory={memory}"
)


class NotHere(Exception):
    """A cluster cannot be started on this machine; the one argument says why."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job as Slurm knows it.

    Attributes
    ----------
    number : str
        What Slurm calls it.
    state : str
        RUNNING, COMPLETED, CANCELLED and so on.
    memory : str
        What it asked for.
    limit : str
        The time it asked for.
    node : str
        Where it runs or ran, empty before it starts.
    comment : str
        The rule, and the wildcards.
    """

    number: str
    state: str
    memory: str
    limit: str
    node: str
    comment: str

    @property
    def rule(self) -> str:
        """The rule that the executor plugin names in the comment."""
        return self.comment.removeprefix("rule_").partition("_wildcards_")[0]


@contextmanager
def cluster() -> Iterator[None]:
    """Start a cluster of this machine and stop it, whatever happens in between.

    Raises
    ------
    NotHere
        If it cannot be started here, for want of root, apt-get or the place of another cluster.
    """
    _install()
    if _CONFIGURATION.exists() and not _CONFIGURATION.read_text().startswith(_HEADER):
        raise NotHere(f"{_CONFIGURATION} is another cluster's")
    if "SLURM_CONF" in os.environ:
        raise NotHere("SLURM_CONF names another cluster")
    with FileLock(_STATE.with_suffix(".lock")):
        _stop()
        try:
            _start()
            yield
        finally:
            _stop()


def jobs() -> list[Job]:
    """Return every job the cluster has had."""
    listed = _said("squeue", "--states=all", "--noheader", "--format=%i|%T|%m|%l|%N|%k")
    return [Job(*line.split("|", 5)) for line in listed.splitlines()]


def cancel(job: Job) -> None:
    """End a job as an administrator would."""
    _said("scancel", job.number)


def _install() -> None:
    if os.geteuid():
        raise NotHere("only root can start a cluster")
    if all(map(shutil.which, _PROGRAMS)):
        return
    if not shutil.which("apt-get"):
        raise NotHere(f"no apt-get to install {' and '.join(PACKAGES)} with")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--quiet=2", "--yes", "--no-install-recommends", *PACKAGES]
    for command in (["apt-get", "update", "--quiet=2"], install):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if done.returncode:
            raise NotHere(f"{' '.join(command)}: {done.stderr.strip().splitlines()[-1]}")


def _start() -> None:
    _STATE.mkdir(mode=0o755)
    (_STATE / "controller").mkdir()
    for name in NODES:
        (_STATE / name).mkdir()
    key = _STATE / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(1024))
    controller, *ports = _free_ports(1 + len(NODES))
    machine = {
        "host": _host(),
        "cores": os.cpu_count(),
        # What is left for the system.
        "memory": psutil.virtual_memory().total // 2**20 * 9 // 10 // len(NODES),
    }
    nodes = [
        _NODE.format(name=name, port=port, **machine)
        for name, port in zip(NODES, ports, strict=True)
    ]
    _CONFIGURATION.parent.mkdir(exist_ok=True)
    _CONFIGURATION.write_text(
        _HEADER
        + _TEXT.format(
            host=_host(),
            state=_STATE,
            controller=controller,
            nodes="\n".join(nodes),
        )
    )
    files = {"key-file": "key", "socket": "socket", "seed-file": "seed", "log-file": "log"}
    files |= {"pid-file": "own.pid"}
    options = [f"--{option}={_STATE}/munge.{end}" for option, end in files.items()]
    _launch("munged", "munged", "--foreground", "--force", *options)
    _wait("munged", (_STATE / "munge.socket").exists)
    _launch("slurmctld", "slurmctld", "-D")
    for name in NODES:
        _launch(name, "slurmd", "-D", "-N", name)
    up = ["sinfo", "--noheader", "--states=idle", "--format=%D"]
    _wait(NODES[0], lambda: _said(*up) == str(len(NODES)))


def _launch(name: str, program: str, *options: str) -> None:
    with (_STATE / f"{name}.out").open("w") as log:
        started = subprocess.Popen(
            [program, *options], stdout=log, stderr=log, start_new_session=True
        )
    (_STATE / f"{name}.pid").write_text(str(started.pid))


def _wait(name: str, ready: Callable[[], bool]) -> None:
    end = time.monotonic() + _SECONDS
    while not ready():
        if time.monotonic() > end:
            said = (_STATE / f"{name}.out").read_text()
            raise NotHere(f"{name} does not start: {said.strip()[-500:]}")
        time.sleep(0.1)


def _stop() -> None:
    """End the jobs, then the programs that an earlier call started, and remove their files."""
    if _process("slurmctld"):
        _said("scancel", "--user=root")
        end = time.monotonic() + _SECONDS
        while _said("squeue", "--noheader") and time.monotonic() < end:
            time.sleep(0.2)
    for name in (*NODES, "slurmctld", "munged"):
        if process := _process(name):
            process.terminate()
            with suppress(psutil.TimeoutExpired):
                process.wait(_SECONDS)
    shutil.rmtree(_STATE, ignore_errors=True)
    _CONFIGURATION.unlink(missing_ok=True)


def _process(name: str) -> psutil.Process | None:
    """Return a program that was started here and still runs."""
    with suppress(OSError, ValueError, psutil.NoSuchProcess):
        process = psutil.Process(int((_STATE / f"{name}.pid").read_text()))
        if process.name() in _PROGRAMS:
            return process
    return None


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _host() -> str:
    return socket.gethostname().partition(".")[0]


def _free_ports(number: int) -> list[int]:
    """Return ports that nothing listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for bound in sockets:
            bound.bind(("127.0.0.1", 0))
        return [bound.getsockname()[1] for bound in sockets]
