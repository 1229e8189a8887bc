"""Checks the generator against vectors worked out by hand and against the physics it claims."""

import json
import struct
import sys
import wave
from dataclasses import replace

import numpy as np
import pytest
from scipy.io import wavfile
from scipy.signal import find_peaks

from jackdaw_corpus import __main__ as command
from jackdaw_corpus import keying, live, modem_plans, negative, plans, session, sound_file
from jackdaw_corpus.head import pulse
from jackdaw_corpus.keying import Channel, Keying, Transmission, transmit
from jackdaw_corpus.motion import arrival_times, relative_speed
from jackdaw_corpus.randomness import Streams, smooth_noise
from jackdaw_corpus.stripe import (ISSUER, TRACKS, card_text, character_bits, flux_reversals, luhn_digit, message_bits,
                                   written_stripe)
from jackdaw_corpus.swipe import Swipe, record, worn


def bits(text: str) -> list[int]:
    return [int(bit) for bit in text if bit in "01"]


@pytest.mark.parametrize(("value", "data_bits", "expected"), [
    (0x05, 6, "1010001"),  # % on track 1
    (0x1F, 6, "1111100"),  # ? on track 1
    (0x0B, 4, "11010"),  # ;
    (0x0F, 4, "11111"),  # ?
    (0x0D, 4, "10110"),  # =
    (0x00, 4, "00001"),
    (0x08, 4, "00010"),
])
def test_character_bits(value, data_bits, expected):
    assert character_bits(value, data_bits) == bits(expected)


def test_track_2_message_and_lrc():
    # 1011 ^ 0001 ^ 0010 ^ 0011 ^ 1101 ^ 0100 ^ 0101 ^ 1111 = 1000
    expected = "11010 10000 01000 11001 10110 00100 10101 11111 00010"
    assert message_bits(TRACKS[2], ";123=45?") == bits(expected)


def test_track_1_message_and_lrc():
    # 000101 ^ 100001 ^ 011111 = 111011
    assert message_bits(TRACKS[1], "%A?") == bits("1010001 1000011 1111100 1101110")


@pytest.mark.parametrize(("track", "text"), [(1, "%a?"), (2, ";A?"), (3, "; ?")])
def test_text_that_the_code_cannot_hold(track, text):
    with pytest.raises(ValueError, match=f"track {track}"):
        message_bits(TRACKS[track], text)


@pytest.mark.parametrize("number", ["4111111111111111", "5555555555554444", "378282246310005"])
def test_luhn_of_published_test_numbers(number):
    assert luhn_digit(number[:-1]) == number[-1]


def test_flux_reversals():
    assert flux_reversals(bits("101")).tolist() == [0, 0.5, 1, 2, 2.5, 3]


@pytest.mark.parametrize("track", TRACKS.values(), ids=lambda track: f"track {track.number}")
def test_cards_fit_their_stripe(track):
    for seed in range(200):
        streams = Streams(seed)
        text = card_text(track, streams["text"])
        assert text[0] == track.start and text[-1] == "?" and ISSUER in text[:9]
        message = message_bits(track, text)
        assert len(text) + 1 <= track.longest
        stripe, first = written_stripe(track, message, streams["layout"])
        assert stripe[first:first + len(message)] == message
        assert not any(stripe[:first]) and not any(stripe[first + len(message):])
        assert first >= 10 and len(stripe) - first - len(message) >= 10
        assert len(stripe) <= 3.375 * track.bits_per_inch + 1


@pytest.mark.parametrize("model", plans.PULSES)
@pytest.mark.parametrize("gap_share", [0.1, 0.6, 0.95])
def test_pulse_width_at_half_height(model, gap_share):
    at = pulse(model, np.array([-19.0, 0.0, 19.0]), 38.0, gap_share, 0.0)
    assert at == pytest.approx([0.5, 1.0, 0.5])


def test_karlqvist_is_no_lorentz():
    place = np.linspace(-60, 60, 121)
    difference = pulse("karlqvist", place, 38.0, 0.9, 0.0) - pulse("lorentz", place, 38.0, 0.9, 0.0)
    assert np.max(np.abs(difference)) > 0.03


@pytest.mark.parametrize("model", plans.PULSES)
def test_tilt_keeps_the_energy(model):
    place = np.arange(-20_000, 20_000, 0.5)
    flat, tilted = (np.sum(pulse(model, place, 38.0, 0.6, tilt) ** 2) for tilt in (0.0, 30.0))
    assert tilted == pytest.approx(flat, rel=0.01)


