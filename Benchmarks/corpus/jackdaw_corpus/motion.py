"""How a hand pulls a card: speed along the stripe, and from it place over time."""

import numpy as np

from .randomness import smooth_noise


def relative_speed(profile: str, change: float, tremor: float, progress: np.ndarray,
                   rng: np.random.Generator) -> np.ndarray:
    """Speed over progress 0...1 along the stripe, relative to the swipe's nominal speed.

    Profiles and what `change` means:
    linear       from 1 - change to 1 + change
    exponential  end speed over start speed, 1 at the middle
    uniform      end speed over start speed at constant acceleration, 1 at the start
    sinusoidal   swing either way, one and a half periods
    hesitation   part of the speed lost at one place
    """
    if profile == "linear":
        speed = 1 + change * (2 * progress - 1)
    elif profile == "exponential":
        speed = change ** (progress - 0.5)
    elif profile == "uniform":
        # v^2 = v0^2 + 2 a x
        speed = np.sqrt(1 + (change**2 - 1) * np.clip(progress, 0, 1))
    elif profile == "sinusoidal":
        speed = 1 + change * np.sin(2 * np.pi * (1.5 * progress + rng.random()))
    elif profile == "hesitation":
        centre, width = rng.uniform(0.2, 0.8), rng.uniform(0.05, 0.15)
        speed = 1 - change * np.exp(-(((progress - centre) / width) ** 2))
    else:
        raise ValueError(f"no speed profile {profile!r}")
    return speed * np.exp(tremor * smooth_noise(rng, len(progress), 4))


def arrival_times(place: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """When each place passes the head, from 0: the integral of dx / v."""
    slowness = 1 / speed
    steps = np.diff(place) * (slowness[1:] + slowness[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(steps)])
