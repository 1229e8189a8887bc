"""Baseband line codes of audio-jack readers: `python3 -m jackdaw_corpus.modem_baseband OUT --mode unimag --ebn0 8,9,10`.

Writes one frame a WAV file, and `manifest.json` with the bytes of each. Eb is the energy of one channel bit, which is a
pair of chips; the noise is white over the whole band.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from scipy.signal import resample_poly

from . import sound_file
from .randomness import Streams

OVERSAMPLING = 8

CHIP_RATES = {"unimag": 9_600.0, "unimag-4800": 4_800.0, "unimag-2400": 2_400.0, "udynamo": 7_350.0,
              "hijack": 2 * 44_100 / 32, "flojack": 2 * 44_100 / 13}


SERIAL = ("hijack", "flojack")


@dataclass(frozen=True)
class Frame:
    """How a frame is sounded."""

    mode: str = "unimag"
    rate: int = 48_000
    length: int = 250
    ebn0: float | None = None
    clock: float = 1.0
    inverted: bool = False
    offset: float = 0.0
    hum: float = 0.0
    amplitude: float = 0.3
    payload: str = "random"


def manchester(bits: list[int]) -> list[int]:
    """High-low for 1, low-high for 0."""
    return [level for bit in bits for level in ((1, -1) if bit else (-1, 1))]


def low_first(value: int, count: int) -> list[int]:
    """The bits of a number, the least significant one first."""
    return [value >> place & 1 for place in range(count)]


def nibble_chips(nibble: int) -> list[int]:
    """Start chip, four Manchester bits, stop chip."""
    return [1, *manchester(low_first(nibble, 4)), -1]


def unimag_chips(data: bytes) -> list[int]:
    """Fourteen bytes of preamble, sync, data; high nibbles first."""
    chips: list[int] = []
    for byte in b"\x55" * 14 + b"\x66" + data:
        chips += nibble_chips(byte >> 4) + nibble_chips(byte & 15)
    return chips


def serial_chips(byte: int) -> list[int]:
    """A UART's bits as levels: start low, data, stop high."""
    return [-1, *(1 if bit else -1 for bit in low_first(byte, 8)), 1]


def udynamo_chips(data: bytes) -> list[int]:
    """Four bytes of 0x55, two of 0xF0, then the packet, a nibble a byte and the low one first."""
    chips = [chip for byte in b"\x55" * 4 + b"\xF0" * 2 for chip in serial_chips(byte)]
    for byte in data:
        for nibble in (byte & 15, byte >> 4):
            chips += [-1, *manchester(low_first(nibble, 4)), 1]
    return chips


def packet(payload: bytes) -> bytes:
    """A last packet, number 0, with its length in a byte and the two's complement of the sum."""
    body = bytes([0x99, 0, len(payload)]) + payload
    return body + bytes([-sum(body) & 255])


def uart_chips(data: bytes, before: int, after: int) -> list[int]:
    """Manchester UART: idle ones, start 0, eight bits, even parity, stop 1."""
    bits = [1] * before
    for byte in data:
        ones = low_first(byte, 8)
        bits += [0, *ones, sum(ones) & 1, 1, *[1] * after]
    return manchester(bits)


CHIPS: dict[str, Callable[[bytes], list[int]]] = {
    "unimag": unimag_chips, "unimag-4800": unimag_chips, "unimag-2400": unimag_chips, "udynamo": udynamo_chips,
    "hijack": lambda data: uart_chips(data, 120, 100), "flojack": lambda data: uart_chips(data, 24, 23),
}


def payload(frame: Frame, rng: np.random.Generator) -> bytes:
    """Random bytes, in what frame the mode or the option asks for."""
    data = rng.integers(0, 256, frame.length).astype(np.uint8).tobytes()
    if frame.mode == "udynamo":
        return packet(data[:min(len(data), 255)])
    if frame.payload == "encrypted":
        check = 0
        for byte in data:
            check ^= byte
        return bytes([2, len(data) & 255, len(data) >> 8]) + data + bytes([check, sum(data) & 255, 3])
    return data


