import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// Streams of bytes to the machine of payments at SPm20 terminals: in any blocks, and hostile.
@Suite struct JSONPOSPaymentStreamTests {
    private static let objects = [
        #"{"jsonrpc":"2.0","id":"1","result":{}}"#, #"{"jsonrpc":"2.0","id":"2","result":{}}"#,
        #"{"jsonrpc":"2.0","id":"3","result":{"response_text":"Approved"}}"#,
        #"{"jsonrpc":"2.0","id":"3","error":{"code":1,"message":"4111111111111111"}}"#,
        #"{"jsonrpc":"2.0","id":"3","error":{"code":-32603,"message":"no"}}"#,
        #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
        #"{"jsonrpc":"2.0","id":"a","method":"NetworkConnect","params":{"host":"h","port":443,"connection_id":2}}"#,
        #"{"jsonrpc":"2.0","method":"Data","params":{"id":2,"data":"AQID"}}"#,
        #"{"jsonrpc":"2.0","id":"b","method":"NetworkDisconnect","params":{"connection_id":2}}"#,
        #"{"jsonrpc":"2.0","method":"StatusEvent","params":{"transaction_status":"PROCESSING"}}"#,
        #"{"jsonrpc":"2.0","id":"k","method":"_Keepalive"}"#, "{}",
    ]

    /// A payment, with what the program does after each message of the terminal.
    private func log(step: Int) throws -> [String] {
        var bench = try JSONPOSPaymentBench()
        func feed(_ bench: inout JSONPOSPaymentBench, _ objects: [String]) throws {
            let bytes = try objects.flatMap { try JSONPOSFormat.frame(Array($0.utf8)) }
            for start in stride(from: 0, to: bytes.count, by: step) {
                bench.receive(Array(bytes[start..<min(start + step, bytes.count)]))
            }
        }
        bench.carryOut(.prepare)
        bench.wait(.milliseconds(100))
        try feed(&bench, Array(Self.objects[...1]))
        bench.carryOut(.acceptCard)
        bench.carryOut(.askHost)
        try feed(&bench, [Self.objects[9], Self.objects[6]])
        bench.opened(2)
        bench.receive([0x02, 0xFF, 0x55])
        try feed(&bench, [Self.objects[7], Self.objects[8], Self.objects[2]])
        return bench.takeLog()
    }

    @Test func blocksDoNotMatter() throws {
        let whole = try log(step: .max)
        #expect(
            whole.filter { !$0.hasPrefix(">") } == [
                "prepare_ok 1", "swipe_plain 2", "status PROCESSING", "connect(2, host: \"h\", port: 443)",
                "send(2, [1, 2, 3])", "disconnect(2)", "approved(transaction: nil)", "host_approved 3",
            ])
        // Of a block, the machine returns the bytes first.
        for step in [1, 2, 3, 7, 64, 253] {
            let log = try log(step: step)
            #expect(log.filter { $0.hasPrefix(">") } == whole.filter { $0.hasPrefix(">") }, "\(step)")
            #expect(log.filter { !$0.hasPrefix(">") } == whole.filter { !$0.hasPrefix(">") }, "\(step)")
        }
    }

    /// The rest of the frame never comes: what follows is read.
    @Test func aPartialFrameIsDroppedAfterASilence() throws {
        var bench = try JSONPOSPaymentBench()
        bench.carryOut(.prepare)
        bench.wait(.milliseconds(100))
        bench.receive(Array(try JSONPOSFormat.frame(Array(Self.objects[0].utf8)).dropLast(10)))
        bench.wait(.milliseconds(500))
        try bench.answer(Self.objects[0])
        #expect(bench.takeLog().last?.contains("NetworkStart") == true)
    }

    private static let actions: [PaymentAction] = [
        .prepare, .acceptCard, .askHost, .reject(.cancelled), .reverse(.timeout), .stopReader, .end(.cancelled),
        .storeRecord, .processCard,
    ]

    /// Bytes that mostly mean something, and actions in any order: no trap, and no more output than input.
    @Test(arguments: 1...20) func hostileTerminalsDoNoHarm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bench = try JSONPOSPaymentBench()
        for _ in 0..<400 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bench.carryOut(Self.actions.randomElement(using: &random) ?? .prepare)
            case 1: bench.wait(.milliseconds(Int.random(in: 0...30_000, using: &random)))
            case 2:
                bench.receive(
                    (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            case 3:
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bench.opened(2)
                case 1: bench.closed(2)
                case 2: bench.receive([1, 2], from: 2)
                case 3: bench.reconnect()
                default: bench.lose()
                }
            default:
                let object = Self.objects.randomElement(using: &random) ?? "{}"
                var frame = try JSONPOSFormat.frame(Array(object.utf8))
                if Int.random(in: 0..<8, using: &random) == 0, let index = frame.indices.randomElement(using: &random) {
                    frame[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
                bench.receive(frame)
            }
            let log = bench.takeLog()
            #expect(log.count <= 24)
            #expect(!log.contains { $0.contains("4111111111111111") })
        }
        bench.lose()
        #expect(bench.payment.nextDeadline == nil)
    }
}
