"""Noise, bursts and mains hum."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.signal import butter, sosfilt


def stretches(count: int, length: Callable[[], float]) -> Iterator[slice]:
    """Cuts `count` samples into stretches, one after the other, each of a length that is drawn again."""
    start = 0
    while start < count:
        end = min(start + max(1, int(length())), count)
        yield slice(start, end)
        start = end


def coloured(rng: np.random.Generator, count: int, slope: float) -> np.ndarray:
    """Unit-variance noise whose power goes with frequency to the power of `slope`: 0 white, -1 pink, -2 brown."""
    size = next_fast_len(count, real=True)
    spectrum = rfft(rng.normal(size=size))
    frequency = np.maximum(np.arange(len(spectrum)), 20 * size / 44_100)
    sound = irfft(spectrum * frequency ** (slope / 2), size)[:count]
    return sound / np.std(sound)


def level_steps(rng: np.random.Generator, count: int, rate: int, longest: float) -> np.ndarray:
    """A gain that jumps between -80 and 0 dB, sometimes to nothing, holding for up to `longest` seconds."""
    gain = np.empty(count)
    for stretch in stretches(count, lambda: rng.uniform(0.01, longest) * rate + 1):
        gain[stretch] = 0 if rng.random() < 0.1 else 10 ** (rng.uniform(-80, 0) / 20)
    return gain


def noise(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """White, pink, brown or blue noise, maybe through a band-pass, in level steps."""
    count = int(seconds * rate)
    sound = coloured(rng, count, float(rng.choice([0, 0, -1, -2, 1])))
    if rng.random() < 0.4:
        low = rng.uniform(100, 0.2 * rate)
        band = [low, min(low * rng.uniform(1.1, 4), 0.49 * rate)]
        sound = sosfilt(butter(2, band, "bandpass", fs=rate, output="sos"), sound)
    return sound * level_steps(rng, count, rate, 5)


def bursts(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Knocks, scratches and crackle: short noise with sharp starts, like a card that only touches the head."""
    count = int(seconds * rate)
    sound = coloured(rng, count, -1) * 1e-3
    for start in rng.uniform(0, count, int(rng.uniform(20, 400))).astype(int):
        length = min(int(rng.uniform(0.001, 0.4) * rate), count - start)
        shape = np.exp(-np.arange(length) / (rng.uniform(0.1, 1) * length + 1))
        sound[start:start + length] += rng.uniform(0.05, 1) * shape * rng.normal(size=length)
    crackle = (rng.random(count) < rng.uniform(0, 0.003)) * rng.normal(size=count)
    return sound + crackle


def mains(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Hum of 50 or 60 Hz with many harmonics, dimmer buzz, and switching clicks locked to it or not."""
    count = int(seconds * rate)
    frequency = float(rng.choice([50, 60])) * (1 + rng.uniform(-0.004, 0.004))
    phase = 2 * np.pi * frequency * np.arange(count) / rate
    sound = np.zeros(count)
    for order in range(1, 40):
        sound += rng.uniform(0, 1) * order ** -rng.uniform(0.5, 2) * np.sin(order * phase + rng.uniform(0, 2 * np.pi))
    if rng.random() < 0.5:
        # A dimmer cuts into both half waves.
        angle = np.mod(phase, np.pi)
        sound *= np.where(angle > rng.uniform(0.3, 2.5), 1.0, 0.05)
    spark = np.exp(-np.arange(int(0.002 * rate)) / (0.0002 * rate)) * rng.normal(1, 0.5, int(0.002 * rate))
    if rng.random() < 0.5:
        places = np.arange(0, count - len(spark), rate / (2 * frequency)).astype(int)
    else:
        places = rng.uniform(0, count - len(spark), 200).astype(int)
    for place in places:
        sound[place:place + len(spark)] += rng.choice([-3, 3]) * spark
    return sound * np.maximum(level_steps(rng, count, rate, 10), 0.02)
