"""Findings of a register, and what their claims should read."""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from jsonschema import Draft202012Validator
from PIL import Image
from registers import audited, check, claim, write_register
from report_examples import example_audit, hostile_audit

from llm_power_audit._errors import AuditError
from llm_power_audit._exhibits import small_pictures
from llm_power_audit.claims import Exhibit
from llm_power_audit.corrections import contradicted_findings, corrections_json, ungrouped
from llm_power_audit.register import load_register


def finding(identifier: str = "f", **fields: Any) -> dict[str, Any]:
    """Return a finding on the claim x, `fields` instead or more."""
    entry = {
        "id": identifier,
        "weight": "wording",
        "finding": "It is {value x}, not {printed x}.",
        "changes": "Nothing.",
        "correction": "Print {value x}.",
        "claims": ["x"],
    }
    return entry | fields


def test_findings_by_weight_and_what_belongs_to_none(tmp_path: Path) -> None:
    found = audited(
        tmp_path,
        *[claim(name, printed="0.5") for name in ("x", "y/1/p", "y/2/p", "z")],
        claim("right"),
        findings=[
            finding("little"),
            finding("none", weight="main_result", claims=["right"]),
            finding("much", weight="conclusion", claims=["y/*/p"]),
        ],
    )
    told = contradicted_findings(found)
    assert [one.finding.id for one in told] == ["much", "little"]
    assert [item.claim.id for item in told[0].contradicted] == ["y/1/p", "y/2/p"]
    assert [item.claim.id for item in ungrouped(found)] == ["z"]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ([finding(claims=["no"])], "finding 'f': there is no claim 'no'"),
        ([finding(claims=["no/*"])], "there is no claim 'no/*'"),
        ([finding(finding="{value no}")], "field findings/finding: finding 'f': there is no claim"),
        ([finding(correction="{value}")], "unknown placeholder or single brace"),
        ([finding(exhibit="table")], "there is no exhibit 'table'"),
        ([finding(should_read={"y": "2"})], "'y' is not one of its claims"),
        ([finding(should_read={"x": "{x}"})], "unknown placeholder or single brace"),
        ([finding(), finding()], "the id occurs twice"),
        ([finding(), finding("g")], "claim 'x' is in finding 'f' too"),
        ([finding(weight="vast")], "'vast' is not one of"),
        ([finding(rank=1)], "Additional properties are not allowed"),
        ([{"id": "f"}], "is a required property"),
    ],
)
def test_findings_that_are_refused(
    tmp_path: Path, entry: list[dict[str, Any]], expected: str
) -> None:
    path = write_register(tmp_path, claim(), claim("y"), findings=entry)
    with pytest.raises(AuditError) as caught:
        load_register(path)
    assert expected in str(caught.value)
    assert "Remedy: " in str(caught.value)


def test_what_each_claim_should_read(tmp_path: Path) -> None:
    reading = [check(reading="a"), check(reading="b", rows={"rank": 2})]
    found = audited(
        tmp_path,
        claim("z", printed="0.5", derivation="By {value}.", consequence="Little."),
        claim("x", printed="0.51"),
        claim("w", printed="half", states={"value": 0.5}),
        claim("r", printed="0.50", checks=reading, undefined="which", exhaustive=True),
        findings=[finding(claims=["x", "w"], should_read={"w": "a share of {value w}"})],
    )
    entries = json.loads(corrections_json(found))["corrections"]
    assert {one["claim"]: one["should_read"] for one in entries} == {
        "x": "0.04",
        "w": "a share of 0.045",
        "z": "0.045",
        "r": "0.04 or 0.13",
    }
    assert [one["finding"] for one in entries] == ["f", "f", None, None]
    assert entries[0]["why"] == "It is 0.04, not 0.51."
    assert (entries[2]["why"], entries[2]["derivation"]) == ("Little.", "By 0.04.")


def test_corrections_have_the_form_that_is_documented() -> None:
    schema = yaml.safe_load(
        files("llm_power_audit").joinpath("corrections.schema.yaml").read_text(encoding="utf-8")
    )
    Draft202012Validator.check_schema(schema)
    for one in (example_audit(), hostile_audit()):
        document = json.loads(corrections_json(one))
        Draft202012Validator(schema).validate(document)
        assert len(document["corrections"]) == len(one.with_verdict("contradicted"))
        assert {entry["author_response"] for entry in document["corrections"]} == {""}


def test_pictures_are_small_and_only_of_what_is_drawn(tmp_path: Path) -> None:
    Image.new("RGBA", (1200, 600), (0, 0, 0, 0)).save(tmp_path / "a.png")
    exhibits = {name: Exhibit(name, f"{name}.svg") for name in ("a", "b")}
    ((name, address),) = small_pictures(exhibits, tmp_path).items()
    assert name == "a"
    head, _, body = address.partition(",")
    assert head == "data:image/png;base64"
    with Image.open(BytesIO(base64.b64decode(body))) as picture:
        assert picture.size == (400, 200)
        # What is transparent is white on every page.
        assert picture.convert("RGB").getpixel((9, 9)) == (255, 255, 255)


def test_a_small_picture_keeps_a_few_grey_lines_beside_many_blue_ones(tmp_path: Path) -> None:
    # Lines in antialiasing: each blend of their color with white, a fifth of them grey.
    cover = np.random.default_rng(0).random((300, 400, 1))
    is_grey = np.arange(300) < 60
    ink = np.where(is_grey[:, None, None], [140, 140, 140], [0, 114, 178])
    Image.fromarray((255 * (1 - cover) + ink * cover).round().astype(np.uint8)).save(
        tmp_path / "a.png"
    )
    address = small_pictures({"a": Exhibit("a", "a.svg")}, tmp_path)["a"]
    with Image.open(BytesIO(base64.b64decode(address.partition(",")[2]))) as picture:
        shown = np.asarray(picture.convert("RGB"), dtype=int)[is_grey]
    assert np.ptp(shown, axis=2).mean() < 2
