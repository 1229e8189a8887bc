import Foundation
import Testing

@testable import JackdawALSA

/// Blocks are read as they were written, and the loss of blocks without room is reported.
@Suite struct BlockRingTests {
    private static func fill(_ span: inout MutableSpan<Float>, from value: Int) {
        for index in span.indices { span[index] = Float((value + index) & 0xFFFF) }
    }

    @Test func blocksComeOutAsTheyWentIn() {
        let ring = BlockRing(blocks: 4, framesPerBlock: 3, channels: 2)
        var writer = BlockWriter(ring)
        for (index, frames) in [3, 1, 2, 3].enumerated() {
            #expect(writer.write(frames: frames, time: Int64(index)) { Self.fill(&$0, from: 10 * index) })
        }
        var read: [[Float]] = []
        var headers: [BlockRing.Header] = []
        while ring.read({ header, samples in
            headers.append(header)
            read.append(samples.indices.map { samples[$0] })
        }) {}
        #expect(read == [[0, 1, 2, 3, 4, 5], [10, 11], [20, 21, 22, 23], [30, 31, 32, 33, 34, 35]])
        #expect(headers.map(\.position) == [0, 3, 4, 6])
        #expect(headers.allSatisfy { $0.lost == 0 })
        #expect(headers.map(\.time) == [0, 1, 2, 3])
    }

    @Test func framesWithoutRoomAreCountedAsLost() {
        let ring = BlockRing(blocks: 2, framesPerBlock: 4, channels: 1)
        var writer = BlockWriter(ring)
        for frames in [4, 4] { #expect(writer.write(frames: frames, time: 0) { _ in }) }
        for frames in [4, 3] { #expect(!writer.write(frames: frames, time: 0) { _ in }) }
        writer.lose(100)
        var headers: [BlockRing.Header] = []
        while ring.read({ header, _ in headers.append(header) }) {
            if headers.count == 1 { writer.write(frames: 2, time: 0) { _ in } }
        }
        #expect(headers.map(\.lost) == [0, 0, 107])
        #expect(headers.map(\.position) == [0, 4, 8 + 107])
    }

    @Test func aBlockThatWasReadIsOverwritten() {
        let ring = BlockRing(blocks: 1, framesPerBlock: 8, channels: 1)
        var writer = BlockWriter(ring)
        writer.write(frames: 8, time: 0) { Self.fill(&$0, from: 1) }
        var last: Float = 0
        #expect(ring.read { _, samples in last = samples[7] })
        #expect(last == 8)
        writer.write(frames: 8, time: 0) { span in
            for index in 0..<8 { #expect(span[index] == 0) }
        }
    }

    /// At any speed of the two threads all frames are read in order, or reported as lost.
    @Test(arguments: [1, 2, 64]) func everyFrameIsReadOrCountedAsLost(blocks: Int) {
        let ring = BlockRing(blocks: blocks, framesPerBlock: 16, channels: 1)
        let total = 20_000
        let writing = Thread {
            var writer = BlockWriter(ring)
            for index in 0..<total {
                let frames = 1 + index % 16
                let position = Int(writer.position)
                writer.write(frames: frames, time: 0) { Self.fill(&$0, from: position) }
            }
            // The last block says what was lost before it.
            while !writer.write(frames: 0, time: -1, { _ in }) {}
        }
        writing.start()
        var (position, lost, isOver) = (Int64(0), Int64(0), false)
        while !isOver {
            _ = ring.read { header, samples in
                position += header.lost
                lost += header.lost
                #expect(header.position == position)
                for index in samples.indices { #expect(samples[index] == Float((Int(position) + index) & 0xFFFF)) }
                position += Int64(header.frames)
                isOver = header.time == -1
            }
        }
        #expect(position == Int64((0..<total).reduce(0) { $0 + 1 + $1 % 16 }))
        #expect(lost < position)
    }
}
