"""Checks the generator of baseband line codes against vectors worked out by hand."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jackdaw_corpus import modem_baseband as baseband
from jackdaw_corpus.randomness import Streams


def levels(text: str) -> list[int]:
    return [1 if letter == "H" else -1 for letter in text if letter in "HL"]


@pytest.mark.parametrize(("nibble", "expected"), [
    (0x5, "H HL LH HL LH L"), (0x6, "H LH HL HL LH L"), (0x0, "H LH LH LH LH L"),
])
def test_nibbles_begin_high_and_end_low(nibble: int, expected: str) -> None:
    assert baseband.nibble_chips(nibble) == levels(expected)


def test_unimag_frames_begin_with_preamble_and_sync() -> None:
    chips = baseband.unimag_chips(b"\x02")
    assert len(chips) == 20 * 16
    assert chips[280:300] == levels("H LH HL HL LH L") * 2
    assert chips[300:] == levels("H LH LH LH LH L" "H LH HL LH LH L")


def test_udynamo_nibbles_are_bytes_of_a_uart() -> None:
    chips = baseband.udynamo_chips(b"\x31")
    assert chips[:10] == levels("LHLHLHLHLH")
    assert chips[40:60] == levels("LLLLLHHHHH") * 2
    assert chips[60:] == levels("L HL LH LH LH H" "L HL HL LH LH H")


def test_packets_sum_to_nothing() -> None:
    packet = baseband.packet(b"\x31")
    assert packet == bytes([0x99, 0, 1, 0x31, 0x35])


def test_serial_characters_have_even_parity() -> None:
    bits = baseband.uart_chips(b"\x13", 1, 1)[::2]
    assert bits == levels("H L HHLLHLLL H H H")


@pytest.mark.parametrize("mode", sorted(baseband.CHIP_RATES))
def test_noise_has_the_power_asked_for(mode: str) -> None:
    streams = Streams(1, mode)
    clean, data = baseband.record(baseband.Frame(mode, length=30, amplitude=1), streams["frame"])
    noisy, same = baseband.record(baseband.Frame(mode, length=30, amplitude=1, ebn0=6), streams["frame"])
    assert data == same
    signal = 0.5 if mode in baseband.SERIAL else 1
    expected = signal * 2 * 48_000 / baseband.CHIP_RATES[mode] / (2 * 10**0.6)
    assert np.var(noisy - clean) == pytest.approx(expected, rel=0.1)


def test_the_command_writes_sound_and_manifest(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "jackdaw_corpus.modem_baseband", str(tmp_path), "--ebn0", "9,clean", "--count", "2",
               "--length", "4"]
    subprocess.run(command, check=True, cwd=Path(__file__).parent, capture_output=True)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert [line["ebn0"] for line in manifest] == [9, 9, None, None]
    assert all((tmp_path / line["path"]).exists() and len(line["bytes"]) == 8 for line in manifest)


@pytest.mark.parametrize("clock", [0.97, 1.0, 1.03])
def test_noise_is_told_by_the_true_length_of_a_bit(clock: float) -> None:
    quiet, loud = (baseband.record(baseband.Frame(mode="unimag", rate=48_000, ebn0=ratio, clock=clock, length=2_000),
                                   np.random.default_rng(3))[0] for ratio in (None, 10))
    noise = np.var(loud - quiet) / 0.3 ** 2
    assert noise == pytest.approx(2 * 48_000 / (9_600 * clock) / 20, rel=0.005)
