import ArgumentParser
import Foundation
import JackdawEMV

/// How fast the data objects of a chip card's record are read.
struct DataObjects: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data-objects", abstract: "Times how the data objects of a chip card are read, on one core.",
        discussion: """
            With --once the record is walked 1,000 times between two polls: Tests/Lab/audio_path.c, preloaded, counts \
            what is allocated there, by the name that the thread is given.
            """)

    @Option(help: "Runs of each measurement, of which the median counts.") var runs = 5
    @Option(help: "Records a second of another program, to print how many times faster these are.") var peer: Double?
    @Flag(help: "Walk over the record without a measurement, for its allocations to be counted.") var once = false

    /// A record of a test card: 146 octets, 17 objects, the largest of a contact transaction without certificates.
    static let record = [
        "70 81 8F 57 10 5413330089600044D141220101234091 5A 08 5413330089600044 5F24 03 141231 5F25 03 040101",
        "5F28 02 0056 5F34 01 01 8C 15 9F02069F03069F1A0295055F2A029A039C019F3704",
        "8D 0C 910A8A0295059F37049F4C08 8E 0C 00000000000000005E031F03 9F07 02 FF00 9F08 02 0002 9F0D 05 0000000000",
        "9F0E 05 0000000000 9F0F 05 0000000000 9F42 02 0978 9F4A 01 82",
    ].joined().compactMap { $0.hexDigitValue.map(UInt8.init) }

    func run() throws {
        let digits = Self.record
        let record = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        guard try TagLengthValue.list(record.span).count == 17, record.count == 146 else {
            throw CorpusError(description: "the record is not the one that is meant")
        }
        guard !once else { return try walkOnce(record) }
        let walked = try rate(of: 2_000_000) { try Self.walk(record.span) }
        let listed = try rate(of: 500_000) { try TagLengthValue.list(record.span).count }
        for (name, rate) in [("walked", walked), ("parsed to a list", listed)] {
            let ratio = peer.map { ", \((rate / $0).formatted(decimals: 0)) times as fast" } ?? ""
            print("\(name): \((rate / 1e6).formatted(decimals: 2)) million records a second\(ratio)")
        }
    }

    /// The number of objects.
    private static func walk(_ record: Span<UInt8>) throws(DataObjectError) -> Int {
        var walker = TagLengthValueWalker(record)
        var count = 0
        while try walker.next(in: record) != nil { count += 1 }
        return count
    }

    private func rate(of records: Int, _ read: () throws -> Int) throws -> Double {
        let rates = try (0..<runs).map { _ in
            var found = 0
            let seconds = try processorSeconds {
                for _ in 0..<records { found += try read() }
            }
            precondition(found == 17 * records, "the same objects each time")
            return Double(records) / seconds
        }
        return rates.sorted()[runs / 2]
    }

    private func walkOnce(_ record: [UInt8]) throws {
        Thread.current.name = "jackdaw-objects"
        _ = poll(nil, 0, 0)
        var count = 0
        for _ in 0..<1_000 { count += try Self.walk(record.span) }
        _ = poll(nil, 0, 0)
        precondition(count == 17_000, "the same objects each time")
    }
}
