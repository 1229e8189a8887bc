"""An hour in front of a counter, as a sound card captures it: cards, and the noise of the room between them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from . import noises, sound_file
from .randomness import Streams
from .swipe import Swipe, record

RATE = 48_000
SPACING = 20
"""Seconds from one card to the next."""

SNR_RANGE = (15.0, 38.0)
"""What a head at a sensible level gives."""

ROOM = (-75.0, -55.0)
"""Level of the room's noise, dBFS."""


def visit(seed: int, index: int) -> tuple[np.ndarray, dict]:
    """One card's passing and the noise around it; the places of the swipe are samples since the start of this visit."""
    streams = Streams(seed, "live", index)
    rng = streams["plan"]
    swipe = Swipe(track=int(rng.integers(1, 4)), rate=RATE, speed=float(np.exp(rng.uniform(np.log(5), np.log(40)))),
                  snr=float(rng.uniform(*SNR_RANGE)), jitter=float(rng.uniform(0, 0.03)),
                  peak=float(np.exp(rng.uniform(np.log(0.05), np.log(0.8)))))
    recording = record(swipe, streams)
    sound = noises.coloured(streams["room"], SPACING * RATE, -1) * 10 ** (rng.uniform(*ROOM) / 20)
    start = int(rng.uniform(1, SPACING - 5) * RATE)
    length = min(len(recording.samples), len(sound) - start)
    sound[start:start + length] += recording.samples[:length]
    truth = recording.truth
    return sound, {"track": swipe.track, "text": truth["text"], "snr": round(swipe.snr, 1),
                   "speed": round(swipe.speed, 1), "first": start + truth["t_first"], "last": start + truth["t_last"]}


def record_live(out: Path, seed: int, hours: float) -> dict:
    """Records the hour; returns its line of the manifest, which has `swipes` in place of one text."""
    visits = int(hours * 3_600) // SPACING
    swipes: list[dict] = []

    def pieces() -> Iterator[np.ndarray]:
        for index in range(visits):
            sound, swipe = visit(seed, index)
            start = index * SPACING * RATE
            swipes.append(swipe | {"first": start + swipe["first"], "last": start + swipe["last"]})
            yield sound

    path = Path("live.wav")
    sound_file.write_pieces(out / path, pieces(), visits * SPACING * RATE, RATE, 1)
    return {"path": str(path), "cell": "live", "track": None, "text": None, "rate": RATE, "synthetic": True,
            "seconds": visits * SPACING, "swipes": swipes}
