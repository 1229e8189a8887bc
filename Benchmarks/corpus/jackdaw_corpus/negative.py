"""Sound that holds no swipe: whatever a decoder accepts in it is wrong."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from . import modems, music, noises, sound_file, speech
from .randomness import Streams

Sound = Callable[[np.random.Generator, int, float], np.ndarray]

KINDS: dict[str, tuple[int, Sound]] = {
    "noise": (8, noises.noise),
    "bursts": (6, noises.bursts),
    "hum": (6, noises.mains),
    "chords": (5, music.chords),
    "strings": (5, music.strings),
    "drums": (4, music.drums),
    "melody": (5, music.square_melody),
    "sweep": (3, music.sweeps),
    "speech": (12, speech.speech),
    "fsk": (20, modems.fsk),
    "octave": (12, modems.octave_fsk),
    "dtmf": (4, modems.dtmf),
    "manchester": (6, modems.manchester),
    "biphase": (4, modems.biphase_mark),
}
"""Each kind of sound with its share (of 100) and its maker."""

RATES = [44_100] * 16 + [8_000, 48_000, 48_000, 96_000]

MINUTE = 60.0


def negative_jobs(hours: float) -> Iterator[tuple[str, int]]:
    """One job a minute of sound, the kinds mixed evenly: any part of the list has about the same shares."""
    due = dict.fromkeys(KINDS, 0.0)
    for index in range(round(hours * 60)):
        for kind, (share, _) in KINDS.items():
            due[kind] += share / 100
        kind = max(due, key=due.__getitem__)
        due[kind] -= 1
        yield kind, index


def record_negative(out: Path, seed: int, kind: str, index: int) -> dict:
    """Records a minute of one kind of sound; returns its line of the manifest."""
    streams = Streams(seed, "negative", index)
    rng = streams["recorder"]
    rate = int(rng.choice(RATES))
    sound = KINDS[kind][1](streams[kind], rate, MINUTE)
    sound = sound / max(np.max(np.abs(sound)), 1e-9)
    # From whispered to overdriven, over a floor between -90 and -30 dB.
    peak = float(np.exp(rng.uniform(np.log(0.02), np.log(1.5))))
    floor = float(10 ** (rng.uniform(-90, -30) / 20))
    sound = np.clip(sound * peak + rng.normal(0, floor, len(sound)) + rng.choice([0, 0, 0.05]), -1, 1)
    path = Path(kind) / f"{index:04d}.wav"
    sound_file.write(out / path, sound, rate, "s16")
    return {"path": str(path), "cell": kind, "track": None, "text": None, "rate": rate, "synthetic": True,
            "seconds": len(sound) / rate, "peak": round(peak, 4), "floor": round(floor, 6)}


JACK_SOUNDS: dict[str, list[Sound]] = {
    "music": [music.chords, music.strings, music.drums, music.square_melody],
    "speech": [speech.speech],
}
"""The sounds of a microphone on a jack instead of a reader."""


def record_jack(out: Path, seed: int, kind: str, index: int) -> dict:
    """Records twelve seconds at the level that a microphone has; returns its line of the manifest."""
    streams, rate, seconds = Streams(seed, "jack", kind, index), 48_000, 12.0
    rng = streams["recorder"]
    sound = JACK_SOUNDS[kind][index % len(JACK_SOUNDS[kind])](streams["sound"], rate, seconds)
    sound = sound / max(np.max(np.abs(sound)), 1e-9) * np.exp(rng.uniform(np.log(0.02), np.log(1.2)))
    sound = np.clip(sound + rng.normal(0, 10 ** (rng.uniform(-90, -40) / 20), len(sound)), -1, 1)
    path = Path(kind) / f"{index:04d}.wav"
    sound_file.write(out / path, sound, rate, "s16")
    return {"path": str(path), "cell": kind, "track": None, "text": None, "rate": rate, "synthetic": True,
            "seconds": seconds}


def record_silence(out: Path, seed: int, hours: float) -> dict:
    """Records `hours` of digital silence and faint noise in one file: the input of the speed measurement."""
    rng, rate = Streams(seed, "silence")["silence"], 44_100
    samples = np.empty(int(hours * 3_600 * rate), np.float32)
    for stretch in noises.stretches(len(samples), lambda: rng.uniform(5, 60) * rate):
        level = rng.choice([0, 10 ** (rng.uniform(-80, -40) / 20)])
        samples[stretch] = rng.standard_normal(stretch.stop - stretch.start, np.float32) * np.float32(level)
    path = Path("silence.wav")
    sound_file.write(out / path, samples, rate, "s16")
    return {"path": str(path), "cell": "silence", "track": None, "text": None, "rate": rate, "synthetic": True,
            "seconds": len(samples) / rate}
