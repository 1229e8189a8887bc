"""Data as sound that is no swipe: FSK, DTMF, Manchester, biphase mark."""

import numpy as np

FSK_MODES = [
    # baud, mark, space
    (300, 1_270, 1_070), (300, 2_225, 2_025),  # Bell 103
    (300, 980, 1_180), (300, 1_650, 1_850),  # V.21
    (1_200, 1_200, 2_200),  # Bell 202
    (1_200, 1_300, 2_100), (75, 390, 450), (600, 1_300, 1_700),  # V.23
    (45.45, 2_125, 2_295),  # radioteletype
    (2_400, 1_800, 3_800), (4_800, 3_000, 7_000), (9_600, 5_400, 13_400),
]

OCTAVE_MODES = [
    (1_225, 4_900, 2_450), (1_225, 7_350, 4_900), (315, 3_150, 1_575), (315, 3_252, 1_626),  # phone-jack modems
    (300, 2_400, 1_200), (1_200, 2_400, 1_200), (600, 2_400, 1_200),  # cassette interfaces
    (1_200, 1_800, 1_200), (2_400, 2_400, 1_200), (1_500, 3_000, 1_500), (750, 1_500, 750),
]
"""Tones an octave apart, often one or two waves a bit: to a peak timer they look like a stripe."""

KEYPAD = [(row, column) for row in (697, 770, 852, 941) for column in (1_209, 1_336, 1_477, 1_633)]


def payload(rng: np.random.Generator, count: int) -> np.ndarray:
    """Bytes: random ones, text, or one byte again and again."""
    kind = rng.integers(4)
    if kind == 0:
        return np.full(count, rng.integers(256))
    if kind == 1:
        return np.resize(np.frombuffer(b"The quick brown fox jumps over the lazy dog 0123456789\r\n", np.uint8), count)
    return rng.integers(0, 256, count)


def serial_bits(rng: np.random.Generator, data: np.ndarray) -> np.ndarray:
    """Start bit, eight data bits least significant first, stop bit; now and then an idle line."""
    bits: list[int] = []
    for value in data:
        bits += [0, *(int(value) >> place & 1 for place in range(8)), 1]
        if rng.random() < 0.03:
            bits += [1] * int(rng.integers(1, 60))
    return np.array(bits)


def random_bits(rng: np.random.Generator, count: int) -> np.ndarray:
    """Bits of random, text, constant or serial data."""
    data = payload(rng, count // 8 + 1)
    if rng.random() < 0.5:
        return serial_bits(rng, data)[:count]
    return np.unpackbits(data.astype(np.uint8), bitorder="little")[:count]


def transmissions(rng: np.random.Generator, rate: int, seconds: float, burst) -> np.ndarray:
    """Bursts of up to eight seconds with pauses between."""
    count = int(seconds * rate)
    sound = np.zeros(count)
    start = int(rng.uniform(0, 0.5) * rate)
    while start < count:
        piece = burst(rng.uniform(0.1, 8))[: count - start]
        sound[start:start + len(piece)] = piece
        start += len(piece) + int(rng.uniform(0.02, 1.5) * rate)
    return sound


def keyed(rng: np.random.Generator, rate: int, modes: list[tuple[float, float, float]], seconds: float) -> np.ndarray:
    """A minute of one FSK mode with a clock up to 3 % off; phase-continuous, sine or square."""
    modes = [mode for mode in modes if max(mode[1:]) < 0.45 * rate]
    baud, mark, space = np.array(modes[rng.integers(len(modes))]) * (1 + rng.uniform(-0.03, 0.03))
    squared = rng.random() < 0.25

    def burst(length: float) -> np.ndarray:
        bits = serial_bits(rng, payload(rng, int(length * baud / 10) + 1))
        bits = np.concatenate([np.ones(int(rng.integers(2, 60))), bits, np.ones(4)])
        index = np.minimum((np.arange(int(len(bits) * rate / baud)) * baud / rate).astype(int), len(bits) - 1)
        wave = np.sin(2 * np.pi * np.cumsum(np.where(bits[index] > 0, mark, space)) / rate)
        return np.sign(wave) if squared else wave

    return transmissions(rng, rate, seconds, burst)


def fsk(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Modem standards."""
    return keyed(rng, rate, FSK_MODES, seconds)


def octave_fsk(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Tones an octave apart."""
    return keyed(rng, rate, OCTAVE_MODES, seconds)


def dtmf(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Dialled digits, ringing and busy tones."""

    def burst(_: float) -> np.ndarray:
        tones = KEYPAD[rng.integers(16)] if rng.random() < 0.9 else (425, 425)
        time = np.arange(int(rng.uniform(0.04, 0.4) * rate)) / rate
        return sum(np.sin(2 * np.pi * tone * time) for tone in tones)

    return transmissions(rng, rate, seconds, burst)


def line_coded(rng: np.random.Generator, rate: int, seconds: float, halves) -> np.ndarray:
    """Levels of two half cells a bit at 600 to 6,000 bit/s, square, smoothed, or differentiated as by a coil."""
    speed = min(np.exp(rng.uniform(np.log(600), np.log(6_000))), rate / 6)
    kind = rng.integers(3)

    def burst(length: float) -> np.ndarray:
        levels = halves(random_bits(rng, int(length * speed) + 16))
        index = np.minimum((np.arange(int(len(levels) * rate / (2 * speed))) * 2 * speed / rate).astype(int),
                           len(levels) - 1)
        wave = levels[index]
        if kind == 0:
            return wave
        smooth = np.hanning(max(3, int(rate / speed / 3)))
        return np.convolve(wave if kind == 1 else np.diff(wave, prepend=0.0), smooth / smooth.sum(), "same")

    return transmissions(rng, rate, seconds, burst)


def manchester(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """Manchester code: the sense of the change in the middle of a bit is the bit."""
    return line_coded(rng, rate, seconds, lambda bits: np.repeat(2.0 * bits - 1, 2) * np.tile([1.0, -1.0], len(bits)))


def biphase_mark(rng: np.random.Generator, rate: int, seconds: float) -> np.ndarray:
    """The code of a stripe itself, but other data: random bits, or the frames of a film's time code."""

    def halves(bits: np.ndarray) -> np.ndarray:
        if as_time_code:
            bits = time_code(rng, len(bits))
        changes = np.ones(2 * len(bits))
        changes[1::2] = bits
        return 1.0 - 2.0 * (np.cumsum(changes) % 2)

    as_time_code = rng.random() < 0.5
    return line_coded(rng, rate, seconds, halves)


def time_code(rng: np.random.Generator, count: int) -> np.ndarray:
    """Frames of 80 bits: hours to frames in decimal digits between user bits, then the sync word (SMPTE 12M)."""
    sync = [0, 0, *[1] * 12, 0, 1]
    frame = int(rng.integers(0, 2_000_000))
    user = rng.integers(0, 2, 32) * rng.integers(2)
    bits: list[int] = []
    while len(bits) < count:
        seconds, frames = divmod(frame, 25)
        fields = [frames, seconds % 60, seconds // 60 % 60, seconds // 3_600 % 24]
        digits = [digit for field in fields for digit in (field % 10, field // 10)]
        for place, digit in enumerate(digits):
            bits += [digit >> bit & 1 for bit in range(4)] + user[4 * place:4 * place + 4].tolist()
        bits += sync
        frame += 1
    return np.array(bits[:count])
