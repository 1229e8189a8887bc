import JackdawReaders
import Testing

/// What families declare: their frames, with examples for fuzzing and for the benchmark.
struct DeclarationTests {
    @Test func familiesAndProtocolsAreSortedByNames() {
        let families = ReaderFamily.all.map(\.name)
        #expect(families == families.sorted() && Set(families).count == families.count)
        let protocols = FrameProtocol.all.map(\.name)
        #expect(Set(protocols).count == protocols.count)
        let published = [
            "btmag", "datecs", "edynamo", "flojack", "idtech", "ips", "jsonpos", "magtek", "miura", "neo", "nga",
            "udynamo",
        ]
        #expect(protocols == protocols.sorted() && Set(protocols).isSuperset(of: published))
    }

    @Test(arguments: FrameProtocol.all.flatMap(\.kinds).filter { !$0.streams.isEmpty }.indices)
    func everySeedHasAFrame(index: Int) throws {
        let kind = FrameProtocol.all.flatMap(\.kinds).filter { !$0.streams.isEmpty }[index]
        #expect(!kind.seeds.isEmpty)
        for seed in kind.seeds {
            let digits = seed.filter { $0 != " " }
            #expect(digits.count.isMultiple(of: 2) && digits.allSatisfy(\.isHexDigit))
            for format in kind.streams { #expect(Self.frames(of: Self.bytes(digits), cutBy: format) > 0) }
        }
    }

    @Test func measuredFramesAreFoundInAStream() throws {
        for named in FrameProtocol.all {
            for kind in named.kinds {
                for measured in try kind.measured() {
                    let format = try #require(kind.stream)
                    #expect(
                        Self.frames(of: measured.frames.flatMap(\.self), cutBy: format) == measured.frames.count,
                        "\(named.name), \(measured.name)")
                }
            }
        }
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let nibbles = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: nibbles.count - 1, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }

    private static func frames(of bytes: [UInt8], cutBy format: some FrameFormat) -> Int {
        var reader = FrameReader(format)
        var count = 0
        let take = { (event: FrameEvent, _: Span<UInt8>) in if case .frame = event { count += 1 } }
        reader.receive(bytes.span, take)
        reader.finish(take)
        return count
    }
}
