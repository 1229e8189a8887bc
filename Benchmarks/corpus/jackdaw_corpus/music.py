"""Synthetic music: chords, plucked strings, drums, sweeps, chip tunes."""

import numpy as np
from scipy.signal import chirp, lfilter, square

from .noises import stretches

SCALE = [0, 2, 4, 5, 7, 9, 11, 12]


def pitch(note: float) -> float:
    """Hz of a MIDI note number."""
    return 440 * 2 ** ((note - 69) / 12)


def chords(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Sustained chords of harmonic-rich notes with vibrato."""
    count = int(seconds * rate)
    sound = np.zeros(count)
    for stretch in stretches(count, lambda: rng.uniform(0.3, 2.5) * rate):
        time = np.arange(stretch.stop - stretch.start) / rate
        vibrato = 0.003 * np.sin(2 * np.pi * rng.uniform(4, 7) * time)
        root = int(rng.integers(36, 84))
        for interval in rng.choice([0, 3, 4, 7, 10, 12, 16, 19], int(rng.integers(1, 5)), replace=False):
            phase = 2 * np.pi * pitch(root + interval) * (time + vibrato / 5)
            for order in range(1, int(rng.integers(2, 12))):
                if order * pitch(root + interval) < 0.45 * rate:
                    sound[stretch] += np.sin(order * phase) / order ** rng.uniform(0.7, 2)
        sound[stretch] *= np.minimum(1, 30 * time) * np.exp(-time * rng.uniform(0, 3))
    return sound


def strings(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Plucked strings: noise circulating in a damped delay line (Karplus and Strong 1983)."""
    count = int(seconds * rate)
    sound = np.zeros(count)
    for start in np.sort(rng.uniform(0, count, int(seconds * rng.uniform(1, 6)))).astype(int):
        period = int(rate / pitch(40 + 12 * rng.integers(0, 4) + rng.choice(SCALE)))
        length = min(int(rng.uniform(0.3, 1.5) * rate), count - start)
        pluck = np.zeros(length)
        pluck[:period] = rng.uniform(-1, 1, min(period, length))
        loop = np.zeros(period + 2)
        loop[[0, period, period + 1]] = [1, -0.498, -0.498]
        sound[start:start + length] += rng.uniform(0.2, 1) * lfilter([1.0], loop, pluck)
    return sound


def drums(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """A drum pattern: falling sines and filtered noise."""
    count = int(seconds * rate)
    sound = np.zeros(count)
    step = int(60 / rng.uniform(70, 180) / 4 * rate)
    pattern = rng.random((3, 16)) < [[0.3], [0.2], [0.6]]
    time = np.arange(int(0.25 * rate)) / rate
    kick = np.sin(2 * np.pi * (45 * time - 8 * np.exp(-time * 30))) * np.exp(-time * 15)
    snare = rng.normal(size=len(time)) * np.exp(-time * 25) + 0.5 * np.sin(2 * np.pi * 190 * time) * np.exp(-time * 20)
    hat = lfilter([1, -0.95], [1.0], rng.normal(size=len(time))) * np.exp(-time * 80)
    for place, start in enumerate(range(0, count - len(time), step)):
        for voice, on in zip((kick, snare, 0.4 * hat), pattern[:, place % 16]):
            if on:
                sound[start:start + len(time)] += rng.uniform(0.6, 1) * voice
    return sound


def square_melody(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Two or three square waves, as a game console of the eighties plays them, octave jumps included."""
    count = int(seconds * rate)
    sound = np.zeros(count)
    for _ in range(int(rng.integers(1, 4))):
        duty, tick = rng.choice([0.125, 0.25, 0.5, 0.5]), rng.uniform(0.03, 0.25)
        octave = int(rng.integers(3, 8))
        for stretch in stretches(count, lambda: tick * rng.choice([1, 1, 2, 4]) * rate):
            frequency = pitch(12 * (octave + rng.integers(0, 2)) + rng.choice(SCALE))
            if rng.random() > 0.15 and frequency < 0.4 * rate:
                phase = 2 * np.pi * frequency * np.arange(stretch.stop - stretch.start) / rate
                sound[stretch] += square(phase, duty)
    return sound


def sweeps(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Sine, square and pulse-train sweeps: every clock from a slow swipe's to a fast one's."""
    count = int(seconds * rate)
    sound = np.zeros(count)
    for stretch in stretches(count, lambda: rng.uniform(0.3, 6) * rate):
        length = stretch.stop - stretch.start
        low, high = np.exp(rng.uniform(np.log(50), np.log(0.4 * rate), 2))
        wave = chirp(np.arange(length) / rate, low, length / rate, high, rng.choice(["linear", "logarithmic"]))
        kind = rng.integers(3)
        if kind == 1:
            wave = np.sign(wave)
        elif kind == 2:
            # Alternating pulses, the shape of a stripe that holds nothing but zeros.
            wave = np.diff(np.sign(wave), prepend=0.0)
        sound[stretch] = wave * rng.uniform(0.1, 1)
    return sound
