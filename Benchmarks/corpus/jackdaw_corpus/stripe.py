"""What is written on a stripe: characters, bits, flux reversals (ISO/IEC 7811-2, 7813, 4909)."""

from dataclasses import dataclass

import numpy as np

MICROMETRES_PER_INCH = 25_400.0

CARD_LENGTH = 3.375
"""Inches, ISO/IEC 7810 ID-1."""

FIRST_DATA_BIT = 0.293
"""Inches from the card's edge to the first bit of the start sentinel."""

ISSUER = "999999"
"""An issuer number that is not assigned: every card here is a test card."""

NAMES = ["TESTER/TESS", "SAMPLE/SAM A", "NOBODY/IMA MRS", "D'EXAMPLE/EVE", "SYNTHETIC-CARD/A B", "XU/LI"]


@dataclass(frozen=True)
class Track:
    """One of the three stripes."""

    number: int
    bits_per_inch: int
    data_bits: int
    base: int
    """ASCII of the character whose data bits are all zero."""
    start: str
    """Start sentinel."""
    longest: int
    """Most characters, sentinels and LRC included."""
    edge_tolerance: float
    """Inches that the first data bit may lie off its place."""

    @property
    def cell(self) -> float:
        """Length of a bit cell in micrometres."""
        return MICROMETRES_PER_INCH / self.bits_per_inch


TRACKS = {
    1: Track(1, 210, 6, 0x20, "%", 79, 0.020),
    2: Track(2, 75, 4, 0x30, ";", 40, 0.020),
    3: Track(3, 210, 4, 0x30, ";", 107, 0.040),
}


def character_bits(value: int, data_bits: int) -> list[int]:
    """Data bits, least significant first, and a parity bit that makes the number of ones odd."""
    bits = [value >> place & 1 for place in range(data_bits)]
    return [*bits, 1 - sum(bits) % 2]


def message_bits(track: Track, text: str) -> list[int]:
    """The bits of a message from start sentinel to LRC; the LRC makes the ones of every data column even."""
    values = [ord(character) - track.base for character in text]
    if any(not 0 <= value < 1 << track.data_bits for value in values):
        raise ValueError(f"track {track.number} cannot hold this text")
    longitudinal = 0
    for value in values:
        longitudinal ^= value
    return [bit for value in [*values, longitudinal] for bit in character_bits(value, track.data_bits)]


def flux_reversals(bits: list[int]) -> np.ndarray:
    """Places of the flux reversals in bit cells: one at each cell boundary, one in the middle of each 1."""
    halves = np.ones(2 * len(bits) + 1, bool)
    halves[1::2] = np.array(bits, bool)
    return np.flatnonzero(halves) / 2


def written_stripe(track: Track, message: list[int], rng: np.random.Generator) -> tuple[list[int], int]:
    """A card's bits from edge to edge, with clocking zeros around the message, and the place of its first bit."""
    unwritten = rng.uniform(0, 0.1, 2)
    first = FIRST_DATA_BIT + rng.uniform(-track.edge_tolerance, track.edge_tolerance) - unwritten[0]
    leading = round(first * track.bits_per_inch)
    total = round((CARD_LENGTH - unwritten.sum()) * track.bits_per_inch)
    return [0] * leading + message + [0] * (total - leading - len(message)), leading


def luhn_digit(digits: str) -> str:
    """The check digit that makes `digits` followed by it pass the Luhn check."""
    doubled = [int(digit) * (2 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(digits))]
    return str(-sum(value // 10 + value % 10 for value in doubled) % 10)


def card_text(track: Track, rng: np.random.Generator) -> str:
    """The text of an invented card, from start sentinel to end sentinel."""

    def digits(low: int, high: int) -> str:
        return "".join(str(digit) for digit in rng.integers(0, 10, int(rng.integers(low, high + 1))))

    length = int(rng.choice([13, 15, 16, 16, 16, 16, 18, 19]))
    body = ISSUER + digits(length - 7, length - 7)
    account = body + luhn_digit(body)
    validity = f"{rng.integers(24, 50):02d}{rng.integers(1, 13):02d}{rng.choice([101, 120, 201, 220, 221, 601])}"
    if track.number == 1:
        name = str(rng.choice(NAMES))
        name = name.ljust(26) if rng.random() < 0.5 else name
        text = f"%B{account}^{name}^{validity}{digits(4, 24)}"
    elif track.number == 2:
        text = f";{account}={validity}{digits(3, 13)}"
    else:
        text = f";01{account}={digits(24, 48)}=={digits(8, 16)}={digits(0, 10)}"
    return text[: track.longest - 2] + "?"
