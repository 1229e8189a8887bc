import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// Streams of bytes to the machine of payments: in any blocks, and hostile.
@Suite struct MiuraPaymentStreamTests {
    private static let long = hex("E482014C 57820148") + [UInt8](repeating: 0x41, count: 0x148) + hex("9000")

    /// A payment, with what the program does after each message of the reader.
    private func log(step: Int) throws -> [String] {
        var bench = try MiuraPaymentBench()
        func feed(_ bench: inout MiuraPaymentBench, _ frames: [[UInt8]]) {
            let bytes = frames.flatMap(\.self)
            for start in stride(from: 0, to: bytes.count, by: step) {
                bench.receive(Array(bytes[start..<min(start + step, bytes.count)]))
            }
        }
        bench.carryOut(.prepare)
        feed(
            &bench, [PublishedMiuraFrames.poweredOn, PublishedMiuraFrames.done, PublishedMiuraFrames.encryptionStatus])
        bench.carryOut(.acceptCard)
        feed(&bench, [PublishedMiuraFrames.noCard, [0xFF, 0x00, 0x55], PublishedMiuraFrames.cardPresent])
        bench.carryOut(.processCard)
        // A report between the parts of an answer, and a message of the base.
        let parts = try MiuraFormat.answer(Self.long)
        let base = try MiuraFormat.answer(hex("E4009000"), from: .base)
        feed(&bench, [parts[0], PublishedMiuraFrames.pinAccepted] + base + [parts[1]])
        bench.carryOut(.completeCard(.unreachable))
        feed(&bench, PublishedMiuraFrames.declined)
        return bench.takeLog()
    }

    @Test func blocksDoNotMatter() throws {
        let whole = try log(step: .max)
        #expect(
            whole.filter { !$0.hasPrefix(">") } == [
                "prepare_ok 1", "insert 2", "pin_prompt 3", "pin_ok 3", "ac1_arqc 3", "ac2_aac 4",
            ])
        for step in [1, 2, 3, 7, 64, 253] { #expect(try log(step: step) == whole, "\(step)") }
    }

    /// The rest of the frame never comes: what follows is read.
    @Test func aPartialFrameIsDroppedAfterASilence() throws {
        var bench = try MiuraPaymentBench()
        bench.carryOut(.prepare)
        bench.receive(Array(PublishedMiuraFrames.done.dropLast()))
        bench.wait(.milliseconds(500))
        bench.receive(PublishedMiuraFrames.done)
        #expect(bench.takeLog() == ["> D0FF0000", "> D0000000"])
    }

    @Test func anAnswerWithoutEndIsDropped() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        let part: [UInt8] = [0x01, 0x01, 0xFE] + [UInt8](repeating: 0x41, count: 254)
        for _ in 0..<300 { bench.receive(part + [part.reduce(0, ^)]) }
        #expect(bench.takeLog() == [])
        // The end of the answer that was dropped, and one that counts.
        try bench.answer("E400 9000")
        try bench.answer("E500 9000")
        #expect(bench.takeLog() == ["ac1_aac 3"])
    }

    private static let actions: [PaymentAction] = [
        .prepare, .acceptCard, .processCard, .chooseApplication, .completeCard(.approved), .completeCard(.unknown),
        .storeRecord, .stopReader, .prompt(.tryAgain), .end(.cancelled),
    ]

    /// Bytes that mostly mean something, and actions in any order: no trap, and no more output than input.
    @Test(arguments: 1...20) func hostileReadersDoNoHarm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var settings = MiuraPaymentSettings()
        settings.takesTaps = true
        var bench = try MiuraPaymentBench(settings)
        let messages =
            [
                "9000", "E1009000", "E4009000", "E3009000", "E5009000", "E2099F0606A000000003109000", "9F23", "9F30",
                "9F41",
                "9F43", "9FC1", "6D00", "E482", "E4FF00", "48020300", "E10448020300", "E603C30102", "E603C3010A",
            ].map(hex) + [Self.long, PublishedMiuraFrames.swipe]
        for _ in 0..<400 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                bench.carryOut(
                    Self.actions.randomElement(using: &random) ?? .prepare, isTapAllowed: Bool.random(using: &random))
            case 1: bench.wait(.milliseconds(Int.random(in: 0...5_000, using: &random)))
            case 2:
                bench.receive(
                    (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            case 3: bench.choose(Int.random(in: -1...2, using: &random))
            default:
                let message = messages.randomElement(using: &random) ?? []
                var frames = try MiuraFormat.answer(message, isUnsolicited: Bool.random(using: &random)).flatMap(\.self)
                if Int.random(in: 0..<8, using: &random) == 0, let index = frames.indices.randomElement(using: &random)
                {
                    frames[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
                bench.receive(frames)
            }
            #expect(bench.takeLog().count <= 24)
        }
        bench.lose()
        #expect(bench.payment.nextDeadline == nil)
    }
}
