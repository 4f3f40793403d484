"""Downloads of published per-item results: pinned, verified, all of a file or nothing."""

import os

# Read by the hub's client when it is imported: its first headers of a day would otherwise ask
# huggingface.co for a list of programs, whatever the endpoint is.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
