"""Small pictures of exhibits, to stand in a page."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image, UnidentifiedImageError

from llm_power_audit.claims import Exhibit

# A little more than the widest place in the page.
_WIDTH: Final = 400
_COLORS: Final = 64


def small_pictures(exhibits: Mapping[str, Exhibit], results: Path) -> dict[str, str]:
    """Return a small picture of each exhibit that is drawn as a PNG beside its file."""
    drawn = {name: results / Path(one.file).with_suffix(".png") for name, one in exhibits.items()}
    found = {}
    for name, path in drawn.items():
        # In the place of an undefined exhibit stands why it is none.
        with suppress(UnidentifiedImageError, FileNotFoundError):
            found[name] = picture_address(path)
    return found


def picture_address(path: Path, width: int = _WIDTH, colors: int = _COLORS) -> str:
    """Return a picture as an address that holds it, on white, no wider or higher than `width`."""
    with Image.open(path) as picture:
        flat = Image.new("RGB", picture.size, "white")
        flat.paste(picture, mask=picture.convert("RGBA").getchannel("A"))
    flat.thumbnail((width, width), Image.Resampling.LANCZOS)
    file = BytesIO()
    flat.quantize(colors, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
