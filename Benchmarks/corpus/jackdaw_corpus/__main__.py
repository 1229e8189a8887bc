"""Records a corpus: `python3 -m jackdaw_corpus MODE OUT`. Same arguments, same sound."""

import argparse
import json
import re
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from . import modem_plans, plans, sound_file
from .live import record_live
from .negative import JACK_SOUNDS, negative_jobs, record_jack, record_negative, record_silence
from .randomness import Streams
from .session import SESSIONS, record_session
from .swipe import Swipe, record

Job = Callable[[], dict | list[dict]]


def record_swipe(out: Path, seed: int, cell: str, index: int, swipe: Swipe) -> dict:
    """Records one swipe; returns its line of the manifest."""
    recording = record(swipe, Streams(seed, cell, index))
    suffix = "flac" if swipe.encoding == "flac" else "wav"
    path = Path(cell) / f"{index:04d}.{suffix}"
    sound_file.write(out / path, recording.samples, swipe.rate, swipe.encoding)
    return {"path": str(path), "cell": cell, **recording.truth}


def record_noise(out: Path, seed: int, index: int) -> dict:
    """White noise as long as a swipe; there is nothing to find in it."""
    rng = Streams(seed, "noiseonly", index)["noise"]
    path = Path("noiseonly") / f"{index:04d}.wav"
    sound_file.write(out / path, rng.normal(0, 0.1, int(rng.uniform(10_000, 30_000))), 44_100, "s16")
    return {"path": str(path), "cell": "noiseonly", "track": None, "text": None, "rate": 44_100, "synthetic": True}


def jobs(options: argparse.Namespace) -> Iterable[Job]:
    """The recordings to make, each as a function that makes it."""
    out, seed = options.out, options.seed
    if options.mode in modem_plans.PLANS:
        yield from modem_plans.PLANS[options.mode](out, seed, options.count or 1)
        return
    if options.mode == "modem-captures":
        yield from modem_plans.captures(out, seed, options.captures)
        return
    if options.mode == "negative":
        for job in negative_jobs(options.hours):
            yield partial(record_negative, out, seed, *job)
        return
    if options.mode == "jack":
        for kind in JACK_SOUNDS:
            for index in range(options.count or 100):
                yield partial(record_jack, out, seed, kind, index)
        return
    if options.mode == "memory":
        for name in SESSIONS:
            yield partial(record_session, out, seed, name)
        return
    if options.mode == "live":
        yield partial(record_live, out, seed, options.hours)
        return
    swipes = {
        "cells": lambda: plans.table_swipes(plans.cells(), options.count or 10, seed),
        "extra": lambda: plans.table_swipes(plans.extra(), options.count or 10, seed),
        "speed": lambda: plans.speed_swipes(options.count or 200, seed),
    } | {name: partial(plans.mixed_swipes, name, options.count or 600, seed) for name in plans.MIXTURES}
    for cell, index, swipe in swipes[options.mode]():
        if re.search(options.only, cell):
            forced = {"pulse": options.pulse, "encoding": options.encoding}
            swipe = replace(swipe, **{name: value for name, value in forced.items() if value})
            yield partial(record_swipe, out, seed, cell, index, swipe)
    if options.mode == "cells" and re.search(options.only, "noiseonly"):
        for index in range(options.count or 10):
            yield partial(record_noise, out, seed, index)
    if options.mode == "speed":
        yield partial(record_silence, out, seed, options.hours)


def run(job: Job) -> list[dict]:
    """Runs a job in a worker; returns its lines of the manifest."""
    lines = job()
    return lines if isinstance(lines, list) else [lines]


def main() -> None:
    """Records what the command line asks for and writes `manifest.json` beside it."""
    parser = argparse.ArgumentParser(prog="jackdaw_corpus", description=__doc__)
    parser.add_argument("mode", choices=["cells", "extra", *plans.MIXTURES, "negative", "jack", "speed", "memory",
                                         "live", *modem_plans.PLANS, "modem-captures"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int,
                        help="swipes a cell (10), or in all for the mixtures (600) and speed (200); "
                             "recordings a cell of a modem (1), or a kind of sound on a jack (100)")
    parser.add_argument("--hours", type=float, help="of sound: negative (10), silence in speed (1), live (1)")
    parser.add_argument("--only", default="", metavar="REGEX", help="only cells whose name matches")
    parser.add_argument("--pulse", choices=plans.PULSES, help="one pulse model for all")
    parser.add_argument("--encoding", choices=["s16", "s24", "f32", "flac"], help="one file format for all")
    parser.add_argument("--captures", type=Path, metavar="FOLDER",
                        help="where the recordings of modem-captures are")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    if options.mode == "modem-captures" and options.captures is None:
        parser.error("modem-captures needs --captures FOLDER")
    options.hours = options.hours or (10 if options.mode == "negative" else 1)

    options.out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(options.jobs) as pool:
        chunk = 1 if options.mode == "memory" or options.mode.startswith("modem-") else 4
        manifest = [line for lines in pool.map(run, jobs(options), chunksize=chunk) for line in lines]
    (options.out / "manifest.json").write_text(json.dumps(manifest, indent=0))
    paths = {line["path"] for line in manifest}
    megabytes = sum((options.out / path).stat().st_size for path in paths) / 1e6
    print(f"{len(paths)} files, {megabytes:.0f} MB, {options.out / 'manifest.json'}")


if __name__ == "__main__":
    main()
