"""Logs of every format: what finding them does, whatever tool wrote them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from llm_power._errors import ScoreError
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import formats

EVERY_FORMAT = pytest.mark.parametrize("name", formats())


@EVERY_FORMAT
def test_a_folder_without_logs(tmp_path: Path, name: str) -> None:
    form = formats()[name]
    message = f"the folder holds no file like {' or '.join(form.patterns)}. Remedy: give the folder"
    with pytest.raises(ScoreError, match=re.escape(message)):
        form([tmp_path], ReadOptions())


@EVERY_FORMAT
def test_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(ScoreError, match="cannot be read"):
        formats()[name]([tmp_path / "heron.log"], ReadOptions())
