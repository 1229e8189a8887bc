"""Repeatable randomness: one independent stream per cause.

Each nuisance draws from its own stream, so that switching one off leaves all others as they were.
"""

from zlib import crc32

import numpy as np


class Streams:
    """Random generators by name, all following from one seed."""

    def __init__(self, *seed: int | str) -> None:
        self._seed = [crc32(part.encode()) if isinstance(part, str) else part for part in seed]

    def __getitem__(self, name: str) -> np.random.Generator:
        """A generator at the start of the stream `name`."""
        return np.random.default_rng([*self._seed, crc32(name.encode())])


def smooth_noise(rng: np.random.Generator, count: int, cycles: float) -> np.ndarray:
    """A unit-variance Gaussian process over `count` points whose spectrum falls off after `cycles` periods."""
    # Twice as long as needed, because the transform makes it periodic.
    frequency = np.arange(count + 1) / 2
    weight = np.exp(-((frequency / cycles) ** 2) / 2)
    weight[0] = 0
    spectrum = (rng.normal(size=count + 1) + 1j * rng.normal(size=count + 1)) * weight
    return np.fft.irfft(spectrum, 2 * count)[:count] * count / np.sqrt(np.sum(weight**2))
