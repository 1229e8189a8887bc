"""Which swipes to record: every mode is a list of cells, a cell a list of swipes under one condition."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from .randomness import Streams
from .stripe import TRACKS
from .swipe import Swipe, record

PULSES = ("lorentz", "karlqvist")


def cells() -> dict[str, dict]:
    """The conditions of the accuracy table: one nuisance each, for each track."""
    table: dict[str, dict] = {}
    for track in TRACKS:

        def cell(name: str, track: int = track, **parameters: object) -> None:
            kind, _, level = name.partition("_")
            table[f"{kind}_t{track}" + (f"_{level}" if level else "")] = {"track": track, "snr": 30.0, **parameters}

        for snr in (30, 25, 20, 15, 12, 9, 6, 3, 0, -3, -6, -9):
            cell(f"snr_{snr:+03d}", snr=float(snr))
        for speed in (5, 10, 20, 30, 40, 50):
            cell(f"speed_{speed:02d}", speed=float(speed))
        for rate in (8_000, 22_050, 44_100, 48_000, 96_000, 192_000):
            cell(f"rate_{rate:06d}", rate=rate, speed=12.0)
        for percent in (0, 20, 35, 50):
            cell(f"accel_lin{percent:02d}", change=percent / 100)
        cell("accel_x4", profile="exponential", change=4.0, speed=10.0)
        cell("accel_x6", profile="exponential", change=6.0, speed=10.0)
        cell("accel_sin30", profile="sinusoidal", change=0.3)
        for hum in (-10, 0, 6, 12):
            cell(f"hum_{hum:+03d}", hum=float(hum))
        for percent in (2, 10, 30):
            cell(f"dc_{percent:02d}", dc=percent / 100)
        for times in (2, 4, 10):
            cell(f"clip_x{times:02d}", peak=float(times))
        for level in (0.003, 0.01, 0.03, 0.1):
            cell(f"level_{round(level * 1000):03d}", peak=level, snr=25.0)
        for width in (60, 100, 160, 220, 300) if track == 2 else (40, 60, 80, 100, 130):
            cell(f"pw_{width:03d}", width=float(width))
        for cutoff in (1_000, 2_000, 4_000, 8_000):
            cell(f"lp_{cutoff:05d}", low_pass=float(cutoff))
        for cutoff in (250, 500, 1_000):
            cell(f"hp_{cutoff:04d}", high_pass=float(cutoff))
        for percent in (3, 6, 10, 15):
            cell(f"jit_{percent:02d}", jitter=percent / 100)
        cell("drop", dropouts=3, snr=25.0)
        cell("click", clicks=3)
        cell("real", profile="exponential", change=4.0, speed=8.0, high_pass=300.0, dropouts=1, jitter=0.02, hum=-20.0)
        cell("hard", profile="exponential", change=3.0, speed=12.0, snr=10.0, high_pass=300.0, dropouts=2, jitter=0.04,
             hum=-6.0, clicks=1, width=50.0)
    return table


def extra() -> dict[str, dict]:
    """Conditions that the accuracy table does not have: how hands really move, other heads, other files."""
    table: dict[str, dict] = {}
    for track in TRACKS:
        common = {"track": track, "snr": 30.0}
        table |= {
            f"uniform_t{track}_x6": common | {"profile": "uniform", "change": 6.5, "speed": 3.1},
            f"hesitation_t{track}": common | {"profile": "hesitation", "change": 0.75},
            f"wear_t{track}": common | {"wear": 0.8, "snr": 25.0},
            f"tilt_t{track}": common | {"tilt": 30.0},
            f"gap_t{track}": common | {"pulse": "karlqvist", "gap_share": 0.92, "width": 50.0},
            f"soft_t{track}_x06": common | {"peak": 6.0, "limiter": "soft"},
            f"thump_t{track}": common | {"thump": 2.0},
            **{f"rate_t{track}_{rate:06d}": common | {"rate": rate, "speed": 12.0}
               for rate in (11_025, 16_000, 32_000, 88_200, 176_400)},
            **{f"file_t{track}_{encoding}": common | {"encoding": encoding} for encoding in ("s24", "f32")},
        }
    return table


def either_way(parameters: dict, rng: np.random.Generator) -> dict:
    """Half of the hands slow down where the cell says that they speed up."""
    change = parameters.get("change")
    if change is None or parameters.get("profile") == "hesitation" or rng.integers(2):
        return parameters
    if parameters.get("profile") in ("exponential", "uniform"):
        # The same range of speeds, run through backwards.
        start = parameters["speed"] * (change if parameters["profile"] == "uniform" else 1)
        return parameters | {"change": 1 / change, "speed": start}
    return parameters | {"change": -change}


def table_swipes(table: dict[str, dict], per_cell: int, seed: int) -> Iterator[tuple[str, int, Swipe]]:
    """`per_cell` swipes of each cell, the two pulse models and the two mains frequencies in turn."""
    for name, parameters in table.items():
        for index in range(per_cell):
            drawn = either_way(parameters, Streams(seed, name, index)["plan"])
            drawn = {"pulse": PULSES[index % 2], "hum_frequency": (50.0, 60.0)[index // 2 % 2]} | drawn
            yield name, index, Swipe(**drawn)


SHORTEST_CELL = 2.2
"""Samples: below two, the ones of a stripe lie over half the sampling rate and are not in the sound."""

SLOWEST_HAND = 2.5
"""Inches per second; real swipes were measured from 3.3."""


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Between `low` and `high`, each octave as likely as the next."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def holdout_swipe(rng: np.random.Generator) -> Swipe:
    """Every nuisance at once, drawn at random; nothing that the sampling rate cannot carry."""

    def sometimes(chance: float, value: object, otherwise: object) -> object:
        return value if rng.random() < chance else otherwise

    track = TRACKS[int(rng.integers(1, 4))]
    rate = int(rng.choice([8_000, 11_025, 16_000, 22_050, 44_100, 44_100, 44_100, 48_000, 48_000, 96_000, 192_000]))
    profile = str(rng.choice(["linear", "exponential", "uniform", "sinusoidal", "hesitation"]))
    change = {
        "linear": rng.uniform(-0.5, 0.5),
        "exponential": log_uniform(rng, 1 / 6, 6),
        "uniform": log_uniform(rng, 1 / 6, 6),
        "sinusoidal": rng.uniform(0, 0.3),
        "hesitation": rng.uniform(0.2, 0.75),
    }[profile]
    fastest = {
        "linear": 1 + abs(change),
        "exponential": max(change, 1 / change) ** 0.5,
        "uniform": max(change, 1),
        "sinusoidal": 1 + change,
        "hesitation": 1,
    }[profile]
    slowest = {
        "linear": 1 - abs(change),
        "exponential": min(change, 1 / change) ** 0.5,
        "uniform": min(change, 1),
        "sinusoidal": 1 - change,
        "hesitation": 1 - change,
    }[profile]
    # An eighth is left for the tremor.
    limit = rate / track.bits_per_inch / SHORTEST_CELL / 1.125
    top = log_uniform(rng, max(6, SLOWEST_HAND * fastest / slowest), min(50, limit))
    widest = 1 if track.number != 2 else 2
    overdriven = rng.random() < 0.25
    return Swipe(
        track=track.number, rate=rate, speed=top / fastest, profile=profile, change=float(change),
        tremor=float(rng.uniform(0.005, 0.03)),
        pulse=str(rng.choice(PULSES)), width=float(rng.uniform(30, 70) * widest),
        gap_share=float(rng.uniform(0.3, 0.9)),
        tilt=float(sometimes(0.4, rng.uniform(-25, 25), 0.0)), jitter=float(rng.uniform(0, 0.06)),
        wear=float(sometimes(0.3, rng.uniform(0.2, 0.7), 0.0)), dropouts=int(sometimes(0.4, rng.integers(1, 3), 0)),
        low_pass=float(rng.uniform(6_000, 16_000)), high_pass=float(rng.uniform(50, 400)),
        encoding=str(rng.choice(["s16", "s16", "s16", "s24", "f32"])), snr=float(rng.uniform(5, 38)),
        hum=sometimes(0.5, float(rng.uniform(-25, 3)), None), hum_frequency=float(rng.choice([50, 60])),
        dc=float(sometimes(0.4, rng.uniform(-0.2, 0.2), 0.0)),
        peak=float(rng.uniform(1, 6) if overdriven else log_uniform(rng, 0.02, 0.8)),
        limiter=str(rng.choice(["hard", "hard", "soft"])), clicks=int(sometimes(0.3, rng.integers(1, 3), 0)),
        thump=float(sometimes(0.25, rng.uniform(0.1, 1), 0.0)),
    )


@dataclass(frozen=True)
class Levels:
    """How far each nuisance of the accuracy table goes in a mixture of all."""

    jitter: float
    hum: float
    dc: float
    quietest: float
    """Lowest peak, of full scale."""
    overdrive: float
    """Highest peak of the quarter that is overdriven."""
    clicks: int
    high_pass: float
    width: float
    width_track_2: float


MIDDLE_LEVELS = Levels(jitter=0.06, hum=0.0, dc=0.1, quietest=0.01, overdrive=4.0, clicks=2, high_pass=400.0,
                       width=60.0, width_track_2=120.0)
"""About the middle of what the table has: jitter 3, 6, 10 and 15 %, hum -10, 0, 6 and 12 dB, offsets 0.02, 0.1 and
0.3, peaks 0.003, 0.01, 0.03 and 0.1, clipping x2, x4 and x10, 3 clicks, high-pass 250, 500 and 1,000 Hz. Real
recordings have pulses of 44, 47 and, one of track 2, 125 um."""

FIRST_LEVELS = Levels(jitter=0.04, hum=-6.0, dc=0.02, quietest=0.1, overdrive=2.0, clicks=1, high_pass=300.0,
                      width=50.0, width_track_2=60.0)
"""The first level that the table has of each, or that of its mixture `hard` where that is more."""


def nuisances_swipe(levels: Levels, rng: np.random.Generator) -> Swipe:
    """Every nuisance of the accuracy table at once, none beyond `levels`.

    Both levels come from the table, not from what a decoder makes of them. The same at either are: track and rate,
    evenly as in the table; 5 to 38 dB; 5 to 50 in/s, nowhere faster and as far as the rate carries it; the table's
    strongest accelerations, for hands do worse; up to 2 of its 3 dropouts, as in `hard`; a low-pass of 8 kHz at least,
    its first level: it has lower ones at 15 in/s only, not at 50.
    """
    track = TRACKS[int(rng.integers(1, 4))]
    rate = int(rng.choice([8_000, 22_050, 44_100, 48_000, 96_000, 192_000]))
    profile = str(rng.choice(["linear", "exponential", "sinusoidal"]))
    change = {
        "linear": rng.uniform(-0.5, 0.5),
        "exponential": log_uniform(rng, 1 / 4, 4),
        "sinusoidal": rng.uniform(0, 0.3),
    }[profile]
    fastest = max(change, 1 / change) ** 0.5 if profile == "exponential" else 1 + abs(change)
    # An eighth is left for the tremor.
    limit = rate / track.bits_per_inch / SHORTEST_CELL / 1.125
    overdriven = rng.random() < 0.25
    widest = levels.width_track_2 if track.number == 2 else levels.width
    return Swipe(
        track=track.number, rate=rate, speed=log_uniform(rng, 5, min(50, limit) / fastest), profile=profile,
        change=float(change), pulse=str(rng.choice(PULSES)), width=float(rng.uniform(30, widest)),
        jitter=float(rng.uniform(0, levels.jitter)), dropouts=int(rng.integers(0, 3)),
        low_pass=float(rng.uniform(8_000, 16_000)), high_pass=float(rng.uniform(50, levels.high_pass)),
        snr=float(rng.uniform(5, 38)), hum=float(rng.uniform(-30, levels.hum)),
        hum_frequency=float(rng.choice([50, 60])), dc=float(rng.uniform(-levels.dc, levels.dc)),
        peak=float(rng.uniform(1, levels.overdrive) if overdriven else log_uniform(rng, levels.quietest, 0.6)),
        clicks=int(rng.integers(0, levels.clicks + 1)),
    )


MIXTURES: dict[str, Callable[[np.random.Generator], Swipe]] = {
    "holdout": holdout_swipe,
    "nuisances": partial(nuisances_swipe, MIDDLE_LEVELS),
    "nuisances-mild": partial(nuisances_swipe, FIRST_LEVELS),
}
"""How each mode draws a swipe that has everything at once."""


def mixed_swipes(name: str, count: int, seed: int) -> Iterator[tuple[str, int, Swipe]]:
    """`count` random swipes as one cell; a draw whose data the limiter or the sampling wiped out is drawn again."""
    for index in range(count):
        streams = Streams(seed, name, index)
        rng = streams["plan"]
        while True:
            swipe = MIXTURES[name](rng)
            truth = record(swipe, streams).truth
            if truth["lost_cells"] == 0 and truth["shortest_cell"] >= SHORTEST_CELL:
                break
        yield name, index, swipe


def speed_swipes(count: int, seed: int) -> Iterator[tuple[str, int, Swipe]]:
    """`count` clean track 2 swipes at 44.1 kHz."""
    for index in range(count):
        speed = float(Streams(seed, "clean", index)["plan"].uniform(8, 25))
        yield "clean", index, Swipe(speed=speed)
