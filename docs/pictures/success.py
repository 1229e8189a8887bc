#!/usr/bin/env python3
"""Draws how many swipes are read in white noise: success.py [SWIPES] | gnuplot > PICTURE.png

Read is what gives the text of the same swipe without noise."""
import json
import subprocess
import sys
import tempfile

swipes = int(sys.argv[1]) if len(sys.argv) > 1 else 20
levels = [half_steps / 2 for half_steps in range(-21, 25, 3)]
blocks = []


def synthesise(track, name, *options):
    subprocess.run(['jackdaw', 'synth', '-o', name, f'--track{track}', 'test', *options],
                   check=True, stderr=subprocess.DEVNULL)


def decode(names):
    # Status 1 says that nothing was read.
    output = subprocess.run(['jackdaw', 'decode', '--json', '--reveal', *names], capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


with tempfile.TemporaryDirectory() as folder:
    for track in 1, 2:
        for tiers in ('fast',), ('fast', 'strong'):
            blocks.append((f'$track{track}{tiers[-1]} << EOD', []))
        synthesise(track, f'{folder}/clean.wav')
        [clean] = decode([f'{folder}/clean.wav'])
        for level in levels:
            names = [f'{folder}/{seed}.wav' for seed in range(swipes)]
            for seed, name in enumerate(names):
                synthesise(track, name, f'--noise={level}', f'--seed={seed}')
            found = [swipe for swipe in decode(names) if swipe['text'] == clean['text']]
            for (_, points), tiers in zip(blocks[-2:], (('fast',), ('fast', 'strong'))):
                read = {swipe['file'] for swipe in found if swipe['tier'] in tiers}
                points.append(f'{level} {100 * len(read) / swipes:g}')
            print(f'track {track}, {level} dB: {len(found)} of {swipes}', file=sys.stderr)

for name, points in blocks:
    print(name, *points, 'EOD', sep='\n')
print(f'''
set terminal pngcairo size 1000,480 font 'DejaVu Sans,10' background '#ffffff' noenhanced
set border 3 lc rgb '#7d8b9b'
set tics out nomirror scale 0.5 textcolor rgb '#5c6773'
set grid lc rgb '#dde3ea' lt 1
set xrange [{levels[0]}:{levels[-1]}]
set yrange [-3:108]
set xtics -9, 3
set xlabel 'signal to noise ratio, dB'
set ylabel 'swipes read, %'
set key tmargin center horizontal samplen 3
plot $track2strong with linespoints pt 7 ps 0.6 lw 2 lc rgb '#1d3f66' title 'track 2, both tiers', \\
    $track2fast with linespoints pt 6 ps 0.6 lw 2 dt 2 lc rgb '#1d3f66' title 'track 2, fast tier alone', \\
    $track1strong with linespoints pt 7 ps 0.6 lw 2 lc rgb '#d9480f' title 'track 1, both tiers', \\
    $track1fast with linespoints pt 6 ps 0.6 lw 2 dt 2 lc rgb '#d9480f' title 'track 1, fast tier alone'
''')