def test_constant_acceleration_has_its_closed_form():
    progress = np.linspace(0, 1, 20_001)
    speed = relative_speed("uniform", 5.0, 0.0, progress, np.random.default_rng(0)) * 4.0
    assert arrival_times(progress * 3.0, speed)[-1] == pytest.approx(2 * 3.0 / (4.0 + 20.0), rel=1e-6)


@pytest.mark.parametrize(("profile", "change", "start", "end"), [
    ("linear", 0.5, 0.5, 1.5), ("exponential", 6.0, 6**-0.5, 6**0.5), ("uniform", 1 / 6, 1.0, 1 / 6)])
def test_speed_profiles(profile, change, start, end):
    speed = relative_speed(profile, change, 0.0, np.linspace(0, 1, 101), np.random.default_rng(0))
    assert speed[[0, -1]] == pytest.approx([start, end])


def test_smooth_noise_has_unit_variance():
    rng = np.random.default_rng(5)
    assert np.std([smooth_noise(rng, 500, 6) for _ in range(400)]) == pytest.approx(1, abs=0.05)


def plain(**parameters) -> Swipe:
    """A swipe without nuisances."""
    return Swipe(**{"snr": None, "tremor": 0.0, "change": 0.0, "low_pass": 1e6, "high_pass": 0.0} | parameters)


@pytest.mark.parametrize("snr", [-6.0, 3.0, 15.0, 30.0])
@pytest.mark.parametrize("rate", [8_000, 44_100, 192_000])
def test_measured_signal_to_noise(snr, rate):
    powers = []
    for seed in range(6):
        swipe = Swipe(rate=rate, snr=snr, peak=0.02, speed=10.0, encoding="f32")
        noisy, clean = (record(choice, Streams(seed)) for choice in (swipe, replace(swipe, snr=None)))
        span = slice(clean.truth["t_first"], clean.truth["t_last"])
        powers.append((np.mean(clean.samples[span] ** 2), np.mean((noisy.samples - clean.samples) ** 2)))
    signal, noise = np.mean([power[0] / power[1] for power in powers]), 1
    assert 10 * np.log10(signal / noise) == pytest.approx(snr, abs=0.2)


@pytest.mark.parametrize("encoding", ["s16", "s24", "f32"])
def test_signal_to_noise_of_the_file(tmp_path, encoding):
    swipe = Swipe(snr=12.0, peak=0.3)
    streams = Streams(3)
    clean = record(replace(swipe, snr=None), streams).samples
    sound_file.write(tmp_path / "a.wav", record(swipe, streams).samples, 44_100, encoding)
    samples = wavfile.read(tmp_path / "a.wav")[1].astype(float)
    # scipy reads 24 bits into the upper part of 32.
    samples /= {"s16": 1 << 15, "s24": 1 << 31, "f32": 1}[encoding]
    truth = record(swipe, streams).truth
    power = np.mean(clean[truth["t_first"]:truth["t_last"]] ** 2)
    assert 10 * np.log10(power / np.var(samples - clean)) == pytest.approx(12, abs=0.2)


def test_measured_hum():
    swipe = plain(hum=6.0, peak=0.1)
    humming, clean = (record(choice, Streams(1)) for choice in (swipe, replace(swipe, hum=None)))
    power = np.mean(clean.samples[clean.truth["t_first"]:clean.truth["t_last"]] ** 2)
    assert 10 * np.log10(np.var(humming.samples - clean.samples) / power) == pytest.approx(6, abs=0.1)


@pytest.mark.parametrize(("filtered", "cutoff"), [({"high_pass": 500.0}, 500), ({"low_pass": 2_000.0}, 2_000)])
def test_filters_are_3_db_down_at_their_cutoff(filtered, cutoff):
    # Quiet, so that nothing is flattened; the same stripe in the same motion.
    swipes = (plain(peak=0.5, rate=48_000, **choice) for choice in ({}, filtered))
    before, after = (record(swipe, Streams(8)).samples for swipe in swipes)
    spectra = [np.abs(np.fft.rfft(sound)) for sound in (before, after)]
    frequency = np.fft.rfftfreq(len(before), 1 / 48_000)

    def gain(at: float) -> float:
        near = np.abs(frequency - at) < 50
        return np.sqrt(np.sum(spectra[1][near] ** 2) / np.sum(spectra[0][near] ** 2))

    # Both recordings are brought to the same peak: the pass band shows by how much.
    passed = gain(4_000) / np.sqrt(1 / (1 + (500 / 4_000) ** 2)) if "high_pass" in filtered else gain(200)
    assert gain(cutoff) / passed == pytest.approx(0.707, abs=0.02)


