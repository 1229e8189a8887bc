"""One swipe, from the text of a card to the samples of a recording.

The head's voltage is dPhi/dt = v(t) * e(x(t)): the reversals are convolved with the pulse over *place* to give e(x),
which the motion then samples over time. Filters and the sampling itself work on the spectrum.
"""

from dataclasses import asdict, dataclass

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.signal import fftconvolve
from scipy.signal.windows import tukey

from .head import pulse
from .motion import arrival_times, relative_speed
from .randomness import Streams
from .stripe import MICROMETRES_PER_INCH, TRACKS, card_text, flux_reversals, message_bits, written_stripe

GRID = 0.5
"""Micrometres between the places at which e(x) is known: fine against any pulse."""

ANALOGUE_RATE = 352_800
"""At least so many samples a second stand for continuous time."""

LIFTED_WIDTH = 1.5
"""How much wider a pulse gets where the head lifts off."""


@dataclass(frozen=True)
class Swipe:
    """Everything that decides how a swipe sounds. Lengths in micrometres, speeds in inches per second."""

    track: int = 2
    text: str | None = None
    """From start to end sentinel; invented if there is none."""
    reverse: bool | None = None
    """The card goes the other way; drawn if it is not said."""

    speed: float = 15.0
    profile: str = "linear"
    change: float | None = None
    """See `relative_speed`; drawn from -0.2...0.2 (linear) if it is not said."""
    tremor: float = 0.02
    """Unsteadiness of the hand, rms."""

    pulse: str = "lorentz"
    width: float = 38.0
    """Full width of a pulse at half its height."""
    gap_share: float = 0.6
    tilt: float = 0.0
    jitter: float = 0.0
    """Misplacement of each reversal, rms, in half bit cells."""
    wear: float = 0.0
    """Depth of the amplitude's dips, 0...1."""
    dropouts: int = 0
    """Places where the head lifts off and loses half or more of the signal."""

    low_pass: float = 16_000.0
    """Hz, second order."""
    high_pass: float = 120.0
    """Hz, first order."""

    rate: int = 44_100
    encoding: str = "s16"
    snr: float | None = 40.0
    """dB, power between the first and the last reversal over white noise between 0 Hz and half the rate."""
    hum: float | None = None
    """dB over the signal's power."""
    hum_frequency: float = 50.0
    dc: float = 0.0
    """Of full scale."""
    peak: float = 0.6
    """Largest sample of the clean signal, of full scale; what is over 1 clips."""
    limiter: str = "hard"
    """How it clips: `hard` (a converter) or `soft` (an amplifier before it)."""
    clicks: int = 0
    thump: float = 0.0
    """Level of the knock when the card enters and leaves, over the clean signal's peak."""


@dataclass(frozen=True)
class Recording:
    """Samples of -1...1 and what they hold."""

    samples: np.ndarray
    truth: dict


@dataclass(frozen=True)
class Passage:
    """A stripe in motion: places on a grid, when each passes the head and how fast."""

    place: np.ndarray
    time: np.ndarray
    speed: np.ndarray
    """Relative to the nominal speed."""


def passage(swipe: Swipe, length: float, streams: Streams) -> Passage:
    """The motion of a stripe of `length` micrometres, with room before and after it."""
    margin = max(3_000.0, 20 * swipe.width)
    place = np.arange(-margin, length + margin, GRID)
    change = swipe.change
    if change is None:
        change = streams["change"].uniform(-0.2, 0.2)
    # The hand knows nothing of micrometres: a coarse profile, drawn between its points.
    progress = np.linspace(place[0] / length, place[-1] / length, 2_001)
    speed = relative_speed(swipe.profile, change, swipe.tremor, progress, streams["motion"])
    speed = np.interp(place / length, progress, speed)
    return Passage(place, arrival_times(place, speed * swipe.speed * MICROMETRES_PER_INCH), speed)


