# docker build -t llm-power .
# docker run --rm -v "$PWD/results:/llm-power/results" -v "$PWD/figures:/llm-power/figures" \
#     -v "$PWD/papers:/llm-power/papers" llm-power
# and for the real boards: -v /path/to/data:/data:ro -e LLM_POWER_DATA=/data
# buildah 1.28 has run these steps, and `make table_06`, on Debian 12 with its own Python 3.11.2.
# Unchecked: this base, and its digest.
FROM python:3.11.7-slim-bookworm

RUN apt-get update \
    && apt-get install --yes --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /llm-power

# The environment is a layer of its own: it is made again only when the locks change.
COPY Makefile README.md LICENSE pyproject.toml requirements.lock requirements-build.lock ./
COPY src/llm_power/__init__.py src/llm_power/
RUN make env

COPY . .
CMD ["make", "reproduce"]