def envelope(recording) -> np.ndarray:
    """Largest samples of 250 equal stretches of the stripe, about a bit cell of track 2 each."""
    sound = np.abs(recording.samples[recording.truth["t_first"]:recording.truth["t_last"]])
    return np.array([piece.max() for piece in np.array_split(sound, 250)])


def test_dropouts_lose_half_or_more():
    for seed in range(10):
        whole = envelope(record(plain(), Streams(seed)))
        faded = envelope(record(plain(dropouts=1), Streams(seed)))
        assert 0.05 < np.min(faded / whole) / np.max(faded / whole) < 0.55


def test_wear_weakens_some_places():
    place = np.arange(0, 80_000.0)
    for seed in range(10):
        gain = worn(0.6, place[[0, -1]], place, np.random.default_rng(seed))
        assert gain.max() <= 1 and 0 < gain.min() < 0.6
        assert np.mean(gain > 0.99) > 0.3
    assert np.all(worn(0.0, place[[0, -1]], place, np.random.default_rng(0)) == 1)


def test_clicks_and_knocks_stand_out():
    clean = record(plain(peak=0.3), Streams(6))
    clicks = record(plain(peak=0.3, clicks=1), Streams(6)).samples - clean.samples
    assert 0.7 * 0.3 * 0.99 < np.abs(clicks).max() < 2 * 0.3
    assert np.count_nonzero(np.abs(clicks) > 0.01) < 0.001 * 44_100
    knocks = record(plain(peak=0.3, thump=1.0), Streams(6)).samples - clean.samples
    assert 0.1 < np.abs(knocks).max() <= 0.6 and not knocks[:clean.truth["t_first"]].any()


def test_clipping():
    loud = record(plain(peak=4.0), Streams(2)).samples
    assert loud.max() == 1 and loud.min() == -1 and np.mean(np.abs(loud) == 1) > 0.05
    assert np.abs(record(plain(peak=4.0, limiter="soft"), Streams(2)).samples).max() == pytest.approx(np.tanh(4))


def test_amplitude_follows_speed():
    recording = record(plain(profile="exponential", change=4.0, reverse=False), Streams(2))
    loud = np.abs(recording.samples)
    first, last = recording.truth["t_first"], recording.truth["t_last"]
    edge = (last - first) // 20
    assert np.max(loud[last - edge:last + 20]) / np.max(loud[first - 20:first + edge]) == pytest.approx(4, rel=0.15)


@pytest.mark.parametrize("model", plans.PULSES)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("track", [1, 2, 3])
def test_the_sound_reads_back(model, reverse, track):
    """Peak times of a clean swipe, sorted into whole and half cells by the known speed, give the message's bits."""
    recording = record(plain(track=track, pulse=model, reverse=reverse, rate=192_000, speed=10.0), Streams(track))
    loud = np.abs(recording.samples)
    peaks = find_peaks(loud, height=0.3 * loud.max())[0]
    message = message_bits(TRACKS[track], recording.truth["text"])
    # One reversal a cell, one more for each 1, and the one that ends the stripe.
    assert len(peaks) == recording.truth["bits"] + sum(message) + 1
    assert np.all(np.diff(np.sign(recording.samples[peaks])) != 0)

    half = 192_000 / (10.0 * TRACKS[track].bits_per_inch) / 2
    halves = np.round((peaks - peaks[0]) / half).astype(int)
    read = [int(2 * cell + 1 in set(halves)) for cell in range(recording.truth["bits"])]
    if reverse:
        read = read[::-1]
    first = read.index(1)
    assert read[first:first + len(message)] == message
    assert sum(read) == sum(message)


def test_message_span_and_shortest_cell():
    recording = record(plain(track=2, speed=15.0, rate=48_000), Streams(7))
    cell = 48_000 / (75 * 15.0)
    message = message_bits(TRACKS[2], recording.truth["text"])
    assert recording.truth["shortest_cell"] == pytest.approx(cell, rel=1e-3)
    length = recording.truth["message_end"] - recording.truth["message_start"]
    assert length == pytest.approx(len(message) * cell, abs=2)