def head_signal(swipe: Swipe, reversals: np.ndarray, moving: Passage, streams: Streams) -> np.ndarray:
    """e(x) on the passage's grid: voltage per unit speed."""
    place = moving.place
    train = np.zeros(len(place))
    index = (reversals - place[0]) / GRID
    whole = index.astype(int)
    sign = 1.0 - 2.0 * (np.arange(len(reversals)) % 2)
    # Between two grid points, each takes its share: the pulse lands in between.
    np.add.at(train, whole, sign * (1 - (index - whole)))
    np.add.at(train, whole + 1, sign * (index - whole))

    reach = int(-place[0] / GRID)
    around = np.arange(-reach, reach + 1) * GRID
    fade = tukey(len(around), 0.2)

    def respond(width: float) -> np.ndarray:
        shape = pulse(swipe.pulse, around, width, swipe.gap_share, swipe.tilt)
        return fftconvolve(train, shape * fade, "same")

    signal = respond(swipe.width) * worn(swipe.wear, reversals, place, streams["wear"])
    if swipe.dropouts:
        lifted = respond(swipe.width * LIFTED_WIDTH) / LIFTED_WIDTH
        rng, cell = streams["dropouts"], TRACKS[swipe.track].cell
        for _ in range(swipe.dropouts):
            centre = reversals[0] + rng.uniform(0.1, 0.9) * (reversals[-1] - reversals[0])
            bump = np.exp(-(((place - centre) / (rng.uniform(4, 12) * cell)) ** 2))
            signal = (signal * (1 - bump) + lifted * bump) * (1 - rng.uniform(0.5, 0.85) * bump)
    return signal