def waveform(frame: Frame, data: bytes, rng: np.random.Generator) -> np.ndarray:
    """The frame between stretches of a silent line, band-limited, without noise."""
    chips = np.array(CHIPS[frame.mode](data), float) * (-1 if frame.inverted else 1)
    chip_rate = CHIP_RATES[frame.mode] * frame.clock
    lead = rng.uniform(0.05, 0.08)
    count = int((len(chips) / chip_rate + 2 * lead) * frame.rate) * OVERSAMPLING
    place = (np.arange(count) / (frame.rate * OVERSAMPLING) - lead) * chip_rate
    index = np.clip(np.floor(place).astype(int), 0, len(chips) - 1)
    level = np.where((place >= 0) & (place < len(chips)), chips[index], 0.0)
    if frame.mode in SERIAL:
        level *= np.abs(np.sin(np.pi * place))
    return resample_poly(level, 1, OVERSAMPLING)


def record(frame: Frame, rng: np.random.Generator) -> tuple[np.ndarray, bytes]:
    """The sound of a frame of random bytes, and the bytes."""
    data = payload(frame, rng)
    sound = waveform(frame, data, rng)
    power = 0.5 if frame.mode in SERIAL else 1.0
    if frame.ebn0 is not None:
        samples_per_bit = 2 * frame.rate / (CHIP_RATES[frame.mode] * frame.clock)
        sound = sound + rng.normal(0, np.sqrt(power * samples_per_bit / (2 * 10 ** (frame.ebn0 / 10))), len(sound))
    time = np.arange(len(sound)) / frame.rate
    sound = sound + frame.hum * np.sin(2 * np.pi * 50 * time + rng.uniform(0, 2 * np.pi)) + frame.offset
    return frame.amplitude * sound, data


def numbers(text: str) -> list[float | None]:
    """Numbers separated by commas; `clean` for no noise."""
    return [None if part == "clean" else float(Fraction(part)) for part in text.split(",")]


def main() -> None:
    """Records what the command line asks for."""
    parser = argparse.ArgumentParser(prog="jackdaw_corpus.modem_baseband", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--mode", choices=sorted(CHIP_RATES), default="unimag")
    parser.add_argument("--rate", type=int, default=48_000, help="samples a second")
    parser.add_argument("--ebn0", type=numbers, default=[None], metavar="DB,DB,...", help="or clean")
    parser.add_argument("--count", type=int, default=200, help="frames a point")
    parser.add_argument("--length", type=int, default=250, help="bytes a frame")
    parser.add_argument("--clock", type=float, default=1.0, help="of the reader against the nominal one")
    parser.add_argument("--polarity", choices=["both", "upright", "inverted"], default="both")
    parser.add_argument("--offset", type=float, default=0.0, help="standing offset, as a multiple of the amplitude")
    parser.add_argument("--hum", type=float, default=0.0, help="amplitude of 50 Hz, as a multiple")
    parser.add_argument("--amplitude", type=float, default=0.3, help="full scale 1")
    parser.add_argument("--payload", choices=["random", "encrypted"], default="random")
    parser.add_argument("--encoding", choices=["s16", "f32"], default="f32")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    manifest = []
    for ebn0 in options.ebn0:
        cell = f"{options.mode}-{options.rate}-{'clean' if ebn0 is None else f'{ebn0:g}'}"
        for index in range(options.count):
            inverted = options.polarity == "inverted" or options.polarity == "both" and index % 2 == 1
            frame = Frame(options.mode, options.rate, options.length, ebn0, options.clock, inverted, options.offset,
                          options.hum, options.amplitude, options.payload)
            sound, data = record(frame, Streams(options.seed, cell, index)["frame"])
            path = Path(cell) / f"{index:04d}.wav"
            sound_file.write(options.out / path, sound, options.rate, options.encoding)
            baud = CHIP_RATES[options.mode] * options.clock / (2 if options.mode in SERIAL else 1)
            manifest.append({"path": str(path), "mode": options.mode, "baud": baud,
                             "rate": options.rate, "ebn0": ebn0, "inverted": inverted, "bytes": data.hex(),
                             "synthetic": True})
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "manifest.json").write_text(json.dumps(manifest, indent=0))
    print(f"{len(manifest)} files, {options.out / 'manifest.json'}")


if __name__ == "__main__":
    main()
