import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct WipedTests {
    private struct Holder {
        @Wiped var bytes: [UInt8]
    }

    private static let pattern = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 17) }

    @Test func copiesChangeOnTheirOwn() {
        let first = Holder(bytes: [1, 2, 3])
        var second = first
        second.bytes[0] = 9
        var third = second
        third.bytes = [7]
        #expect(first.bytes == [1, 2, 3])
        #expect(second.bytes == [9, 2, 3])
        #expect(third.bytes == [7])
    }

    @Test func theLastHolderOverwritesTheMemory() throws {
        var holders = [Holder(bytes: Self.pattern.map { $0 })]
        holders.append(holders[0])
        let address = unsafe holders[0].bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        holders.removeLast()
        #expect(try processMemory(at: address, count: Self.pattern.count) == Self.pattern)
        holders.removeAll()
        #expect(try Self.leftovers(at: address) < 64)
    }

    @Test func assignmentOverwritesTheOldMemory() throws {
        var holder = Holder(bytes: Self.pattern.map { $0 })
        let address = unsafe holder.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        holder.bytes = []
        #expect(try Self.leftovers(at: address) < 64)
    }

    @Test func theLadderOverwritesItsSound() throws {
        var ladder = RateLadder()
        ladder.load(Self.pattern.prefix(1_024).map { Float($0) }, lost: [])
        let address = unsafe ladder.sound(at: 0).samples.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        let sound = try processMemory(at: address, count: 4_096)
        ladder.wipe()
        let left = try processMemory(at: address, count: 4_096)
        #expect(sound.contains { $0 != 0 })
        #expect(zip(left, sound).count { $0 == $1 && $1 != 0 } < 64)
    }

    @Test func evidenceIsOverwritten() throws {
        let pairs = (0..<1_024).map { Float($0 + 1) }
        var evidence: CellEvidence? = CellEvidence(count: 511, boundaries: pairs.map { $0 }, middles: [])
        let address = unsafe evidence!.boundaries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        let before = try processMemory(at: address, count: 4_096)
        evidence = nil
        let after = try processMemory(at: address, count: 4_096)
        #expect(before.count { $0 != 0 } > 1_024)
        #expect(zip(after, before).count { $0 == $1 && $1 != 0 } < 64)
    }

    @Test func theTrellisOverwritesItsScores() throws {
        let likelihoods = [Float](repeating: 3, count: 202)
        let evidence = CellEvidence(count: 100, boundaries: likelihoods, middles: likelihoods.dropLast(2))
        var trellis = CodeTrellis(evidence: evidence, code: .numeric)
        // What reflection holds on to is shared, and shared arrays are not overwritten in place.
        let tables = Mirror(reflecting: trellis).children.compactMap { child in
            (child.value as? [Float]).map { table in
                unsafe table.withUnsafeBytes { (address: UInt(bitPattern: $0.baseAddress), count: $0.count) }
            }
        }
        #expect(tables.count == 4)
        for table in tables { #expect(try Self.nonZeroBytes(at: table.address, count: table.count) > 64) }
        trellis.wipe()
        for table in tables { #expect(try Self.nonZeroBytes(at: table.address, count: table.count) == 0) }
    }

    private static func nonZeroBytes(at address: UInt, count: Int) throws -> Int {
        try processMemory(at: address, count: count).count { $0 != 0 }
    }

    /// How much of the pattern is still there. The allocator may write its own notes into freed memory.
    private static func leftovers(at address: UInt) throws -> Int {
        zip(try processMemory(at: address, count: pattern.count), pattern).count { $0 == $1 && $1 != 0 }
    }
}