def worn(depth: float, reversals: np.ndarray, place: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Gain along a scratched stripe: many dips of 0.2 to 2 mm, up to `depth` deep."""
    gain = np.ones(len(place))
    if depth:
        for centre in rng.uniform(reversals[0], reversals[-1], 15):
            gain *= 1 - depth * rng.random() * np.exp(-(((place - centre) / rng.uniform(100, 1_000)) ** 2))
    return gain


def sampled(swipe: Swipe, signal: np.ndarray, moving: Passage, lead_in: float, lead_out: float) -> np.ndarray:
    """The recorder's clean samples: induction, coupling capacitor, amplifier, anti-alias filter."""
    steps = -(-ANALOGUE_RATE // swipe.rate)
    count = next_fast_len(int((lead_in + moving.time[-1] + lead_out) * swipe.rate), real=True)
    time = np.arange(count * steps) / (swipe.rate * steps) - lead_in
    where = np.interp(time, moving.time, moving.place, left=np.nan, right=np.nan)
    voltage = np.interp(where, moving.place, signal * moving.speed)
    spectrum = rfft(np.nan_to_num(voltage))[: count // 2 + 1]
    frequency = np.arange(len(spectrum)) * swipe.rate / count
    if swipe.high_pass:
        spectrum *= 1j * frequency / (swipe.high_pass + 1j * frequency)
    relative = frequency / swipe.low_pass
    spectrum /= 1 - relative**2 + 1j * np.sqrt(2) * relative
    # Flat to 0.46 of the rate, gone at half of it.
    edge = np.clip((frequency / swipe.rate - 0.46) / 0.04, 0, 1)
    return irfft(spectrum * (1 + np.cos(np.pi * edge)) / 2, count) / steps


def hum(swipe: Swipe, count: int, rng: np.random.Generator) -> np.ndarray:
    """Mains hum of unit power: the fundamental and weaker, mostly odd harmonics."""
    phase = 2 * np.pi * swipe.hum_frequency * (1 + rng.uniform(-0.002, 0.002)) * np.arange(count) / swipe.rate
    harmonics = {1: 1.0, 2: 0.2, 3: 0.5, 5: 0.3, 7: 0.15, 9: 0.05}
    sound = sum(rng.uniform(0.5, 1) * level * np.sin(order * phase + rng.uniform(0, 2 * np.pi))
                for order, level in harmonics.items())
    return sound / np.std(sound)


def click(rate: int, rng: np.random.Generator) -> np.ndarray:
    """A spark: up at once, gone within a tenth of a millisecond."""
    decay = rng.uniform(10e-6, 60e-6)
    return rng.choice([-1, 1]) * rng.uniform(0.7, 2) * np.exp(-np.arange(0, 6 * decay, 1 / rate) / decay)


def thump(rate: int, rng: np.random.Generator) -> np.ndarray:
    """A knock: a low tone that dies away."""
    time = np.arange(0, 0.1, 1 / rate)
    tone = rng.choice([-1, 1]) * np.sin(2 * np.pi * rng.uniform(30, 150) * time)
    return tone * np.exp(-time / rng.uniform(0.01, 0.03))


def add(sound: np.ndarray, at: int, into: np.ndarray) -> None:
    """Adds a short sound in place; what would stick out is cut."""
    end = min(at + len(sound), len(into))
    into[at:end] += sound[: end - at]


def record(swipe: Swipe, streams: Streams) -> Recording:
    """The recording of a swipe, and what is true of it."""
    track = TRACKS[swipe.track]
    text = swipe.text or card_text(track, streams["text"])
    message = message_bits(track, text)
    bits, first_bit = written_stripe(track, message, streams["layout"])
    reverse = bool(streams["direction"].integers(2)) if swipe.reverse is None else swipe.reverse
    if reverse:
        bits, first_bit = bits[::-1], len(bits) - first_bit - len(message)

    reversals = flux_reversals(bits) * track.cell
    reversals += streams["jitter"].normal(size=len(reversals)) * swipe.jitter * track.cell / 2
    reversals.sort()
    moving = passage(swipe, len(bits) * track.cell, streams)
    polarity = int(streams["polarity"].choice([-1, 1]))
    pauses = streams["pauses"].uniform(0.05, 0.15, 2)
    clean = polarity * sampled(swipe, head_signal(swipe, reversals, moving, streams), moving, *pauses)

    def sample_at(place: np.ndarray) -> np.ndarray:
        return (np.interp(place, moving.place, moving.time) + pauses[0]) * swipe.rate

    first, last = (int(sample) for sample in sample_at(reversals[[0, -1]]))
    clean *= swipe.peak / np.max(np.abs(clean))
    power = np.mean(clean[first:last + 1] ** 2)

    disturbed = clean + disturbance(swipe, len(clean), power, (first, last), streams)
    noisy = disturbed.copy()
    if swipe.snr is not None:
        noisy += streams["noise"].normal(size=len(clean)) * np.sqrt(power / 10 ** (swipe.snr / 10))
    rng = streams["clicks"]
    for _ in range(swipe.clicks):
        add(click(swipe.rate, rng) * swipe.peak, int(rng.uniform(first, last)), noisy)

    cells = sample_at(np.arange(len(bits) + 1) * track.cell)
    ends = cells[[first_bit, first_bit + len(message)]]
    truth = asdict(swipe) | {
        "text": text, "synthetic": True, "reverse": reverse, "polarity": polarity, "bits": len(bits),
        "t_first": first, "t_last": last, "message_start": int(ends[0]), "message_end": int(ends[1]) + 1,
        "shortest_cell": round(float(np.diff(cells).min()), 3),
        "cell_energy": weak_cell_energy(clean, cells, power, swipe.snr),
        "lost_cells": lost_cells(clean, limited(swipe, disturbed), cells[first_bit:first_bit + len(message) + 1]),
    }
    return Recording(limited(swipe, noisy), truth)


def disturbance(swipe: Swipe, count: int, power: float, edges: tuple[int, int], streams: Streams) -> np.ndarray:
    """The slow sounds under a swipe: hum, and knocks at both edges of the card."""
    sound = np.zeros(count)
    if swipe.hum is not None:
        sound += hum(swipe, count, streams["hum"]) * np.sqrt(power * 10 ** (swipe.hum / 10))
    if swipe.thump:
        rng = streams["thump"]
        for edge in edges:
            add(thump(swipe.rate, rng) * swipe.thump * swipe.peak, edge, sound)
    return sound


def limited(swipe: Swipe, samples: np.ndarray) -> np.ndarray:
    """What amplifier and converter let through."""
    return np.clip((np.tanh(samples) if swipe.limiter == "soft" else samples) + swipe.dc, -1, 1)


def weak_cell_energy(clean: np.ndarray, cells: np.ndarray, power: float, snr: float | None) -> float | None:
    """dB of a bit cell's energy over the noise density, at the weakest twentieth: what no decoder can do without."""
    if snr is None:
        return None
    total = np.concatenate([[0.0], np.cumsum(clean**2)])
    energy = np.diff(np.interp(cells, np.arange(len(total)), total))
    weak = max(float(np.quantile(energy, 0.05)), 1e-30)
    return round(10 * np.log10(weak / power) + snr, 2)


def lost_cells(clean: np.ndarray, limited: np.ndarray, cells: np.ndarray) -> int:
    """Bit cells of the message that the limiter flattened: over two cells, less than a tenth of the swing is left."""
    ends = np.ceil(cells).astype(int)
    spans = list(zip(ends, ends[2:]))
    return sum(int(np.ptp(limited[start:end]) < min(0.1 * np.ptp(clean[start:end]), 0.1)) for start, end in spans)
