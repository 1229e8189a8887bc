import JackdawReaders
import JackdawTestSupport
import Testing

/// Masked messages of payments at Miura's readers. The published frames are those of `PublishedMiuraFrames`.
@Suite struct MiuraPaymentMaskTests {
    /// Digits without blanks, and `**` for masked bytes.
    private func text(_ kept: [UInt8?]) -> String {
        kept.map { $0.map { hexadecimal([$0]) } ?? "**" }.joined()
    }

    private func masked(_ bytes: [UInt8], isSent: Bool = false) -> String {
        var mask = MiuraPaymentMask()
        return text(mask.maskMessages(bytes, isSent: isSent))
    }

    private func answer(_ message: String, isUnsolicited: Bool = false) throws -> [UInt8] {
        try MiuraFormat.answer(hex(message), isUnsolicited: isUnsolicited).flatMap { $0 }
    }

    @Test func openMessagesStay() throws {
        #expect(masked(PublishedMiuraFrames.cardPresent) == "014008E10448020300900075")
        #expect(masked(PublishedMiuraFrames.encryptionStatus) == "010009E105DFAE01010690000B")
        #expect(masked(PublishedMiuraFrames.done) == "010002900093")
        let start = PublishedMiuraFrames.start
        #expect(masked(start, isSent: true) == hexadecimal(start))
    }

    /// The text of the display may be anything, and the sum would give a masked byte away.
    @Test func textsOfTheDisplayAreMasked() {
        #expect(
            masked(PublishedMiuraFrames.pinAccepted) == "014014E610C30102" + String(repeating: "*", count: 16)
                + "DFA10201029000**")
    }

    @Test func cardDataIsMasked() throws {
        let kept = masked(try answer("E41D 5A08 4761739001010010 9505 8000048000 570A 4761739001010010D491 9000"))
        #expect(
            kept == "010021E41D5A08" + String(repeating: "*", count: 16) + "95058000048000570A"
                + String(repeating: "*", count: 20) + "9000**")
    }

    /// Names, expiry, PIN blocks, scripts, unknown objects, and objects of the wrong length.
    @Test(arguments: [
        "5F2004544F4F4D", "5F2403301231", "DFAE04081122334455667788", "710486027788", "DF7902AABB", "9505AABBCCDD",
        "C304AABBCCDD", "DFA1010107", "630280AA",
    ])
    func otherValuesAreMasked(_ object: String) throws {
        let octets = hex(object)
        let kept = masked(try answer("E1" + hexadecimal([UInt8(octets.count)]) + object + "9000"))
        let value = hexadecimal(octets.suffix(2))
        #expect(kept.contains("**") && !kept.contains(value), "\(kept)")
        #expect(kept.hasSuffix("9000**"))
    }

    @Test func commandsKeepTheirHeader() throws {
        let frame = try MiuraFormat.command(hex("DED200000C E00A 8A023030 710486027788"))
        #expect(masked(frame, isSent: true) == "010011DED200000CE00A8A023030************" + "**")
        let text = try MiuraFormat.command(hex("D2010001 04 31323334"))
        #expect(masked(text, isSent: true) == "010009D201000104**********")
    }

    /// The answer of Android, 87, in two frames: it is returned with its last one.
    @Test func chainedFramesAreMaskedAsOneMessage() {
        var mask = MiuraPaymentMask()
        let frames = PublishedMiuraFrames.declined
        #expect(mask.maskMessages(frames[0], isSent: false).isEmpty)
        let kept = mask.maskMessages(frames[1], isSent: false)
        #expect(kept.count == frames[0].count + frames[1].count)
        let shown = text(kept)
        #expect(shown.hasPrefix("0101FEE5820120" + "50104465626974204D617374657243617264" + "5F2403******"))
        #expect(shown.contains("95050000008000") && shown.contains("9F02060000000001009F0306"))
        // The masked track and the masked number of the reader are masked again.
        #expect(!shown.contains("541333") && shown.hasSuffix("9000**"))
        #expect(mask.finish(isSent: false).isEmpty)
    }

    @Test func anIncompleteMessageIsMaskedAsAWhole() {
        var mask = MiuraPaymentMask()
        let first = PublishedMiuraFrames.declined[0]
        #expect(mask.maskMessages(first, isSent: false).isEmpty)
        #expect(mask.finish(isSent: false) == Array(repeating: nil, count: first.count))
        var count = 0
        for _ in 0..<100 { count += mask.maskMessages(first, isSent: false).count }
        count += mask.finish(isSent: false).count
        #expect(count == 100 * first.count)
    }

    /// The first frame of a chained answer, which waits for the second.
    @Test func framesThatWaitAreOverwritten() throws {
        var mask = MiuraPaymentMask()
        var frame = PublishedMiuraFrames.declined[0].map { $0 }
        let inverted = frame.map { ~$0 }
        let address = unsafe frame.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        let first = mask.maskMessages(frame, isSent: false)
        frame = []
        #expect(first.isEmpty)
        let waiting = try processMemory(at: address, count: inverted.count)
        #expect(waiting.map { ~$0 } == inverted)
        #expect(!mask.maskMessages(PublishedMiuraFrames.declined[1], isSent: false).isEmpty)
        // The allocator writes its own notes into freed memory.
        let left = try processMemory(at: address, count: inverted.count)
        #expect(zip(left, inverted).count { $0 == ~$1 && $0 != 0 } < 64)
    }

    @Test func otherBytesAreMasked() {
        let done = PublishedMiuraFrames.done
        for bytes in [[], [0x01], Array(done.dropLast()), done + [0x00], hex("010002900094"), hex("4761739001010010")] {
            #expect(masked(bytes) == String(repeating: "**", count: bytes.count))
        }
        var mask = MiuraPaymentMask()
        #expect(mask.mask(done, isSent: false) == Array(repeating: nil, count: done.count))
    }

    @Test func randomBytesAreMaskedWithoutATrap() {
        var random = SeededRandom(seed: 29)
        var mask = MiuraPaymentMask()
        let frames = [PublishedMiuraFrames.pinAccepted, PublishedMiuraFrames.start] + PublishedMiuraFrames.declined
        var (given, kept) = (0, 0)
        for _ in 0..<5_000 {
            var frame = frames.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                frame[Int.random(in: 0..<frame.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // The right sum, so that the objects are read.
            if Bool.random(using: &random) { frame[frame.count - 1] = frame.dropLast().reduce(0, ^) }
            given += frame.count
            kept += mask.maskMessages(frame, isSent: Bool.random(using: &random)).count
        }
        kept += mask.finish(isSent: false).count
        #expect(kept == given)
    }
}