def test_lost_cells():
    buried = record(plain(hum=30.0, peak=0.9), Streams(1)).truth["lost_cells"]
    assert buried > 0 and record(plain(hum=-10.0, peak=0.5), Streams(1)).truth["lost_cells"] == 0


def test_one_nuisance_leaves_the_others_alone():
    clean = Swipe(snr=20.0, peak=0.2)
    difference = record(replace(clean, dc=0.1), Streams(4)).samples - record(clean, Streams(4)).samples
    assert difference == pytest.approx(0.1)


@pytest.mark.parametrize(("encoding", "width"), [("s16", 2), ("s24", 3)])
def test_wav_files(tmp_path, encoding, width):
    samples = np.array([0, 0.5, -0.5, 1, -1, 2])
    sound_file.write(tmp_path / "a.wav", samples, 8_000, encoding)
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert file.getparams()[:4] == (1, width, 8_000, 6)
        data = file.readframes(6)
    full = 1 << (8 * width - 1)
    read = [int.from_bytes(data[at:at + width], "little", signed=True) for at in range(0, len(data), width)]
    assert read == [0, full // 2, -full // 2, full - 1, -full, full - 1]
    assert b"SYNTHETIC" in (tmp_path / "a.wav").read_bytes()


def test_wav_in_pieces(tmp_path):
    pieces = [np.array([[0, 0.5], [-0.5, 1]]), np.array([[-1, 0.25]])]
    sound_file.write_pieces(tmp_path / "a.wav", pieces, 3, 96_000, 2)
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert file.getparams()[:4] == (2, 2, 96_000, 3)
        assert struct.unpack("<6h", file.readframes(3)) == (0, 16_384, -16_384, 32_767, -32_768, 8_192)
    assert (tmp_path / "a.wav").stat().st_size == 8 + struct.unpack("<I", (tmp_path / "a.wav").read_bytes()[4:8])[0]


def test_sessions_have_swipes_of_every_kind(monkeypatch, tmp_path):
    monkeypatch.setitem(session.SESSIONS, "short", (8_000, 1, 60.0))
    monkeypatch.setitem(session.SESSIONS, "long", (8_000, 1, 120.0))
    monkeypatch.setitem(session.SESSIONS, "stereo", (16_000, 2, 60.0))
    short, long, stereo = (session.record_session(tmp_path, 1, name) for name in ("short", "long", "stereo"))
    sounds = {name: wavfile.read(tmp_path / f"{name}.wav")[1] for name in ("short", "long", "stereo")}
    assert len(sounds["long"]) == 120 * 8_000 and np.array_equal(sounds["short"], sounds["long"][:60 * 8_000])
    assert sounds["stereo"].shape == (60 * 16_000, 2)
    assert long["swipes"][:len(short["swipes"])] == short["swipes"] and len(long["swipes"]) > 12
    assert all(swipe["start"] < swipe["end"] < 60 for swipe in short["swipes"] + stereo["swipes"])
    for low, high in session.SNR_RANGES:
        assert any(low <= swipe["snr"] <= high for swipe in short["swipes"])
    assert {(swipe["channel"], swipe["track"]) for swipe in stereo["swipes"]} == {(0, 1), (1, 2)}


def test_live_sound_has_its_swipes_where_it_says(tmp_path):
    line = live.record_live(tmp_path, 1, 0.02)
    rate, sound = wavfile.read(tmp_path / "live.wav")
    assert (rate, len(sound), len(line["swipes"])) == (48_000, 60 * 48_000, 3)
    for index, swipe in enumerate(line["swipes"]):
        assert index * 20 * rate < swipe["first"] < swipe["last"] < (index + 1) * 20 * rate
        assert np.std(sound[swipe["first"]:swipe["last"]]) > 2 * np.std(sound[index * 20 * rate:][:rate // 2])


def test_float_wav(tmp_path):
    sound_file.write(tmp_path / "a.wav", np.array([0.25, -1.0]), 96_000, "f32")
    assert (tmp_path / "a.wav").read_bytes()[-8:] == struct.pack("<2f", 0.25, -1.0)


def test_flac(tmp_path):
    soundfile = pytest.importorskip("soundfile", reason="the soundfile module is not installed")
    sound_file.write(tmp_path / "a.flac", np.array([0.5, -0.5] * 50), 44_100, "flac")
    samples, rate = soundfile.read(tmp_path / "a.flac")
    assert rate == 44_100 and samples == pytest.approx(np.array([0.5, -0.5] * 50))


def test_cells_cover_the_conditions():
    cells = plans.cells()
    assert len(cells) == 3 * 65
    assert cells["accel_t1_x6"]["change"] == 6 and cells["clip_t2_x10"]["peak"] == 10
    assert cells["hard_t3"]["snr"] == 10 and cells["level_t1_003"]["peak"] == 0.003


def test_half_the_hands_slow_down_over_the_same_speeds():
    for name in ("accel_t2_x6", "uniform_t2_x6", "accel_t2_lin50"):
        parameters = (plans.cells() | plans.extra())[name]
        ranges, signs = set(), set()
        for seed in range(20):
            drawn = plans.either_way(parameters, np.random.default_rng(seed))
            speed = relative_speed(drawn.get("profile", "linear"), drawn["change"], 0.0, np.linspace(0, 1, 11),
                                   np.random.default_rng(0)) * drawn.get("speed", 15.0)
            ranges.add((round(speed.min(), 6), round(speed.max(), 6)))
            signs.add(speed[0] < speed[-1])
        assert len(ranges) == 1 and signs == {True, False}


@pytest.mark.parametrize("name", plans.MIXTURES)
def test_mixtures_are_possible(name):
    for _, index, swipe in plans.mixed_swipes(name, 25, 9):
        truth = record(swipe, Streams(9, name, index)).truth
        assert truth["shortest_cell"] >= 2.2 and truth["lost_cells"] == 0 and 5 <= truth["snr"] <= 38


@pytest.mark.parametrize(("name", "levels"), [
    ("nuisances", plans.MIDDLE_LEVELS), ("nuisances-mild", plans.FIRST_LEVELS)])
def test_nuisances_fill_their_ranges(name, levels):
    swipes = [plans.MIXTURES[name](np.random.default_rng(seed)) for seed in range(3_000)]

    def drawn(parameter: str, **where: object) -> np.ndarray:
        return np.array([getattr(swipe, parameter) for swipe in swipes
                         if all(getattr(swipe, key) == value for key, value in where.items())])

    def fills(values: np.ndarray, low: float, high: float) -> bool:
        edge = 0.02 * (high - low)
        return low <= values.min() < low + edge and high - edge < values.max() <= high

    assert fills(drawn("snr"), 5, 38) and fills(drawn("low_pass"), 8_000, 16_000)
    assert fills(drawn("jitter"), 0, levels.jitter) and fills(drawn("hum"), -30, levels.hum)
    assert fills(drawn("dc"), -levels.dc, levels.dc) and fills(drawn("high_pass"), 50, levels.high_pass)
    assert fills(drawn("change", profile="linear"), -0.5, 0.5)
    assert fills(drawn("change", profile="exponential"), 0.25, 4)
    assert fills(drawn("change", profile="sinusoidal"), 0, 0.3)
    for track, widest in ((1, levels.width), (2, levels.width_track_2), (3, levels.width)):
        assert fills(drawn("width", track=track), 30, widest)
    peaks = drawn("peak")
    assert fills(peaks[peaks > 0.8], 1, levels.overdrive) and fills(peaks[peaks < 0.8], levels.quietest, 0.6)
    assert np.mean(peaks > 0.8) == pytest.approx(0.25, abs=0.03)
    assert set(drawn("dropouts")) == {0, 1, 2} and set(drawn("clicks")) == set(range(levels.clicks + 1))
    assert set(drawn("rate")) == {8_000, 22_050, 44_100, 48_000, 96_000, 192_000}

    tops = [swipe.speed * relative_speed(swipe.profile, swipe.change, 0.0, np.linspace(0, 1, 101),
                                         np.random.default_rng(0)).max() for swipe in swipes]
    assert 49 < max(tops) <= 50 * (1 + 1e-9) and 5 <= drawn("speed").min() < 5.1


def run(monkeypatch, out, *arguments) -> dict[str, bytes]:
    """Runs the command; returns its files."""
    monkeypatch.setattr(sys, "argv", ["jackdaw_corpus", arguments[0], str(out), *arguments[1:]])
    command.main()
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_same_arguments_same_sound(monkeypatch, tmp_path):
    arguments = ("cells", "--only", "_t2_x|noiseonly", "--count", "2")
    first = run(monkeypatch, tmp_path / "a", *arguments)
    assert first == run(monkeypatch, tmp_path / "b", *arguments, "--jobs", "2")
    other = run(monkeypatch, tmp_path / "c", *arguments, "--seed", "2")
    assert first.keys() == other.keys() and not any(first[name] == other[name] for name in first)
    manifest = json.loads(first["manifest.json"])
    assert {line["path"] for line in manifest} == first.keys() - {"manifest.json"}
    assert all(line["synthetic"] for line in manifest)


def test_negative_kinds_keep_their_shares():
    kinds = [kind for kind, _ in negative.negative_jobs(5 / 3)]
    assert {kind: kinds.count(kind) for kind in negative.KINDS} == {
        kind: share for kind, (share, _) in negative.KINDS.items()}


@pytest.mark.parametrize("kind", negative.KINDS)
@pytest.mark.parametrize("rate", [8_000, 44_100])
def test_negative_sounds(kind, rate):
    make = negative.KINDS[kind][1]
    sound, again = (make(Streams(1)[kind], rate, 4.0) for _ in range(2))
    assert len(sound) == 4 * rate and np.all(np.isfinite(sound)) and np.std(sound) > 0
    assert np.array_equal(sound, again)


def test_characters_on_the_line():
    # 'A' is 0x41, least significant bit first.
    assert keying.character_bits(b"A\xff").tolist() == [0, 1, 0, 0, 0, 0, 0, 1, 0, 1, *[0], *[1] * 9]


def test_blocks_have_pauses_all_around():
    pieces = keying.blocks(bytes(600))
    assert [len(piece) for piece in pieces] == [30 + 2_500 + 15, 15 + 2_500 + 15, 15 + 1_000 + 30]
    line = np.concatenate(pieces)
    starts = np.flatnonzero(np.diff(line.astype(int)) == -1) + 1
    assert starts[0] == 30 and starts[250] == 30 + 2_500 + 30


def bits_by_frequency(sound: np.ndarray, rate: float, baud: float, mark: float, space: float, count: int) -> list[int]:
    """Each bit by which of its two tones, of any phase and level, leaves less of the sound over."""
    read = []
    for index in range(count):
        sample = np.arange(int(np.ceil(index * rate / baud)), int(np.ceil((index + 1) * rate / baud)))
        sample = sample[sample < len(sound)]
        left = []
        for tone in (mark, space):
            turn = 2 * np.pi * tone * sample / rate
            waves = np.stack([np.sin(turn), np.cos(turn)], axis=1)
            fit = waves @ np.linalg.lstsq(waves, sound[sample], rcond=None)[0]
            left.append(np.sum((sound[sample] - fit) ** 2))
        read.append(int(left[0] < left[1]))
    return read


@pytest.mark.parametrize("mode", modem_plans.KEYINGS)
@pytest.mark.parametrize("rate", [44_100, 48_000])
def test_the_modem_reads_back(mode, rate):
    nominal = modem_plans.KEYINGS[mode]
    sound, data = transmit(Transmission(nominal, rate, 40, None), Streams(3, mode))
    line = np.concatenate(keying.blocks(data))
    assert bits_by_frequency(sound, rate, nominal.baud, nominal.mark, nominal.space, len(line)) == line.tolist()
    assert np.abs(sound).max() == pytest.approx(0.05, rel=0.01)


@pytest.mark.parametrize("channel", [Channel(clock=0.97), Channel(clock=1.05, tone_ratio=1.03),
                                     Channel(tone_shift=0.1)])
def test_clock_and_tones_are_as_far_off_as_they_say(channel):
    nominal = Keying(1_200, 1_200, 2_200)
    sound, data = transmit(Transmission(nominal, 48_000, 40, None, channel), Streams(4))
    mark, space = (tone * channel.tone_ratio + 1_200 * channel.tone_shift for tone in (nominal.mark, nominal.space))
    line = np.concatenate(keying.blocks(data))
    baud = 1_200 * channel.clock
    assert len(sound) == int(len(line) * 48_000 / baud)
    assert bits_by_frequency(sound, 48_000, baud, mark, space, len(line)) == line.tolist()
    # The pause is one tone: its frequency by the turns between its ends.
    pause = sound[:int(30 * 48_000 / baud)]
    spectrum = np.abs(np.fft.rfft(pause * np.hanning(len(pause)), 1 << 20))
    assert np.argmax(spectrum) * 48_000 / (1 << 20) == pytest.approx(mark, rel=1e-3)


def test_the_phase_never_jumps():
    # A step of the phase at an edge would show as a sample far from where the two tones could take it.
    turns = keying.turns_of(np.array([1, 0, 0, 1, 0, 1, 1]), 4.59, 0.12, 0.3)
    steps = np.diff(turns)
    assert np.all((steps > 0.12 - 1e-9) & (steps < 0.3 + 1e-9))
    # Over three bits from the start, wherever the edges lie between the samples.
    assert np.interp(3 * 4.59, np.arange(len(turns)), turns) == pytest.approx(4.59 * (0.12 + 0.3 + 0.3), abs=0.1)


@pytest.mark.parametrize(("baud", "rate", "ratio"), [(1_200, 48_000, 8), (9_600, 44_100, 10), (300, 48_000, 6)])
def test_energy_of_a_bit_over_noise(baud, rate, ratio):
    transmission = Transmission(Keying(baud, 2_000, 3_000), rate, 200, ratio)
    noisy, data = transmit(transmission, Streams(5))
    clean, same = transmit(replace(transmission, ebn0=None), Streams(5))
    assert data == same
    energy = np.mean(clean**2) * rate / baud
    density = np.var(noisy - clean) * 2  # one-sided, per cycle a sample
    assert 10 * np.log10(energy / density) == pytest.approx(ratio, abs=0.1)


def through(**channel) -> np.ndarray:
    """A second of a 2 kHz sine of peak 1, the noise off."""
    sound = np.sin(2 * np.pi * 2_000 * np.arange(48_000) / 48_000)
    return keying.through(Channel(**channel), sound, 48_000, 0.0, np.random.default_rng(0))


def test_channel_adds_what_it_says():
    assert np.mean(through(offset=10)) == pytest.approx(10)
    hum = through(hum=2) - through()
    assert np.abs(np.fft.rfft(hum))[50] / 24_000 == pytest.approx(2)
    assert np.abs(through(overdrive=10)).max() == 1 and np.mean(np.abs(through(overdrive=10))) > 0.9
    assert np.abs(through(clip=0.5)).max() == 0.5
    assert np.array_equal(through(), np.sin(2 * np.pi * 2_000 * np.arange(48_000) / 48_000))


@pytest.mark.parametrize(("channel", "expected"), [
    ({"low_pass": 2_000.0}, -3.01), ({"high_pass": 2_000.0}, -3.01),
    # 10 log(1 + x^2), x the tangents of half the angles of the tone and the cutoff over each other.
    ({"low_pass": 500.0}, -12.35), ({"high_pass": 8_000.0}, -13.06),
])
def test_channel_filters(channel, expected):
    assert 20 * np.log10(np.std(through(**channel)[4_800:]) / np.sqrt(0.5)) == pytest.approx(expected, abs=0.02)


def test_fades_swing_between_their_levels():
    faded = np.abs(through(fade_depth=12, fade_rate=2)[:24_000])
    level = [20 * np.log10(piece.max()) for piece in np.array_split(faded, 100)]
    assert max(level) == pytest.approx(0, abs=0.1) and min(level) == pytest.approx(-12, abs=0.1)
    assert np.argmin(level) == pytest.approx(50, abs=1)


def test_noise_comes_after_the_filter_and_within_the_file():
    nominal = modem_plans.KEYINGS["fsk9600"]
    for ratio, channel in modem_plans.IMPAIRMENTS.values():
        noisy, _ = transmit(Transmission(nominal, 48_000, 250, ratio, channel), Streams(6))
        assert np.abs(noisy).max() < 1
    pair = [transmit(Transmission(nominal, 48_000, 250, ratio, Channel(low_pass=3_000)), Streams(6))[0]
            for ratio in (10, None)]
    power = np.abs(np.fft.rfft(pair[0] - pair[1])) ** 2
    assert np.mean(power[len(power) // 2:]) / np.mean(power[:len(power) // 2]) == pytest.approx(1, abs=0.1)


def test_bursts_rest_in_between():
    channel = Channel(carrier_off=0.2)
    sound, _ = transmit(Transmission(modem_plans.KEYINGS["bell202"], 48_000, 500, None, channel), Streams(7))
    quiet = np.flatnonzero(np.convolve(np.abs(sound), np.ones(2_000), "valid") == 0)
    assert quiet[0] == 0 and np.count_nonzero(np.diff(quiet) > 1) == 2


def test_short_bursts_are_many(monkeypatch, tmp_path):
    files = run(monkeypatch, tmp_path, "modem-short", "--count", "1")
    lines = json.loads(files["manifest.json"])
    assert {line["cell"] for line in lines} == {
        f"{mode}/{ratio}dB" for mode in ("bell202", "fsk9600", "softmodem-1225") for ratio in (10, 14, 20)}
    assert all(len(bytes.fromhex(line["bytes"])) == 480 for line in lines)
    keying = modem_plans.SHORT_KEYINGS["softmodem-1225"]
    nominal = Transmission(keying, 48_000, 480, None, Channel(carrier_off=0.2), 12)
    quiet = np.flatnonzero(np.convolve(np.abs(transmit(nominal, Streams(7))[0]), np.ones(2_000), "valid") == 0)
    assert np.count_nonzero(np.diff(quiet) > 1) == 40


def test_modem_manifests(monkeypatch, tmp_path):
    monkeypatch.setattr(modem_plans, "KEYINGS", {name: modem_plans.KEYINGS[name] for name in ("bell202", "fsk9600")})
    monkeypatch.setattr(modem_plans, "RATIOS", [7.5])
    first = run(monkeypatch, tmp_path / "a", "modem-ebn0", "--count", "2")
    assert first == run(monkeypatch, tmp_path / "b", "modem-ebn0", "--count", "2")
    lines = json.loads(first["manifest.json"])
    assert [(line["cell"], line["rate"]) for line in lines[::2]] == [
        ("bell202/7.5dB", 48_000), ("fsk9600/7.5dB", 48_000), ("fsk9600-44100/7.5dB", 44_100)]
    assert all(len(line["bytes"]) == 6_000 and line["synthetic"] for line in lines)
    assert len({line["bytes"] for line in lines}) == 6


def test_noise_is_heard_by_every_mode(monkeypatch, tmp_path):
    monkeypatch.setattr(modem_plans, "NOISE_MINUTES", 0.05)
    files = run(monkeypatch, tmp_path, "modem-noise")
    lines = json.loads(files["manifest.json"])
    assert {line["mode"] for line in lines} == set(modem_plans.KEYINGS) and {line["bytes"] for line in lines} == {""}
    rate, samples = wavfile.read(tmp_path / lines[0]["path"])
    assert (rate, len(samples)) == (48_000, 144_000)
    assert np.std(samples) == pytest.approx(0.1 * 32_768, rel=0.02)
    power = np.abs(np.fft.rfft(samples.astype(float))) ** 2
    assert np.std([part.mean() for part in np.array_split(power, 20)]) / np.mean(power) < 0.05


@pytest.mark.parametrize("encoding", ["s16", "f32"])
def test_noise_is_added_to_recordings(monkeypatch, tmp_path, encoding):
    nominal = Keying(1_200, 1_200, 2_200)
    clean, _ = transmit(Transmission(nominal, 44_100, 200, None, Channel(carrier_off=0.5)), Streams(8))
    sound_file.write(tmp_path / "in" / "a.wav", clean, 44_100, encoding)
    monkeypatch.setattr(modem_plans, "CAPTURES", [("a.wav", "a", nominal, "word", 2)])
    files = run(monkeypatch, tmp_path / "out", "modem-captures", "--captures", str(tmp_path / "in"))
    lines = json.loads(files["manifest.json"])
    assert [(line["cell"], line["words"]) for line in lines] == [
        ("a/clean", 2), *[(f"a/{ratio}dB", 2) for ratio in (14, 12, 10, 8) for _ in range(3)]]
    for line in lines:
        sound = wavfile.read(tmp_path / "out" / line["path"])[1] / 32_768
        if line["ebn0"] is None:
            assert sound == pytest.approx(clean, abs=1e-4)
            continue
        density = 2 * np.var(sound[:20_000] / 0.2)
        energy = 0.05**2 / 2 * 44_100 / 1_200
        assert 10 * np.log10(energy / density) == pytest.approx(line["ebn0"], abs=0.3)
