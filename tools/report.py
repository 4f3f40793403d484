"""Write Snakemake's report of a finished run, which opens on the audit.

python tools/report.py FILE [SNAKEMAKE-OPTION ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

SNAKEMAKE = Path(sys.executable).with_name("snakemake")
STYLE: Final = "workflow/report/report.css"
# Snakemake's report opens on the graph of the rules, and gives a page to its frame as an address,
# which browsers refuse above 2 MB. `app` and `results` are its own.
OPEN: Final = """
<script>
(async function open() {
  const pages = Object.entries(results).filter(([, one]) => one.mime_type === "text/html");
  for (const [, one] of pages) {
    const bytes = Uint8Array.from(atob(one.data_uri.split(",")[1]), (c) => c.charCodeAt(0));
    const page = new Blob([bytes], {type: "text/html;charset=utf-8"});
    one.data_uri = URL.createObjectURL(page);
  }
  const path = "results/audit/report.html";
  while (typeof app === "undefined") await new Promise((done) => setTimeout(done, 20));
  app.setView({
    content: "html", contentPath: results[path].data_uri, resultPath: path,
    hideNavbar: innerWidth <= 700,
  });
})();
</script>
"""


def main(arguments: Sequence[str]) -> int:
    """Return Snakemake's exit code."""
    page, *options = arguments
    command: list[str | Path] = [
        SNAKEMAKE,
        *options,
        "--report",
        page,
        "--report-stylesheet",
        STYLE,
    ]
    # Snakemake lists there what it packs.
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return done.returncode
    text = Path(page).read_text(encoding="utf-8")
    head, end, tail = text.rpartition("</body>")
    Path(page).write_text(head + OPEN + end + tail, encoding="utf-8")
    print(f"Open {os.path.abspath(page)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
