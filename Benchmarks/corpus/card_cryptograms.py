"""Prints what pyemv computes for the transaction of `jackdaw-benchmark transaction`, and how fast.

First the pairs of cryptograms in a second of processor time, the median of five runs; then the request cryptogram, the
issuer's authentication data and the last cryptogram, in hexadecimal with commas between them. The keys are those of
Visa's published tests.
"""
import statistics
import time

from pyemv.cvn import VisaCVN10

KEY = bytes.fromhex("2315208C9110AD402315208C9110AD40")
CARD = VisaCVN10(KEY, KEY, KEY, "4761739001010010", "01")
TRANSACTION = {
    f"tag_{tag}": bytes.fromhex(value)
    for tag, value in {
        "9f02": "000000006000", "9f03": "000000000000", "9f1a": "0528", "95": "8000000000", "5f2a": "0978", "9a": "260115",
        "9c": "00", "9f37": "5A5A5A5A", "82": "1C00", "9f36": "0001",
    }.items()
}
# Request for the issuer's approval, and approval after it. Worked out by hand: no PIN was verified, and a card without RSA
# keys performs no DDA.
RESULTS = [bytes.fromhex("03A01000"), bytes.fromhex("03601000")]
PAIRS = 2_000


def pair():
    return [CARD.generate_ac(**TRANSACTION, cvr=results) for results in RESULTS]


def rate():
    start = time.process_time()
    for _ in range(PAIRS):
        pair()
    return PAIRS / (time.process_time() - start)


request, last = pair()
issuer = CARD.generate_arpc(request, b"00") + b"00"
print(round(statistics.median(rate() for _ in range(5))))
print(",".join(value.hex().upper() for value in (request, issuer, last)))
