"""What a reader may rely on in every module without opening it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from needed import ROOT

# They collect what is read or finished; the two tasks are the seed paper's API.
CHANGING = {
    *("BinaryClassificationTask", "PreferenceTask"),
    *("Items", "Run", "Tally"),
}


def changing(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            made = [ast.unparse(decorator) for decorator in node.decorator_list]
            if any(one.startswith("dataclass") and "frozen=True" not in one for one in made):
                yield node.name


def test_a_value_does_not_change_once_it_is_made() -> None:
    modules = (ROOT / "src").rglob("*.py")
    names = [n for path in modules for n in changing(ast.parse(path.read_text("utf-8")))]
    assert sorted(names) == sorted(CHANGING)
