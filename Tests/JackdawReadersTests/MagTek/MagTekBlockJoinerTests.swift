import JackdawReaders
import JackdawTestSupport
import Testing

/// Notifications of eDynamo and tDynamo, joined into messages.
@Suite struct MagTekBlockJoinerTests {
    /// What came of some notifications, faults among the messages.
    private enum Outcome: Equatable {
        case message([UInt8])
        case fault(JoiningFault)
    }

    private func join(_ blocks: [[UInt8]], greatestPayload: Int = 4096) -> [Outcome] {
        var joiner = MagTekBlockJoiner(greatestPayload: greatestPayload)
        var outcomes: [Outcome] = []
        for block in blocks {
            do throws(JoiningFault) {
                try joiner.receive(block.span) { message in
                    outcomes.append(.message(message.indices.map { message[$0] }))
                }
            } catch {
                outcomes.append(.fault(error))
            }
        }
        return outcomes
    }

    @Test func blocksOfAnySizeAreJoined() throws {
        let message = (0..<932).map { UInt8($0 % 253) }
        for size in [5, 20, 64, 512, 2000] {
            let blocks = try MagTekBlockJoiner.blocks(of: message, size: size)
            #expect(blocks.dropLast().allSatisfy { $0.count <= size })
            #expect(blocks.last == [0xFF, UInt8(blocks.count - 1)])
            #expect(join(blocks + blocks) == [.message(message), .message(message)])
        }
        #expect(try MagTekBlockJoiner.blocks(of: [7, 8, 9], size: 3) == [[0, 7, 8], [1, 9], [0xFF, 2]])
        #expect(throws: JoiningFault.tooLong(most: 255 * 2)) {
            try MagTekBlockJoiner.blocks(of: [UInt8](repeating: 0, count: 511), size: 3)
        }
    }

    @Test func lostBlocksAreReportedOnceAndTheNextMessageIsJoined() {
        let next: [[UInt8]] = [[0, 1], [1, 2], [0xFF, 2]]
        let joined = Outcome.message([1, 2])
        #expect(join([[0, 9], [2, 9], [3, 9], [0xFF, 4]] + next) == [.fault(.missing(1)), joined])
        #expect(join([[1, 9], [2, 9], [0xFF, 3]] + next) == [.fault(.missing(0)), joined])
        #expect(join([[0, 9], [1, 9], [1, 9], [0xFF, 2]] + next) == [.fault(.repeated(1)), joined])
        #expect(join([[0, 9], [1, 9], [2, 9], [1, 9]] + next) == [.fault(.outOfOrder(1)), joined])
        #expect(join([[0, 9], [1, 9]] + next) == [.fault(.interrupted(after: 2)), joined])
        #expect(join([[0, 9], [0xFF, 2]] + next) == [.fault(.count(announced: 2, received: 1)), joined])
        #expect(join([[0xFF, 1]] + next) == [.fault(.count(announced: 1, received: 0)), joined])
        #expect(join([[0, 9], []] + next) == [.fault(.empty), joined])
        #expect(join([[0, 9], [0xFF]] + next) == [.fault(.empty), joined])
    }

    @Test func aMessageIsBounded() {
        let many = (0..<9).map { [UInt8($0), 1, 2, 3, 4] }
        let outcomes = join(many + [[0xFF, 9], [0, 1], [0xFF, 1]], greatestPayload: 20)
        #expect(outcomes == [.fault(.tooLong(most: 20)), .message([1])])
    }

    /// Whatever comes: no message that was not sent, and none lost after a whole one.
    @Test func notificationsInDisorderMakeNoMessage() throws {
        var random = SeededRandom(seed: 3)
        let message = (0..<60).map { UInt8($0) }
        let blocks = try MagTekBlockJoiner.blocks(of: message, size: 8)
        for _ in 0..<500 {
            var stream = blocks
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<stream.count, using: &random)
                if Bool.random(using: &random) {
                    stream.remove(at: index)
                } else {
                    stream.insert(stream.remove(at: index), at: Int.random(in: 0...stream.count, using: &random))
                }
            }
            let outcomes = join(stream + blocks)
            #expect(outcomes.last == .message(message))
            for case .message(let joined) in outcomes { #expect(joined == message) }
        }
    }
}
