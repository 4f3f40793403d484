"""Files that a user names: opened, named where the system does not, and written as whole sets."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import BinaryIO, Final

from llm_power._errors import InvalidArgument

# What a file of each option ends in.
REPORT_ENDINGS: Final[Mapping[str, Sequence[str]]] = {
    "--report": (".txt", ".md", ".json", ".html"),
    "--junit": (".xml",),
}
# The files of a set are made in a folder of their own inside the target. Then those of the earlier
# set move out, and only then the new ones in: whenever the process is killed, the files to be seen
# are of one set. What is left unfinished, the next writer completes or clears away; it knows by a
# lock, which the system takes from a process that ends, that nobody is at work on it.
WORKSHOP: Final = ".llm-power-unfinished"
_SCRATCH: Final = ".llm-power-scratch-"
# Names of the files of a dataset of pairs: those of other folders are not ours to replace.
_PART: Final = re.compile(r"part-[0-9]{5,}\.parquet")


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading, but no pipe, socket or device, which may never come to an end."""
    mode = path.stat().st_mode
    # To open a folder is an error already.
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        problem = "a pipe, a socket or a device instead of a file"
        raise OSError(errno.EINVAL, problem, os.fspath(path))
    return path.open("rb")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name a file or folder in a system's error that names none, as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        # Arrow has a text of its own.
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the place of a file that, once written, becomes `path`; errors of the system name it."""
    part = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        if error.errno is None:
            raise
        # Arrow has a text of its own.
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write a file that nobody sees a part of; an error names it."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")


def remove_reports(arguments: Sequence[str]) -> None:
    """Remove the reports that a command line names, valid or not, but nothing it reads."""
    words = [""]
    for argument in arguments:
        words += argument.split("=", 1) if argument.startswith("--") else [argument]
    named = list(pairwise(words))
    others = [word for option, word in named if option not in REPORT_ENDINGS]
    for option, path in named:
        if Path(path).suffix not in REPORT_ENDINGS.get(option, ()) or not os.path.isfile(path):
            continue
        if not any(os.path.exists(other) and os.path.samefile(path, other) for other in others):
            os.unlink(path)


@contextmanager
def scratch_folder(out: Path) -> Iterator[Path]:
    """Have a folder inside `out` for what is too large to be made twice, and clear it away."""
    out.mkdir(parents=True, exist_ok=True)
    for left in out.glob(f"{_SCRATCH}*"):
        with suppress(BlockingIOError, FileNotFoundError), _held(left, fcntl.LOCK_NB):
            shutil.rmtree(left)
    with ExitStack() as stack:
        made = None
        while made is None:
            folder = Path(mkdtemp(prefix=_SCRATCH, dir=out))
            # Another process may have taken it for one that is left, before it was held.
            with suppress(FileNotFoundError):
                stack.enter_context(_held(folder))
                made = folder
        stack.callback(shutil.rmtree, made, ignore_errors=True)
        yield made


@contextmanager
def _held(folder: Path, flags: int = 0) -> Iterator[None]:
    """Lock a folder; it is not found if it was cleared away, or made anew, before it was held."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | flags)
        if not os.path.samestat(os.fstat(descriptor), folder.stat()):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
        yield
    finally:
        os.close(descriptor)


def require_replaceable(place: Path) -> None:
    """Refuse to write results where a folder is that is none of them."""
    if not _is_result(place):
        raise InvalidArgument(
            f"{str(place)!r} is a folder of other files, where results belong. Remedy: move it "
            "away, or name another folder for the results."
        )


def write_together(
    out: Path, write: Callable[[Path], None], *, replaces: Sequence[str] = ()
) -> None:
    """Write a set of files, all of it or nothing."""
    out.mkdir(parents=True, exist_ok=True)
    with _workshop(out) as workshop:
        making, made, earlier = (workshop / name for name in ("making", "made", "earlier"))
        if made.exists():
            _put_in_place(made, earlier, out, replaces)
        _discard(making, earlier)
        making.mkdir()
        with naming(out):
            write(making)
        names = os.listdir(making)
        # From here on a run that is killed is completed by the next.
        making.rename(made)
        try:
            _put_in_place(made, earlier, out, replaces)
        except BaseException:
            if made.exists():
                _take_back(names, made, earlier, out)
                # A set that is deleted file by file must not pass for a complete one.
                made.rename(making)
            raise


def _put_in_place(made: Path, earlier: Path, out: Path, replaces: Sequence[str]) -> None:
    """Move a set to its place, all earlier files out of it first; may be done again."""
    earlier.mkdir(exist_ok=True)
    names = sorted(os.listdir(made))
    for place in (out / name for name in names):
        require_replaceable(place)
    for name in {*names, *filter(lambda name: _is_result(out / name), replaces)}:
        with suppress(FileNotFoundError):
            (out / name).rename(earlier / name)
    for name in names:
        (made / name).rename(out / name)
    made.rmdir()


def _is_result(place: Path) -> bool:
    """Whether what is there may be taken for a result: a file, or the folder of a dataset."""
    if place.is_symlink() or not place.is_dir():
        return True
    paths = list(place.iterdir())
    return bool(paths) and all(_PART.fullmatch(path.name) and not path.is_dir() for path in paths)


def _take_back(names: Iterable[str], made: Path, earlier: Path, out: Path) -> None:
    for name in set(names) - set(os.listdir(made)):
        (out / name).rename(made / name)
    for path in earlier.iterdir():
        path.rename(out / path.name)


@contextmanager
def _workshop(out: Path) -> Iterator[Path]:
    """Make the folder of unfinished files, or take over the one that a killed run has left."""
    folder = out / WORKSHOP
    with ExitStack() as stack:
        owned = False
        while not owned:
            with suppress(FileExistsError):
                folder.mkdir()
            # Whoever held it may have cleared it away by now.
            with suppress(FileNotFoundError):
                stack.enter_context(_held(folder))
                owned = True
        try:
            yield folder
        finally:
            if not (folder / "made").exists():
                shutil.rmtree(folder)


def _discard(*folders: Path) -> None:
    for folder in folders:
        if folder.exists():
            shutil.rmtree(folder)
