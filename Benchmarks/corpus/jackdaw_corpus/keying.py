"""Frequency shift keying of known bytes, and what happens to it on its way to the decoder.

Eb is the energy of a bit on the line, start and stop bits included, of the sine before anything happened to it; noise
is white from 0 Hz to half the sampling rate and comes last, so that a filter or a fade weakens the signal alone.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.signal import lfilter

from .randomness import Streams

BLOCK_BYTES = 250
"""Bytes that follow each other without a pause, by default."""

PAUSE_BITS = 30
"""Bits of mark before, between and after the blocks."""


@dataclass(frozen=True)
class Keying:
    """Tones (Hz) and baud of a mode, as a decoder gets them."""

    baud: float
    mark: float
    space: float


@dataclass(frozen=True)
class Channel:
    """What happens to the sound, in the order of the fields; a channel of defaults does nothing."""

    clock: float = 1.0
    """True baud over the nominal one."""
    tone_ratio: float = 1.0
    """True tones over the nominal ones."""
    tone_shift: float = 0.0
    """True tones less the nominal ones, in parts of the baud."""
    carrier_off: float = 0.0
    """Seconds without a carrier between the blocks, and before and after them."""
    overdrive: float = 1.0
    """The sender's sine is this much too large for it and flattened at the nominal peak."""
    low_pass: float | None = None
    """Cutoff of a first-order low-pass, Hz."""
    high_pass: float | None = None
    """Cutoff of a first-order high-pass, Hz."""
    fade_depth: float = 0.0
    """The level swings between 0 dB and this much below, as a sine over time, dB."""
    fade_rate: float = 0.0
    """Swings of the level a second, Hz."""
    hum: float = 0.0
    """Peak of 50 Hz hum over that of the signal."""
    offset: float = 0.0
    """Constant offset over the peak of the signal."""
    clip: float | None = None
    """The converter flattens signal and noise beyond this many peaks of the signal."""


@dataclass(frozen=True)
class Transmission:
    """One recording of random bytes."""

    keying: Keying
    rate: int
    bytes: int
    ebn0: float | None
    """Energy of a bit over the noise density, dB; no noise if None."""
    channel: Channel = field(default_factory=Channel)
    block: int = BLOCK_BYTES
    """Bytes that follow each other without a pause."""
    peak: float = 0.05
    """Peak of the sine; small enough that noise at 6 dB and offsets of ten peaks stay within full scale."""

    @property
    def sigma(self) -> float:
        """Standard deviation of the noise."""
        if self.ebn0 is None:
            return 0.0
        return self.peak * np.sqrt(self.rate / self.keying.baud / 4 / 10 ** (self.ebn0 / 10))


def character_bits(data: bytes) -> np.ndarray:
    """Start bit, eight data bits with the least significant first, stop bit, for each byte."""
    bits = np.ones((len(data), 10), np.uint8)
    bits[:, 0] = 0
    bits[:, 1:9] = np.unpackbits(np.frombuffer(data, np.uint8)[:, None], axis=1, bitorder="little")
    return bits.reshape(-1)


def blocks(data: bytes, length: int = BLOCK_BYTES) -> list[np.ndarray]:
    """Bits of each block with half a pause on either side, and a whole one at the ends."""
    half = np.ones(PAUSE_BITS // 2, np.uint8)
    parts = [data[at:at + length] for at in range(0, len(data), length)]
    pieces = [np.concatenate([half, character_bits(part), half]) for part in parts]
    pieces[0] = np.concatenate([half, pieces[0]])
    pieces[-1] = np.concatenate([pieces[-1], half])
    return pieces


def turns_of(bits: np.ndarray, bit_length: float, mark: float, space: float) -> np.ndarray:
    """Turns of a sine of unbroken phase at each sample.

    Args:
        bits: one after the other.
        bit_length: samples a bit; edges may lie between samples.
        mark: turns a sample of a 1.
        space: turns a sample of a 0.
    """
    rates = np.where(bits > 0, mark, space)
    before = np.concatenate([[0.0], np.cumsum(rates * bit_length)])
    sample = np.arange(int(len(bits) * bit_length))
    index = np.minimum((sample / bit_length).astype(np.int64), len(bits) - 1)
    return before[index] + rates[index] * (sample - index * bit_length)


def carrier(transmission: Transmission, data: bytes) -> np.ndarray:
    """The sender's sine, peak 1."""
    keying, channel = transmission.keying, transmission.channel
    shift = channel.tone_shift * keying.baud
    mark, space = ((tone * channel.tone_ratio + shift) / transmission.rate for tone in (keying.mark, keying.space))
    bit_length = transmission.rate / (keying.baud * channel.clock)
    pieces = blocks(data, transmission.block)
    if not channel.carrier_off:
        pieces = [np.concatenate(pieces)]
    silence = np.zeros(int(channel.carrier_off * transmission.rate))
    sound = [silence]
    for piece in pieces:
        sound += [np.sin(2 * np.pi * turns_of(piece, bit_length, mark, space)), silence]
    return np.concatenate(sound)


def first_order(sound: np.ndarray, cutoff: float, rate: int, is_high_pass: bool) -> np.ndarray:
    """A resistor and a capacitor, by the bilinear transform with the cutoff in its place."""
    warped = np.tan(np.pi * cutoff / rate)
    numerator = np.array([1.0, -1.0]) if is_high_pass else np.array([warped, warped])
    return lfilter(numerator / (1 + warped), [1.0, (warped - 1) / (warped + 1)], sound)


def through(channel: Channel, sound: np.ndarray, rate: int, sigma: float, rng: np.random.Generator) -> np.ndarray:
    """What arrives of a sound of peak 1, with noise of a standard deviation of `sigma` peaks."""
    time = np.arange(len(sound)) / rate
    if channel.overdrive > 1:
        sound = np.clip(sound * channel.overdrive, -1, 1)
    if channel.low_pass:
        sound = first_order(sound, channel.low_pass, rate, is_high_pass=False)
    if channel.high_pass:
        sound = first_order(sound, channel.high_pass, rate, is_high_pass=True)
    if channel.fade_depth:
        decibels = -channel.fade_depth * (1 - np.cos(2 * np.pi * channel.fade_rate * time)) / 2
        sound = sound * 10 ** (decibels / 20)
    sound = sound + sigma * rng.standard_normal(len(sound))
    if channel.hum:
        sound = sound + channel.hum * np.sin(2 * np.pi * 50 * time)
    sound = sound + channel.offset
    return sound if channel.clip is None else np.clip(sound, -channel.clip, channel.clip)


def transmit(transmission: Transmission, streams: Streams) -> tuple[np.ndarray, bytes]:
    """Records random bytes; returns the sound and the bytes."""
    data = streams["bytes"].bytes(transmission.bytes)
    sound = carrier(transmission, data)
    sigma = transmission.sigma / transmission.peak
    sound = through(transmission.channel, sound, transmission.rate, sigma, streams["noise"])
    return transmission.peak * sound, data
