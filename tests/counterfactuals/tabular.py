"""A small table of two classes, and models trained on it here, with their gradients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.neural_network import MLPClassifier  # type: ignore[import-untyped]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Network:
    """A trained network of tanh layers: P(class 1), and its gradient by the features."""

    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]

    def predict(self, x: Floats) -> Floats:
        return self._layers(x)[-1][:, 0]

    def gradient(self, x: Floats) -> Floats:
        layers = self._layers(x)
        back = (layers[-1] * (1 - layers[-1])) @ self.weights[-1].T
        for w, out in zip(self.weights[-2::-1], layers[-2::-1], strict=True):
            back = (back * (1 - out**2)) @ w.T
        return back

    def _layers(self, x: Floats) -> list[Floats]:
        outs = []
        for at, (w, b) in enumerate(zip(self.weights, self.biases, strict=True), 1):
            x = x @ w + b
            x = np.tanh(x) if at < len(self.weights) else 1 / (1 + np.exp(-x))
            outs.append(x)
        return outs


@cache
def table() -> tuple[Floats, NDArray[np.int64]]:
    """300 rows of six features in very different units, and the class of each.

    The class comes from four of them; the fifth and sixth are noise.
    """
    rng = np.random.default_rng(5)
    z = rng.normal(size=(300, 6))
    raw = 1.5 * z[:, 0] - 1.2 * z[:, 1] + 0.9 * z[:, 2] + 0.4 * z[:, 3]
    classes = (raw + 0.3 * rng.normal(size=300) > 0).astype(np.int64)
    return z * [1, 20, 0.05, 3, 1_000, 1] + [0, 50, 0, 10, 5_000, -1], classes


@cache
def linear() -> Network:
    """A logistic regression."""
    z, mean, spread, classes = _standardised()
    model = LogisticRegression().fit(z, classes)
    return _in_raw_units([model.coef_.T], [model.intercept_], mean, spread)


@cache
def network() -> Network:
    """A network of one hidden layer of eight."""
    z, mean, spread, classes = _standardised()
    model = MLPClassifier(
        (8,), activation="tanh", solver="lbfgs", alpha=3.0, max_iter=2_000, random_state=0
    ).fit(z, classes)
    return _in_raw_units(model.coefs_, model.intercepts_, mean, spread)


def _standardised() -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    x, classes = table()
    mean, spread = x.mean(axis=0), x.std(axis=0)
    return (x - mean) / spread, mean, spread, classes


def _in_raw_units(
    weights: list[Floats], biases: list[Floats], mean: Floats, spread: Floats
) -> Network:
    first = weights[0] / spread[:, None]
    return Network((first, *weights[1:]), (biases[0] - mean @ first, *biases[1:]))
