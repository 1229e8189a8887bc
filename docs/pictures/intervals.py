#!/usr/bin/env python3
"""Draws the intervals between the flux transitions of a swipe: intervals.py SWIPE.wav | gnuplot > PICTURE.png

The transitions are found as in the decoder's fast tier: a turn counts once the sound has come back by a third of the
mean swing."""
import array
import sys
import wave


def refined(samples, place):
    """The vertex of a parabola through a sample and its neighbours."""
    before, here, after = samples[place - 1:place + 2]
    curvature = before - 2 * here + after
    return place + (0.5 * (before - after) / curvature if curvature else 0)


def transitions(samples):
    floor = 0.03 * max(map(abs, samples))
    times, extreme, place, swing, last, rising = [], samples[0], 0, 0.0, None, True
    for index, value in enumerate(samples):
        if (value > extreme) == rising and value != extreme:
            extreme, place = value, index
        elif abs(value - extreme) > max(0.35 * swing, floor):
            if last is not None:
                swing += (abs(extreme - last) - swing) * (0.25 if swing else 1)
                times.append(refined(samples, place))
            last, extreme, place, rising = extreme, value, index, not rising
    return times


with wave.open(sys.argv[1]) as sound:
    rate = sound.getframerate()
    samples = array.array('h', sound.readframes(sound.getnframes()))
times = transitions(samples)
intervals = [(start / rate, 1000 * (end - start) / rate) for start, end in zip(times, times[1:])]

# A stripe begins with clocking zeros, whole cells; from there on a clock that follows the card tells the two lengths.
cell, halves, wholes, limits = intervals[0][1], [], [], []
for time, length in intervals:
    limits.append((time, 0.75 * cell))
    is_half = length < 0.75 * cell
    (halves if is_half else wholes).append((time, length))
    cell += 0.3 * ((2 * length if is_half else length) - cell)

lengths = [length for _, length in intervals]
middle = (min(lengths) * max(lengths)) ** 0.5
for name, points in ('wholes', wholes), ('halves', halves), ('limits', limits):
    print(f'${name} << EOD', *(f'{time:.5f} {length:.4f}' for time, length in points), 'EOD', sep='\n')
print(f'''
set terminal pngcairo size 1000,440 font 'DejaVu Sans,10' background '#ffffff' noenhanced
set border 3 lc rgb '#7d8b9b'
set tics out nomirror scale 0.5 textcolor rgb '#5c6773'
set grid lc rgb '#dde3ea' lt 1
set logscale y
set xrange [{times[0] / rate - 0.005}:{times[-1] / rate + 0.005}]
set yrange [{0.8 * min(lengths)}:{1.7 * max(lengths)}]
set ytics (0.1, 0.2, 0.3, 0.5, 0.7, 1, 2, 3, 5)
set xlabel 'time, s'
set ylabel 'interval between transitions, ms'
set key top right samplen 2
plot $wholes with points pt 7 ps 0.6 lc rgb '#1d3f66' title 'a whole cell: a 0', \\
    $halves with points pt 7 ps 0.6 lc rgb '#d9480f' title 'half a cell: two of them are a 1', \\
    $limits with lines lw 1.5 lc rgb '#2b8a3e' title 'three quarters of a clock that follows the card', \\
    {middle} with lines dt 2 lw 1.5 lc rgb '#c92a2a' title 'one threshold for the whole swipe'
''')
