/// What became of the bytes that were sent, by the alignment that explains what was read with the fewest errors.
struct ByteAlignment: Sendable, Hashable {
    /// Bytes that were sent.
    private(set) var sent = 0
    /// Bytes that were read as others.
    private(set) var substituted = 0
    /// Bytes that were not read.
    private(set) var missing = 0
    /// Bytes that were read and never sent.
    private(set) var inserted = 0
    /// Bits that differ in the substituted bytes.
    private(set) var wrongBits = 0

    /// Nothing was sent.
    init() {}

    /// Aligns what was read with what was sent.
    init(sent: [UInt8], read: [UInt8]) {
        self.sent = sent.count
        guard !sent.isEmpty && !read.isEmpty else {
            missing = sent.count
            inserted = read.count
            return
        }
        var width = max(64, abs(sent.count - read.count))
        var steps = Steps(sent, read, width: width)
        // An alignment that leaves the band costs more than its width.
        while steps.cost > width && width < max(sent.count, read.count) {
            width *= 2
            steps = Steps(sent, read, width: width)
        }
        trace(steps, sent, read)
    }

    private mutating func trace(_ steps: Steps, _ sent: [UInt8], _ read: [UInt8]) {
        var (row, column) = (sent.count, read.count)
        while row > 0 || column > 0 {
            switch steps[row, column] {
            case .both:
                row -= 1
                column -= 1
                guard sent[row] != read[column] else { continue }
                substituted += 1
                wrongBits += (sent[row] ^ read[column]).nonzeroBitCount
            case .sent:
                row -= 1
                missing += 1
            case .read:
                column -= 1
                inserted += 1
            }
        }
    }

    /// Both added up.
    static func + (left: ByteAlignment, right: ByteAlignment) -> ByteAlignment {
        var sum = left
        sum.sent += right.sent
        sum.substituted += right.substituted
        sum.missing += right.missing
        sum.inserted += right.inserted
        sum.wrongBits += right.wrongBits
        return sum
    }

    /// Share of the sent bytes that were not read as they were sent; nil where none was sent.
    var byteError: Double? { sent == 0 ? nil : Double(substituted + missing) / Double(sent) }

    /// Share of the sent bits that were read wrongly, where half the bits of a missing byte
    /// count; nil where none was sent.
    var bitError: Double? { sent == 0 ? nil : Double(wrongBits + 4 * missing) / Double(8 * sent) }
}

/// The last step of the cheapest alignment up to each place within a band around the diagonal.
private struct Steps {
    enum Step: UInt8 {
        case both, sent, read
    }

    /// Errors of the whole alignment.
    let cost: Int
    private var steps: [Step]
    private let width: Int

    /// - Parameters:
    ///   - sent: one row a byte.
    ///   - read: one column a byte.
    ///   - width: places on either side of the diagonal; both ends must be among them.
    init(_ sent: [UInt8], _ read: [UInt8], width: Int) {
        let places = 2 * width + 1
        let outside = Int.max / 2
        steps = Array(repeating: .both, count: (sent.count + 1) * places)
        self.width = width
        // Costs of the row above, by place in the band; the diagonal is at `width`.
        var costs = Array(repeating: outside, count: places + 1)
        for row in 0...sent.count {
            var left = outside
            for column in max(0, row - width)...max(0, min(read.count, row + width)) {
                let place = column - row + width
                var (best, step) = (outside, Step.both)
                if row == 0 && column == 0 { best = 0 }
                if row > 0 && column > 0 { best = costs[place] + (sent[row - 1] == read[column - 1] ? 0 : 1) }
                if row > 0, costs[place + 1] + 1 < best { (best, step) = (costs[place + 1] + 1, .sent) }
                if column > 0, left + 1 < best { (best, step) = (left + 1, .read) }
                costs[place] = best
                steps[row * places + place] = step
                left = best
            }
        }
        cost = costs[read.count - sent.count + width]
    }

    subscript(row: Int, column: Int) -> Step { steps[row * (2 * width + 1) + column - row + width] }
}
