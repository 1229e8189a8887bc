"""Long recordings, as of a reader left running: swipes of all kinds, with noise and other sound between them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from . import modems, sound_file
from .randomness import Streams
from .stripe import TRACKS
from .swipe import Swipe, record

SESSIONS: dict[str, tuple[int, int, float]] = {
    "ten-minutes": (44_100, 1, 600.0),
    "one-hour": (44_100, 1, 3_600.0),
    "stereo": (192_000, 2, 600.0),
}
"""Each recording with its rate, channels and seconds. The first is the start of the second: what a decoder keeps for
longer shows as the difference of the two."""

SPACING = (3.0, 8.0)
"""Seconds from one card to the next."""

SNR_RANGES = ((20.0, 38.0), (3.0, 9.0), (-9.0, 0.0))
"""In turn: what any decoder reads, what is hard, and what fails after everything was tried."""


def session_swipe(track: int, rate: int, index: int, rng: np.random.Generator) -> Swipe:
    """One swipe of a session; slow ones are long, which costs the most."""
    return Swipe(track=track, rate=rate, speed=float(np.exp(rng.uniform(np.log(3), np.log(40)))),
                 snr=float(rng.uniform(*SNR_RANGES[index % len(SNR_RANGES)])), jitter=float(rng.uniform(0, 0.05)),
                 dropouts=int(rng.integers(0, 2)), peak=float(rng.uniform(0.05, 0.8)))


def stretch(seed: int, index: int, rate: int, channels: int) -> tuple[np.ndarray, list[dict]]:
    """One card's passing and the noise until the next: frames by channels, and what was swiped on which channel.

    Every tenth time a modem is heard instead, without a pause for longer than any swipe lasts.
    """
    streams = Streams(seed, "session", index)
    rng = streams["plan"]
    frames = int(rng.uniform(*SPACING) * rate)
    sound = rng.standard_normal((frames, channels)) * 10 ** (rng.uniform(-80, -50) / 20)
    swipes = []
    for channel in range(channels):
        if index % 10 == 9:
            sound[:, channel] += 0.3 * modems.fsk(streams["modem"], rate, (frames + 1) / rate)[:frames]
            continue
        # A stereo head has the first two tracks of one card.
        track = channel + 1 if channels > 1 else int(rng.integers(1, 4))
        swipe = session_swipe(track, rate, index, rng)
        recording = record(swipe, Streams(seed, "session", index, TRACKS[track].number))
        length = min(len(recording.samples), frames)
        sound[:length, channel] += recording.samples[:length]
        swipes.append({"channel": channel, "track": track, "text": recording.truth["text"], "snr": swipe.snr,
                       "end": recording.truth["t_last"] / rate})
    return sound, swipes


def record_session(out: Path, seed: int, name: str) -> dict:
    """Records one session; returns its line of the manifest, which has `swipes` in place of one text."""
    rate, channels, seconds = SESSIONS[name]
    frames = int(seconds * rate)
    swipes: list[dict] = []

    def pieces() -> Iterator[np.ndarray]:
        done = index = 0
        while done < frames:
            sound, heard = stretch(seed, index, rate, channels)
            for swipe in heard:
                end = done / rate + swipe["end"]
                if end < seconds:
                    swipes.append(swipe | {"start": round(done / rate, 3), "end": round(end, 3)})
            yield sound[: frames - done]
            done += len(sound)
            index += 1

    path = Path(f"{name}.wav")
    sound_file.write_pieces(out / path, pieces(), frames, rate, channels)
    return {"path": str(path), "cell": "memory", "track": None, "text": None, "rate": rate, "channels": channels,
            "synthetic": True, "seconds": seconds, "swipes": swipes}
