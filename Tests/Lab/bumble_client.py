#!/usr/bin/env python3
"""Bumble as the client of the lab's reader: the work of JackdawBluetoothLab's `stream` and `values`, to compare with.

  bumble_client.py CONTROLLER CLASSIC_ADDRESS LOW_ENERGY_ADDRESS
"""
import asyncio
import random
import resource
import sys
import time

from bumble import core, hci, rfcomm
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.transport import open_transport

ECHOES, PUMP, STREAM, PIECE, NOTIFICATIONS = 200, 256 * 1024, 1024 * 1024, 4096, 10_000
COMMAND = "7a0c0002-5a5a-4b4b-9c9c-0123456789ab"
NOTIFY = "7a0c0003-5a5a-4b4b-9c9c-0123456789ab"
# Of the packets that come before a channel has its sink, Bumble keeps 32 and loses the others. The reader's pump sends
# 256 KiB at once, which is more on a slow machine.
rfcomm.DEFAULT_RX_QUEUE_SIZE = 1 << 16


def processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def figure(name, value, unit):
    print(f"bumble-{name} {value:.3f} {unit}", flush=True)


class Received:
    """What came in, and a way to wait until it is enough."""

    def __init__(self):
        self.data = bytearray()
        self.more = asyncio.Event()

    def __call__(self, data):
        self.data += data
        self.more.set()

    async def until(self, count):
        while len(self.data) < count:
            self.more.clear()
            await self.more.wait()


async def serial(device, address):
    connection = await device.connect(address, transport=core.PhysicalTransport.BR_EDR)
    channels = await rfcomm.find_rfcomm_channels(connection)
    assert 1 in channels, channels
    multiplexer = await rfcomm.Client(connection).start()
    echo = await multiplexer.open_dlc(1)
    echo.sink = received = Received()
    times = []
    for _ in range(ECHOES):
        start = time.monotonic()
        count = len(received.data)
        echo.write(b"0123456789abcde\0")
        await received.until(count + 16)
        times.append(time.monotonic() - start)
    figure("latency-median", sorted(times)[ECHOES // 2] * 1e3, "ms")

    pumped = Received()
    start, used = time.monotonic(), processor()
    pump = await multiplexer.open_dlc(2)
    pump.sink = pumped
    await pumped.until(PUMP)
    assert pumped.data == bytes(range(256)) * (PUMP // 256)
    figure("receive", PUMP / (time.monotonic() - start), "B/s")
    figure("receive-processor", (processor() - used) * 1e3, "ms")

    sent = random.Random(1).randbytes(STREAM)
    received.data.clear()
    start, used = time.monotonic(), processor()
    for at in range(0, STREAM, PIECE):
        echo.write(sent[at : at + PIECE])
        # No more under way than a socket would take.
        await received.until(max(0, at + PIECE - 32 * 1024))
    await received.until(STREAM)
    assert received.data == sent
    figure("echo", STREAM / (time.monotonic() - start), "B/s")
    figure("echo-processor", (processor() - used) * 1e3, "ms")
    await connection.disconnect()


async def values(device, address):
    connection = await device.connect(
        hci.Address(address, hci.Address.RANDOM_DEVICE_ADDRESS), transport=core.PhysicalTransport.LE
    )
    peer = Peer(connection)
    await peer.request_mtu(247)
    await peer.discover_services()
    await peer.discover_characteristics()
    known = {str(c.uuid).lower(): c for service in peer.services for c in service.characteristics}
    received = []
    more = asyncio.Event()

    def take(value):
        received.append(int.from_bytes(value[:4], "little"))
        more.set()

    await known[NOTIFY].subscribe(take)
    start, used = time.monotonic(), processor()
    await known[COMMAND].write_value(f"N{NOTIFICATIONS}".encode(), with_response=True)
    # Its socket drops what it does not read in time: how many came is a figure, not a condition.
    while not received or received[-1] < NOTIFICATIONS - 1:
        more.clear()
        try:
            await asyncio.wait_for(more.wait(), 10)
        except asyncio.TimeoutError:
            break
    figure("notifications", len(received), "in order" if received == sorted(received) else "in disorder")
    figure("notifications-rate", len(received) / (time.monotonic() - start), "1/s")
    figure("notification-processor", (processor() - used) / len(received) * 1e6, "us")
    await connection.disconnect()


async def main():
    controller, classic, low_energy = sys.argv[1:]
    transport = await open_transport(controller)
    configuration = DeviceConfiguration(
        name="client", address=hci.Address("E0:E1:E2:E3:E4:E5"), classic_enabled=True, le_enabled=True
    )
    device = Device.from_config_with_hci(configuration, transport.source, transport.sink)
    await device.power_on()
    await serial(device, classic)
    await values(device, low_energy)


asyncio.run(main())
