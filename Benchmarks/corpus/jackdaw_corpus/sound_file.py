"""Sound files: WAV with a comment that says what the sound is."""

import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np

COMMENT = b"SYNTHETIC test sound of the Jackdaw project. No real card."


def encode(samples: np.ndarray, encoding: str) -> np.ndarray:
    """Samples of -1...1 as they will stand in the file; a full-scale converter clips."""
    if encoding == "f32":
        return samples.astype("<f4")
    scale = {"s16": 1 << 15, "s24": 1 << 23}[encoding]
    return np.clip(np.round(samples * scale), -scale, scale - 1).astype("<i4" if encoding == "s24" else "<i2")


def write(path: Path, samples: np.ndarray, rate: int, encoding: str) -> None:
    """Writes mono sound as s16, s24 or f32 WAV, or as FLAC where the `soundfile` module is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if encoding == "flac":
        write_flac(path, samples, rate)
        return
    data = encode(samples, encoding).tobytes()
    width = {"s16": 2, "s24": 3, "f32": 4}[encoding]
    if encoding == "s24":
        data = np.frombuffer(data, np.uint8).reshape(-1, 4)[:, :3].tobytes()
    kind = 3 if encoding == "f32" else 1
    path.write_bytes(header(kind, rate, 1, width, len(data)) + data + bytes(len(data) % 2))


def write_pieces(path: Path, pieces: Iterable[np.ndarray], frames: int, rate: int, channels: int) -> None:
    """Writes `frames` frames of s16 WAV that come in pieces of frames by channels: for sound too long to hold."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(header(1, rate, channels, 2, 2 * channels * frames))
        for piece in pieces:
            file.write(encode(piece, "s16").tobytes())


def header(kind: int, rate: int, channels: int, width: int, data_bytes: int) -> bytes:
    """What comes before the samples of a WAV file: `kind` 1 for integers, 3 for floats of `width` bytes."""
    frame = channels * width
    layout = struct.pack("<HHIIHH", kind, channels, rate, rate * frame, frame, 8 * width)
    body = b"WAVE" + chunk(b"fmt ", layout) + chunk(b"LIST", b"INFO" + chunk(b"ICMT", COMMENT))
    size = len(body) + 8 + data_bytes + data_bytes % 2
    return b"RIFF" + struct.pack("<I", size) + body + b"data" + struct.pack("<I", data_bytes)


def chunk(name: bytes, content: bytes) -> bytes:
    """A RIFF chunk, padded to an even length."""
    return name + struct.pack("<I", len(content)) + content + bytes(len(content) % 2)


def write_flac(path: Path, samples: np.ndarray, rate: int) -> None:
    """Writes 16-bit FLAC."""
    try:
        import soundfile
    except ImportError as error:
        raise SystemExit("FLAC needs the Python module 'soundfile'; s16, s24 and f32 need nothing") from error
    with soundfile.SoundFile(path, "w", rate, 1, "PCM_16", format="FLAC") as file:
        file.comment = COMMENT.decode()
        file.write(encode(samples, "s16"))
