"""Print the lines of Python by folder: all, code, docstrings, files.

    python tools/mass.py [COMMIT]

Code is what is neither blank nor a comment nor a docstring. With a commit, the change since it.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

_KINDS: Final = ("lines", "code", "docstrings", "files")
_NOT_CODE: Final = (
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
)


def main() -> None:
    """Print a row a folder of the last commit."""
    now = mass("HEAD")
    before = mass(sys.argv[1]) if len(sys.argv) > 1 else None
    print(f"{'':28}" + "".join(f"{kind:>12}" for kind in _KINDS))
    for folder, counted in sorted(now.items()):
        print(f"{folder:28}" + "".join(f"{counted[kind]:>12}" for kind in _KINDS))
        if before is not None:
            changes = (f"{counted[kind] - before[folder][kind]:>+12}" for kind in _KINDS)
            print(f"{'':28}" + "".join(changes))


def mass(commit: str) -> dict[str, Counter[str]]:
    """Return what is counted in each folder of a commit, and in src as a whole."""
    by_folder: dict[str, Counter[str]] = defaultdict(Counter)
    for name, text in python_files(commit):
        parts = name.split("/")
        folder = "/".join(parts[:2]) if parts[0] == "src" else parts[0]
        for place in {folder, parts[0]}:
            by_folder[place].update(counted(text))
    return by_folder


def python_files(commit: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each Python file of a commit."""
    listed = _git("ls-tree", "-r", "--name-only", commit).decode().splitlines()
    names = [name for name in listed if name.endswith(".py")]
    asked = "\n".join(f"{commit}:{name}" for name in names).encode()
    answer = io.BytesIO(_git("cat-file", "--batch", given=asked))
    for name in names:
        size = int(answer.readline().split()[2])
        yield name, answer.read(size).decode("utf-8", "replace")
        answer.readline()


def counted(text: str) -> dict[str, int]:
    """Return the lines of a file by kind."""
    docstrings = sum(_docstring_lines(node) for node in ast.walk(ast.parse(text)))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    spans = (t for t in tokens if t.type not in _NOT_CODE)
    filled = {line for t in spans for line in range(t.start[0], t.end[0] + 1)}
    numbers = (text.count("\n"), len(filled) - docstrings, docstrings, 1)
    return dict(zip(_KINDS, numbers, strict=True))


def _docstring_lines(node: ast.AST) -> int:
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    if not isinstance(node, documented) or ast.get_docstring(node, clean=False) is None:
        return 0
    first = node.body[0]
    return (first.end_lineno or first.lineno) - first.lineno + 1


def _git(*arguments: str, given: bytes = b"") -> bytes:
    return subprocess.run(["git", *arguments], input=given, capture_output=True, check=True).stdout


if __name__ == "__main__":
    main()
