import JackdawDSP

/// What the picture shows, in samples from the start of the recording.
extension SwipePicture {
    /// Cells of each row: whole characters where they are known.
    static func rows(of swipe: SwipeInspection) -> [Range<Int>] {
        guard swipe.cellCount > 0 else { return [] }
        let unit = swipe.characters.first?.cells.count ?? 1
        // Of a swipe that was not read, there are cells before the message.
        let lead = (swipe.characters.first?.cells.lowerBound ?? 0) % unit
        let units = (swipe.cellCount - lead + unit - 1) / unit
        let count = max(1, (swipe.cellCount + cellsPerRow / 2) / cellsPerRow)
        func edge(_ row: Int) -> Int {
            row == 0 ? 0 : min(swipe.cellCount, lead + row * units / count * unit)
        }
        return (0..<count).map { edge($0)..<edge($0 + 1) }
    }

    /// Whether a cell's bit may be seen: never within a character that is masked.
    static func showsBit(_ swipe: SwipeInspection, _ cell: Int) -> Bool {
        swipe.characters.contains { $0.cells.contains(cell) && $0.isShown }
    }

    /// The sound between two times.
    static func wave(_ swipe: SwipeInspection, from start: Double, to end: Double) -> [(Double, Double)] {
        swipe.samples.withElements { samples in
            let first = min(max(0, Int(start) - swipe.firstSample), samples.count)
            let last = min(max(first, Int(end) + 1 - swipe.firstSample), samples.count)
            return (first..<last).map { (Double($0 + swipe.firstSample), Double(samples[$0])) }
        }
    }

    /// The sound as lowest and highest values, thinned to about as many points.
    static func envelope(_ swipe: SwipeInspection, points: Int) -> [(Double, Double)] {
        let all = wave(swipe, from: Double(swipe.firstSample), to: Double(swipe.firstSample + swipe.samples.count))
        let step = max(1, 2 * all.count / points)
        guard step > 1 else { return all }
        return stride(from: 0, to: all.count, by: step).flatMap { start in
            let piece = all[start..<min(start + step, all.count)]
            let levels = piece.map(\.1)
            return [(all[start].0, levels.min() ?? 0), (all[start].0, levels.max() ?? 0)]
        }
    }

    /// Time and speed of the card in inches per second, over eight cells each; empty where the density is not known.
    static func speeds(_ swipe: SwipeInspection) -> [(Double, Double)] {
        guard let density = swipe.track?.track.bitsPerInch, swipe.cellCount >= 8 else { return [] }
        let times = swipe.boundaries
        return (8..<times.count).map { index in
            let seconds = (times[index] - times[index - 8]) / swipe.span.sampleRate
            return ((times[index] + times[index - 8]) / 2, 8 / density / seconds)
        }
    }
}
