r"""The reference table: one latent Gaussian factor behind the answers of all models.

Model m solves an item of easiness :math:`F \sim N(0, 1)` with probability

.. math:: \Phi\!\left(\frac{\Phi^{-1}(p_m) + \lambda_m F}{\sqrt{1-\lambda_m^2}}\right),

independently of the other models given F. Its accuracy is :math:`p_m` for any loading
:math:`\lambda_m`, and the latent correlation of two models is :math:`\lambda_m\lambda_k`.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from scipy.special import expit, ndtr, ndtri

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import finite, non_negative
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray

# The trapezoid rule on a fine grid: spectrally accurate for a Gaussian-weighted smooth integrand.
_GRID = np.linspace(-7.0, 7.0, 281)
_WEIGHTS = np.exp(-np.square(_GRID) / 2) / np.exp(-np.square(_GRID) / 2).sum()


def cell_patterns(n_models: int) -> IntArray:
    """Return the patterns of solving models, sorted; 0/1, shape (2**n_models, n_models)."""
    return np.array(list(product((0, 1), repeat=n_models)), dtype=np.int64)


def model_pairs(n_models: int) -> tuple[tuple[int, int], ...]:
    """Return all pairs of models, the first before the second."""
    return tuple(combinations(range(n_models), 2))


def reference_cells(p: ArrayLike, loadings: ArrayLike) -> FloatArray:
    """Return the probability of every pattern of solving models, shape (2**n_models,)."""
    curves = _item_curves(p, loadings)
    patterns = cell_patterns(curves.shape[1])
    of_pattern = np.where(patterns[None] == 1, curves[:, None, :], 1 - curves[:, None, :])
    cells: FloatArray = (_WEIGHTS[:, None] * of_pattern.prod(axis=2)).sum(axis=0)
    return cells


def reference_overlaps(p: ArrayLike, loadings: ArrayLike) -> FloatArray:
    """Return the probability that both models of a pair solve an item, shape (n_pairs,)."""
    curves = _item_curves(p, loadings)
    first, second = np.array(model_pairs(curves.shape[1])).T
    overlaps: FloatArray = (_WEIGHTS[:, None] * curves[:, first] * curves[:, second]).sum(axis=0)
    return overlaps


def product_loadings(task_logits: ArrayLike, model_discounts: ArrayLike) -> FloatArray:
    r"""Loadings :math:`\lambda_{tm} = \mathrm{expit}(a_t)\,e^{-u_m}` of every task and model."""
    tasks = finite("task_logits", task_logits)
    models = non_negative("model_discounts", model_discounts)
    return np.asarray(expit(tasks)[:, None] * np.exp(-models)[None, :])


def _item_curves(p: ArrayLike, loadings: ArrayLike) -> FloatArray:
    accuracy, loading = np.broadcast_arrays(finite("p", p), finite("loadings", loadings))
    for name, values, low in (("p", accuracy, 0.0), ("loadings", loading, -1.0)):
        outside = (values <= low) | (values >= 1)
        if np.any(outside):
            raise InvalidArgument(
                f"{name} must lie strictly between {low:g} and 1, got {float(values[outside][0])!r}"
            )
    location = ndtri(accuracy)[None, :] + loading[None, :] * _GRID[:, None]
    return np.asarray(ndtr(location / np.sqrt(1 - np.square(loading))[None, :]))
