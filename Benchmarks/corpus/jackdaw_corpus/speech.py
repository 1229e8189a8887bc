"""Speech: espeak-ng where it is installed, a formant synthesiser where not; digits and card numbers included."""

import io
import shutil
import subprocess
import wave

import numpy as np
from scipy.signal import butter, lfilter, resample_poly, sosfilt

from .noises import stretches

WORDS = """please swipe the card again thank you total amount euro cents zero one two three four five six seven eight
nine approved declined receipt yes no customer copy remove insert sign here welcome good morning how are you today
weather market train station coffee with milk and sugar the quick brown fox""".split()

LANGUAGES = ["en", "en-us", "de", "fr", "es"]
VOICES = ["m1", "m3", "f1", "f3", "croak", "whisper"]

VOWELS = [
    (730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240), (530, 1840, 2480),
    (570, 840, 2410), (660, 1720, 2410), (440, 1020, 2240), (490, 1350, 1690),
]
"""First three formants in Hz of spoken English vowels (Peterson and Barney 1952, men)."""

FRICATIVES = [(4_000, 8_000), (2_000, 6_000), (1_000, 8_000)]


def speech(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Speech with pauses."""
    talk = espeak if shutil.which("espeak-ng") and rng.random() < 0.6 else formants
    return talk(rng, rate, seconds)


def espeak(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Random words through espeak-ng."""
    count = int(seconds * rate)
    sound = np.zeros(0)
    while len(sound) < count:
        text = " ".join(rng.choice(WORDS, 20))
        voice = f"{rng.choice(LANGUAGES)}+{rng.choice(VOICES)}"
        manner = ["-v", voice, "-s", str(rng.integers(110, 260)), "-p", str(rng.integers(99))]
        spoken = subprocess.run(["espeak-ng", "--stdout", *manner, text], check=True, capture_output=True).stdout
        with wave.open(io.BytesIO(spoken)) as file:
            # Streamed, its header does not know the length.
            samples = np.frombuffer(file.readframes(60 * file.getframerate()), "<i2") / 32_768
            sound = np.concatenate([sound, resample_poly(samples, rate, file.getframerate())])
    return sound[:count]


def formants(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """A buzzing source through three resonators a vowel, hissing consonants between."""
    count = int(seconds * rate)
    sound = np.zeros(count)
    base = rng.uniform(80, 260)
    phase = 0.0
    for stretch in stretches(count, lambda: rng.uniform(0.04, 0.25) * rate):
        length = stretch.stop - stretch.start
        kind = rng.random()
        envelope = np.hanning(length) if length > 1 else np.zeros(length)
        if kind < 0.6:
            glide = base * np.linspace(rng.uniform(0.8, 1.3), rng.uniform(0.8, 1.3), length)
            cycles = phase + np.cumsum(glide) / rate
            phase = cycles[-1]
            # One glottal closure a cycle.
            source = np.diff(np.floor(cycles), prepend=np.floor(cycles[0])) + 0.01 * rng.normal(size=length)
            for formant in VOWELS[rng.integers(len(VOWELS))]:
                source = resonate(source, min(formant * rng.uniform(0.9, 1.15), 0.45 * rate), rate)
            sound[stretch] = source / max(np.max(np.abs(source)), 1e-9) * envelope
        elif kind < 0.85:
            low, high = FRICATIVES[rng.integers(len(FRICATIVES))]
            band = [min(low, 0.3 * rate), min(high, 0.48 * rate)]
            hiss = sosfilt(butter(2, band, "bandpass", fs=rate, output="sos"), rng.normal(size=length))
            sound[stretch] = 0.1 * hiss * envelope
    return sound


def resonate(source: np.ndarray, frequency: float, rate: int) -> np.ndarray:
    """A two-pole resonator of 80 Hz bandwidth."""
    radius = np.exp(-np.pi * 80 / rate)
    return lfilter([1.0], [1, -2 * radius * np.cos(2 * np.pi * frequency / rate), radius**2], source)
