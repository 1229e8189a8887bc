import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

// The bytes of payments at an EMVSwiper: cut into blocks, and hostile.

extension BBPOSPaymentTests {
    private func log(step: Int) throws -> [String] {
        var bench = try BBPOSPaymentBench()
        let wire = bench.wire
        func feed(_ bench: inout BBPOSPaymentBench, _ bytes: [UInt8]) {
            for start in stride(from: 0, to: bytes.count, by: min(step, bytes.count)) {
                bench.receive(Array(bytes[start..<start + min(step, bytes.count - start)]))
            }
        }
        bench.carryOut(.prepare)
        feed(&bench, wire.frame(.deviceInfo(["batteryPercentage": "80"])))
        bench.carryOut(.acceptCard)
        feed(&bench, [0xFF, 0x00, 0x55] + wire.frame(.waitingForCard) + wire.frame(.card(.chip, nil)))
        bench.carryOut(.processCard)
        feed(&bench, wire.frame(.started(true)) + wire.frame(.request(.amount, nil)))
        feed(&bench, wire.frame(.request(.pin, nil)) + wire.frame(.request(.issuer, ReaderBytes("9F270180"))))
        bench.carryOut(.completeCard(.unreachable))
        feed(&bench, wire.frame(.batchData(ReaderBytes("9F270100"))) + wire.frame(.transactionEnded(.declined)))
        return bench.takeLog()
    }

    @Test func blocksDoNotMatter() throws {
        let whole = try log(step: .max)
        #expect(
            whole.filter { !$0.hasPrefix(">") } == [
                "prepare_ok 1", "insert 2", "pin_prompt 3", "pin_ok 3", "ac1_arqc 3", "ac2_aac 4",
            ])
        for step in [1, 2, 3, 7, 64] { #expect(try log(step: step) == whole, "\(step)") }
    }

    private static let actions: [PaymentAction] = [
        .prepare, .acceptCard, .processCard, .chooseApplication, .completeCard(.approved), .completeCard(.unknown),
        .askHost, .storeRecord, .stopReader, .prompt(.tryAgain), .end(.cancelled),
    ]

    /// Bytes that mostly mean something, and actions in any order: no trap, and no more output than input.
    @Test(arguments: 1...20) func hostileReadersDoNoHarm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bench = try BBPOSPaymentBench()
        let reports: [BBPOSReport] = [
            .deviceInfo([:]), .battery(.criticallyLow), .failed(.unknown), .waitingForCard, .card(.chip, nil),
            .card(.noCard, nil), .card(.noResponse, nil), .card(.stripe, bbposSwipe(";4111111111111111=2812101?")),
            .started(true), .started(false), .request(.application(["A", "B"]), nil), .request(.amount, nil),
            .request(.pin, nil), .request(.identity, ReaderBytes("00")), .request(.confirmation, nil),
            .request(.connectivity, nil), .request(.issuer, ReaderBytes("9F270180")),
            .request(.issuer, ReaderBytes("9F")), .request(.time, nil), .request(.referral, nil),
            .display(.pinIsRight), .batchData(ReaderBytes("9F270140")), .reversalData(ReaderBytes("FF")),
            .transactionEnded(.approved), .transactionEnded(.declined), .transactionEnded(.cancelled),
        ]
        for _ in 0..<400 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bench.carryOut(Self.actions.randomElement(using: &random) ?? .prepare)
            case 1: bench.wait(.milliseconds(Int.random(in: 0...30_000, using: &random)))
            case 2:
                bench.receive(
                    (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            case 3: bench.choose(Int.random(in: -1...2, using: &random))
            default:
                var frame = bench.wire.frame(reports.randomElement(using: &random) ?? .waitingForCard)
                if Int.random(in: 0..<8, using: &random) == 0, let index = frame.indices.randomElement(using: &random) {
                    frame[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
                bench.receive(frame)
            }
            #expect(bench.takeLog().count <= 24)
        }
        bench.lose()
        #expect(bench.payment.nextDeadline == nil)
    }
}
