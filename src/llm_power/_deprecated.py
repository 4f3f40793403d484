"""Old names that go on working for one release, with a warning that says the new one.

`docs/what-changed.md` has what replaced columns, settings and registers.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

_SIMULATION: Final = {
    "bernoulli_pairs": (
        *("PairedCells", "paired_bernoulli_cells", "latent_correlation", "gap_at_required_n"),
        "discordance_from_required_n",
    ),
    "graded_pairs": ("draw_graded_pairs", "graded_difference_variance"),
}
_VERDICTS: Final = {
    "operating_point": ("OperatingPoint",),
    "tabulation": ("tabulate_pairs",),
    "cluster_sums": ("tabulate_clusters", "cluster_sums", "cluster_moments"),
    "resolution": ("add_resolution",),
    "multiplicity": ("add_multiplicity",),
    "clusters": ("add_clusters",),
    "sequential": ("add_sequential",),
    "verdicts": ("verdict_table", "PAIRS_COLUMNS"),
}
_DESIGN_EFFECT: Final = {
    "cluster_moments": ("ClusterMoments", "moments_from_sums", "moments_from_counts"),
    "category_bootstrap": ("CategoryBootstrap", "resample_clusters", "category_bootstrap"),
}
_BOOTSTRAP: Final = {
    "bootstrap_law": (
        *("BootstrapDistribution", "exact_bootstrap_distribution", "bootstrap_tails"),
        *("percentile_bootstrap_boundary", "percentile_bootstrap_rejects"),
    ),
    "required_n_bootstrap": ("BootstrapRequiredN", "bootstrap_required_n"),
}
_PRINTED: Final = {
    "printed": (
        *("Printed", "PrintedInterval", "PrintedCount", "parse_printed", "parse_interval"),
        *("parse_count", "display_nearest"),
    ),
    "agreement": ("agrees",),
}


# What was another name for a function of NumPy.
_PLAIN: Final = {"display_up": "numpy:ceil", "display_down": "numpy:floor"}


def _homes(package: str, modules: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {name: f"{package}.{module}" for module, names in modules.items() for name in names}


# Names that moved, by the module that they were in; those of other modules moved together.
_NAMES: Final[dict[str, dict[str, str]]] = {
    "llm_power.pairs.verdicts": _homes("llm_power.board", _VERDICTS),
    "llm_power.published": _homes("llm_power", _PRINTED) | _PLAIN,
    "llm_power.statistics.simulation": _homes("llm_power.statistics", _SIMULATION),
    "llm_power.statistics.design_effect": _homes("llm_power.statistics", _DESIGN_EFFECT),
    "llm_power.statistics.paired_bootstrap": _homes("llm_power.statistics", _BOOTSTRAP),
}
_PACKAGES: Final[dict[str, tuple[str, ...]]] = {
    "llm_power.pairs": (
        *("cluster_robustness", "counts", "families", "ranking", "resolve", "summary"),
    ),
    "llm_power.render": ("board_figure", "figures", "tables"),
}
_NEW_PACKAGES: Final = {
    "llm_power.pairs": "llm_power.board",
    "llm_power.render": "llm_power.report",
}


def moved_names(module: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module that names have moved out of."""
    homes = _NAMES.get(module, {})
    package, _, stem = module.rpartition(".")
    together = f"{_NEW_PACKAGES[package]}.{stem}" if package in _NEW_PACKAGES else None

    def find(name: str) -> Any:
        home = homes.get(name) or (None if name.startswith("__") or homes else together)
        if home is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, _, new = home.partition(":")
        value = getattr(import_module(home), new or name)
        now = f"{home}.{new or name}"
        text = f"{module}.{name} is {now} now; the old name goes with the next release"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return value

    return find


class _OldModules(MetaPathFinder, Loader):
    """Imports a module that is no longer there as one whose names are found where they are."""

    def find_spec(self, fullname: str, *_args: Any) -> ModuleSpec | None:
        package, _, stem = fullname.rpartition(".")
        is_package = fullname in _PACKAGES
        if is_package or stem in _PACKAGES.get(package, ()) or fullname in _NAMES:
            return ModuleSpec(fullname, self, is_package=is_package)
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__getattr__ = moved_names(module.__name__)  # type: ignore[method-assign]


def keep_old_modules() -> None:
    """Let the modules of the release before be imported, after all that are there."""
    sys.meta_path.append(_OldModules())
