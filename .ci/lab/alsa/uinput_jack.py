#!/usr/bin/env python3
"""A virtual input device with the switches of a microphone and a headphone jack, as many sound cards have it.

  uinput_jack.py      reads lines "mic 1", "mic 0", "hp 1" and "hp 0"; needs /dev/uinput
"""
import fcntl
import os
import struct
import sys

# linux/uinput.h and linux/input-event-codes.h
UI_SET_EVBIT, UI_SET_SWBIT, UI_DEV_SETUP, UI_DEV_CREATE = 0x40045564, 0x4004556D, 0x405C5503, 0x5501
EV_SYN, EV_SW, BUS_VIRTUAL = 0, 5, 6
SWITCHES = {"hp": 2, "mic": 4}

device = os.open("/dev/uinput", os.O_RDWR)
fcntl.ioctl(device, UI_SET_EVBIT, EV_SW)
for switch in SWITCHES.values():
    fcntl.ioctl(device, UI_SET_SWBIT, switch)
name = b"Sim Reader Headset Jack"
fcntl.ioctl(device, UI_DEV_SETUP, struct.pack("HHHH80sI", BUS_VIRTUAL, 0x1234, 0x5678, 1, name, 0))
fcntl.ioctl(device, UI_DEV_CREATE)


def emit(kind, code, value):
    os.write(device, struct.pack("llHHi", 0, 0, kind, code, value))


for line in sys.stdin:
    switch, value = line.split()
    emit(EV_SW, SWITCHES[switch], int(value))
    emit(EV_SYN, 0, 0)
