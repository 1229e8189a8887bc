"""Which transmissions each modem corpus holds, and how one is recorded."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from scipy import signal
from scipy.io import wavfile

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

SHORT_KEYINGS = {mode: KEYINGS[mode] for mode in ("bell202", "fsk9600")} | {
    "softmodem-1225": Keying(1_225, 7_350, 4_900),
}
"""Modes of readers that send a few bytes at a time."""

SHORT_RATIOS = [10, 14, 20]
SHORT_BURSTS = 40
SHORT_BYTES = 12
SHORT_PAUSE = 0.2
"""Seconds without a carrier between two bursts, with the noise going on."""

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
    """A line of the manifest; the decoder gets the nominal keying."""
    keying = (KEYINGS | SHORT_KEYINGS)[mode]
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


def record_noise(out: Path, seed: int, minutes: float, modes: list[str], colour: str = "white") -> list[dict]:
    """Records noise of a colour; returns a line of the manifest for each mode that is to hear it."""
    rate = 48_000
    sound = Streams(seed, "modem")[colour].standard_normal(int(minutes * 60 * rate), np.float32)
    sound = COLOURS[colour](sound, rate)
    path = Path(f"{colour}.wav")
    sound_file.write(out / path, (0.1 / np.std(sound)).astype(np.float32) * sound, rate, "s16")
    return [line(path, f"{mode}/{colour} noise", mode, rate) for mode in modes]


def telephone(sound: np.ndarray, rate: int) -> np.ndarray:
    """The band of a telephone, 300 to 3,400 Hz."""
    band = signal.butter(4, [300, 3_400], "bandpass", fs=rate, output="sos")
    return signal.sosfilt(band, sound).astype(np.float32)


def room(sound: np.ndarray, rate: int) -> np.ndarray:
    """Half the amplitude an octave higher, from 100 Hz on: about what a microphone hears of a room."""
    return signal.sosfilt(signal.butter(1, 100, fs=rate, output="sos"), sound).astype(np.float32)


COLOURS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "white": lambda sound, rate: sound,
    "telephone": telephone,
    "room": room,
}


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


def short(out: Path, seed: int, count: int) -> Iterator[Job]:
    """Bursts of a few bytes, each with half a pause of mark before it, in noise that goes on between them."""
    for mode, keying in SHORT_KEYINGS.items():
        for ratio in SHORT_RATIOS:
            transmission = Transmission(
                keying, 48_000, SHORT_BURSTS * SHORT_BYTES, ratio, Channel(carrier_off=SHORT_PAUSE), SHORT_BYTES)
            for index in range(count):
                yield partial(record, out, seed, f"{mode}/{ratio:g}dB", index, mode, "none", transmission)


def speed(out: Path, seed: int, _: int) -> Iterator[Job]:
    """Long recordings, clean and noisy, and noise alone."""
    yield partial(record_noise, out, seed, SPEED_MINUTES, SPEEDS)
    for mode in SPEEDS:
        size = int(SPEED_MINUTES * 60 * KEYINGS[mode].baud / 10)
        for ratio in (25, 12, 10):
            transmission = Transmission(KEYINGS[mode], 48_000, size, ratio)
            yield partial(record, out, seed, f"{mode}/{ratio}dB", 0, mode, "none", transmission)


def noise(out: Path, seed: int, _: int) -> Iterator[Job]:
    """Noise, in which every byte is a false one."""
    for colour in COLOURS:
        yield partial(record_noise, out, seed, NOISE_MINUTES, list(KEYINGS), colour)


CAPTURES: list[tuple[str, str, Keying, str, int]] = [
    # file, family, the nominal keying, the word in it, and how often it is
    ("webjack-10x.wav", "webjack", Keying(1_225, 4_900, 2_450), "WebJack", 10),
    ("webjack-10x-nexus5-clipped.wav", "webjack-clipped", Keying(1_225, 4_900, 2_450), "WebJack", 10),
    ("webjack-broken-expect-none.wav", "webjack-broken", Keying(1_225, 4_900, 2_450), "WebJack", 0),
    ("softmodem-1225-whole-word.wav", "softmodem-1225", Keying(1_225, 7_350, 4_900), "SoftModem", 1),
    ("softmodem-315-whole-word.wav", "softmodem-315", Keying(315, 3_150, 1_575), "SoftModem", 1),
]
"""Recordings of phones, which are not part of this project; the 315 baud one has its tones 3.2 % too high."""

CAPTURE_RATIOS = [None, 14, 12, 10, 8]
CAPTURE_SEEDS = 3


def loud_power(sound: np.ndarray, rate: int) -> float:
    """Mean power of the stretches of 10 ms that have a quarter or more of the power of the loudest."""
    length = rate // 100
    powers = np.mean(sound[:len(sound) // length * length].reshape(-1, length) ** 2, axis=1)
    return float(np.mean(powers[powers >= powers.max() / 4]))


def record_capture(out: Path, seed: int, capture: tuple[str, str, Keying, str, int], source: Path, ratio: float | None,
                   index: int) -> list[dict]:
    """Adds noise to a recording, by the power of its loud part; returns its line of the manifest."""
    name, family, nominal, word, count = capture
    with warnings.catch_warnings():
        # Phones write chunks of their own.
        warnings.simplefilter("ignore", wavfile.WavFileWarning)
        rate, samples = wavfile.read(source / name)
    sound = samples.astype(float) / (1 << 15 if samples.dtype == np.int16 else 1)
    if ratio is not None:
        sigma = np.sqrt(loud_power(sound, rate) * rate / nominal.baud / 2 / 10 ** (ratio / 10))
        # Room for the noise, so that the file does not clip it.
        sound = 0.2 * (sound + sigma * Streams(seed, name, index)["noise"].standard_normal(len(sound)))
    cell = f"{family}/{'clean' if ratio is None else f'{ratio:g}dB'}"
    path = Path(cell) / f"{index:04d}.wav"
    sound_file.write(out / path, sound, rate, "s16")
    return [{"path": str(path), "cell": cell, "mode": family, "baud": nominal.baud, "mark": nominal.mark, "space": nominal.space,
             "rate": rate, "ebn0": ratio, "impairment": None, "bytes": "", "word": word, "words": count}]


def captures(out: Path, seed: int, source: Path) -> Iterator[Job]:
    """Recordings of phones as they are, and with noise."""
    for capture in CAPTURES:
        for ratio in CAPTURE_RATIOS:
            for index in range(1 if ratio is None else CAPTURE_SEEDS):
                yield partial(record_capture, out, seed, capture, source, ratio, index)


PLANS: dict[str, Callable[[Path, int, int], Iterator[Job]]] = {
    "modem-ebn0": curves,
    "modem-impairments": impairments,
    "modem-short": short,
    "modem-noise": noise,
    "modem-speed": speed,
}
"""The recordings to make for each corpus, given where, the seed and the recordings a cell."""
