"""Prints how many records of a chip card pyemv parses in a second of processor time: the median of five runs.

The record is that of `jackdaw-benchmark data-objects`.
"""
import statistics
import time

import pyemv.tlv

RECORD = bytes.fromhex(
    "70818F57105413330089600044D1412201012340915A0854133300896000445F24031412315F25030401015F280200565F3401018C159F02069F03069F1A0295055F2A029A039C019F"
    "37048D0C910A8A0295059F37049F4C088E0C00000000000000005E031F039F0702FF009F080200029F0D0500000000009F0E0500000000009F0F0500000000009F420209789F4A0182"
)
RECORDS = 20_000


def rate():
    start = time.process_time()
    for _ in range(RECORDS):
        pyemv.tlv.decode(RECORD)
    return RECORDS / (time.process_time() - start)


print(round(statistics.median(rate() for _ in range(5))))
