"""Which transmissions each modem corpus holds, and how one is recorded."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from . import sound_file
from .keying import Channel, Keying, Transmission, transmit
from .randomness import Streams

KEYINGS = {
    "bell103": Keying(300, 1_270, 1_070),
    "bell202": Keying(1_200, 1_200, 2_200),
    "fsk2400": Keying(2_400, 1_800, 3_800),
    "fsk4800": Keying(4_800, 3_000, 7_000),
    "fsk9600": Keying(9_600, 5_400, 13_400),
}
"""The tones that minimodem takes for these rates by itself."""

RATIOS = [6, 7, 7.5, 8, 9, 10, 12, 14]
"""Eb/N0 of the points of a curve, dB."""

IMPAIRMENTS: dict[str, tuple[float, Channel]] = {
    "none": (10, Channel()),
    "clock-3": (10, Channel(clock=0.97)),
    "clock+3": (10, Channel(clock=1.03)),
    "clock-5": (10, Channel(clock=0.95)),
    "clock+5": (10, Channel(clock=1.05)),
    "reader-3": (10, Channel(clock=0.97, tone_ratio=0.97)),
    "reader+3": (10, Channel(clock=1.03, tone_ratio=1.03)),
    "tones-3": (10, Channel(tone_ratio=0.97)),
    "tones+3": (10, Channel(tone_ratio=1.03)),
    "shift-10": (10, Channel(tone_shift=-0.1)),
    "shift+10": (10, Channel(tone_shift=0.1)),
    "offset-10x": (10, Channel(offset=10)),
    "hum-2x": (10, Channel(hum=2)),
    "overdrive-10x": (10, Channel(overdrive=10)),
    "clip-1x": (10, Channel(clip=1)),
    "bursts": (10, Channel(carrier_off=0.2)),
    "fade-6dB-2Hz": (14, Channel(fade_depth=6, fade_rate=2)),
    "fade-12dB-20Hz": (14, Channel(fade_depth=12, fade_rate=20)),
    "low-pass-3kHz": (14, Channel(low_pass=3_000)),
    "high-pass-1.5kHz": (14, Channel(high_pass=1_500)),
}
"""Name, Eb/N0 in dB and channel of each impairment; percent where there is no unit."""

SPEEDS = ["bell103", "bell202", "fsk9600"]
"""Modes whose speed is measured."""

SPEED_MINUTES = 5.0
NOISE_MINUTES = 10.0

Job = Callable[[], list[dict]]


def line(path: Path, cell: str, mode: str, rate: int, **rest: object) -> dict:
    """A line of the manifest; what the decoder is told is the nominal keying."""
    keying = KEYINGS[mode]
    return {"path": str(path), "cell": cell, "mode": mode, "baud": keying.baud, "mark": keying.mark,
            "space": keying.space, "rate": rate, "ebn0": None, "impairment": None, "bytes": "", "synthetic": True,
            **rest}


def record(out: Path, seed: int, cell: str, index: int, mode: str, impairment: str,
           transmission: Transmission) -> list[dict]:
    """Records a transmission; returns its line of the manifest."""
    sound, data = transmit(transmission, Streams(seed, "modem", cell, index))
    path = Path(cell) / f"{index:04d}.wav"
    sound_file.write(out / path, sound, transmission.rate, "s16")
    return [line(path, cell, mode, transmission.rate, ebn0=transmission.ebn0, impairment=impairment, bytes=data.hex())]


def record_noise(out: Path, seed: int, minutes: float, modes: list[str]) -> list[dict]:
    """Records white noise; returns a line of the manifest for each mode that is to hear it."""
    rate = 48_000
    sound = Streams(seed, "modem")["white"].standard_normal(int(minutes * 60 * rate), np.float32)
    path = Path("white.wav")
    sound_file.write(out / path, sound * np.float32(0.1), rate, "s16")
    return [line(path, f"{mode}/noise", mode, rate) for mode in modes]


def curves(out: Path, seed: int, count: int) -> Iterator[Job]:
    """Byte error over Eb/N0."""
    for mode, rate in [*((mode, 48_000) for mode in KEYINGS), ("fsk9600", 44_100)]:
        size = 1_000 if mode == "bell103" else 3_000
        family = mode if rate == 48_000 else f"{mode}-{rate}"
        for ratio in RATIOS:
            transmission = Transmission(KEYINGS[mode], rate, size, ratio)
            for index in range(count):
                yield partial(record, out, seed, f"{family}/{ratio:g}dB", index, mode, "none", transmission)


def impairments(out: Path, seed: int, count: int) -> Iterator[Job]:
    """Each impairment at 1,200 and 9,600 baud."""
    for mode in ("bell202", "fsk9600"):
        for impairment, (ratio, channel) in IMPAIRMENTS.items():
            transmission = Transmission(KEYINGS[mode], 48_000, 3_000, ratio, channel)
            for index in range(count):
                yield partial(record, out, seed, f"{mode}/{impairment}", index, mode, impairment, transmission)


def speed(out: Path, seed: int, _: int) -> Iterator[Job]:
    """Long recordings, clean and noisy, and noise alone."""
    yield partial(record_noise, out, seed, SPEED_MINUTES, SPEEDS)
    for mode in SPEEDS:
        size = int(SPEED_MINUTES * 60 * KEYINGS[mode].baud / 10)
        for ratio in (25, 12, 10):
            transmission = Transmission(KEYINGS[mode], 48_000, size, ratio)
            yield partial(record, out, seed, f"{mode}/{ratio}dB", 0, mode, "none", transmission)


def noise(out: Path, seed: int, _: int) -> Iterator[Job]:
    """White noise, in which every byte is a false one."""
    yield partial(record_noise, out, seed, NOISE_MINUTES, list(KEYINGS))


PLANS: dict[str, Callable[[Path, int, int], Iterator[Job]]] = {
    "modem-ebn0": curves,
    "modem-impairments": impairments,
    "modem-noise": noise,
    "modem-speed": speed,
}
"""The recordings to make for each corpus, given where, the seed and the recordings a cell."""
