import JackdawEMV
import JackdawReaders
@testable import JackdawSimulator
import JackdawTestSupport
import Testing

/// A simulated SPm20 terminal, and a program that sends it objects of JSON.
struct JSONPOSProgram: ~Copyable {
    private var reader: SimulatedReader
    private(set) var now = Duration.zero
    private var frames = FrameReader(JSONPOSFormat())

    init(
        payer: String = "{\"pin\": {\"digits\": \"1234\"}}",
        card: [(String, String)] = [PlainTerminal.oneApplication, PlainTerminal.noVerification],
        faults: [PlannedFault] = []
    ) throws {
        reader = SimulatedReader(
            JSONPOSTerminal(
                try PlainTerminal.settings(), date: try #require(CardDate(year: 2026, month: 1, day: 15)),
                card: try PlainCard.card(card), payer: try PlainTerminal.payer(payer), PlainCryptography(),
                pinCipher: PlainTerminal.pinCipher), faults: faults)
    }

    /// Sends an object, and returns the objects that the terminal sends in a time.
    mutating func send(_ object: String, for duration: Duration = .milliseconds(100)) throws -> [String] {
        try send(frame: JSONPOSFormat.frame(Array(object.utf8)), for: duration)
    }

    mutating func send(frame: [UInt8], for duration: Duration = .milliseconds(100)) throws -> [String] {
        reader.receive(frame.span, at: now)
        return wait(duration)
    }

    mutating func wait(_ duration: Duration) -> [String] {
        let end = now + duration
        var found: [String] = []
        while let next = reader.nextDeadline, next <= end {
            now = max(now, next)
            for case .send(let bytes) in reader.advance(to: now) { found += take(bytes) }
        }
        now = end
        return found
    }

    private mutating func take(_ bytes: [UInt8]) -> [String] {
        var reader = FrameReader(JSONPOSFormat())
        swap(&reader, &frames)
        var found: [String] = []
        reader.receive(bytes.span) { event, frame in
            guard case .frame = event else { return }
            found.append(String(decoding: frame.indices.dropFirst(9).dropLast().map { frame[$0] }, as: UTF8.self))
        }
        swap(&reader, &frames)
        return found
    }

    /// Begins a payment.
    mutating func purchase(
        _ amount: Int = 60, receipt: Int = 1, for duration: Duration = .seconds(5)
    ) throws -> [String] {
        let numbers = #""receipt_id":\#(receipt),"sequence_id":1"#
        let parameters = #"{"api_key":"k","amount":\#(amount),"currency":"EUR",\#(numbers)}"#
        return try send(#"{"jsonrpc":"2.0","id":"p","method":"Purchase","params":\#(parameters)}"#, for: duration)
    }
}

/// Payments at the simulated SPm20 terminal, without a program of Jackdaw.
@Suite struct JSONPOSTerminalTests {
    private static let start = #"{"jsonrpc":"2.0","id":"n","method":"NetworkStart","params":{}}"#
    private static let abort = #"{"jsonrpc":"2.0","method":"Abort","params":{}}"#
    private static let check =
        #"{"jsonrpc":"2.0","id":"c","method":"Check","params":{"api_key":"k","receipt_id":1,"sequence_id":1}}"#

    private func status(_ step: String?, cardIn: Bool, ready: Bool = false, pending: Int = 0) -> String {
        let word = step.map { #","transaction_status":"\#($0)""# } ?? ""
        let members =
            #""chip_card_in":\#(cardIn),"pending_transaction_count":\#(pending),"ready_for_transaction":\#(ready)\#(word)"#
        return #"{"jsonrpc":"2.0","method":"StatusEvent","params":{\#(members)}}"#
    }

    /// Without a network the card decides by itself: this one declines.
    @Test func aPaymentIsReported() throws {
        var program = try JSONPOSProgram()
        let objects = try program.purchase()
        #expect(objects.first == status("WAIT_CARD_IN", cardIn: false))
        #expect(objects.dropFirst().first == status("PROCESSING", cardIn: true))
        #expect(objects.contains { $0.contains(#""id":"p""#) })
        #expect(objects.last == status(nil, cardIn: false, ready: true, pending: objects.isApproved ? 1 : 0))
    }

    @Test func theHostIsReachedThroughTheProgram() throws {
        var program = try JSONPOSProgram()
        #expect(try program.send(Self.start) == [#"{"id":"n","jsonrpc":"2.0","result":{}}"#])
        let objects = try program.purchase(6000)
        let address = #""connection_id":1,"host":"host.example","port":8443"#
        #expect(
            objects.last
                == #"{"id":"terminal-1","jsonrpc":"2.0","method":"NetworkConnect","params":{\#(address)}}"#)
        let data = try program.send(#"{"jsonrpc":"2.0","id":"terminal-1","result":{}}"#)
        #expect(data.count == 1 && data.first?.contains(#""method":"Data""#) == true)
        // No reply in 30 s: the payment does not take place, and is reversed.
        let end = program.wait(.seconds(40))
        #expect(end.contains { $0.contains("NetworkDisconnect") })
        #expect(end.contains { $0.contains(#""code":1"#) && $0.contains(#""id":"p""#) })
        #expect(end.contains { $0.contains(#""pending_transaction_count":1"#) })
    }

    @Test(arguments: [
        #"{"api_key":"k","amount":0,"currency":"EUR","receipt_id":1,"sequence_id":1}"#,
        #"{"api_key":"k","amount":1.5,"currency":"EUR","receipt_id":1,"sequence_id":1}"#,
        #"{"api_key":"k","amount":1,"currency":"XXX","receipt_id":1,"sequence_id":1}"#,
        #"{"amount":1,"currency":"EUR","receipt_id":1,"sequence_id":1}"#,
        #"{"api_key":"k","amount":1,"currency":"EUR","sequence_id":1}"#, "{}",
    ])
    func paymentsThatAreNotRightAreRefused(_ parameters: String) throws {
        var program = try JSONPOSProgram()
        let objects = try program.send(#"{"jsonrpc":"2.0","id":"p","method":"Purchase","params":\#(parameters)}"#)
        #expect(objects.count == 1 && objects.first?.contains("-32602") == true)
    }

    @Test func aPaymentIsAbortedWhileTheCardIsAwaited() throws {
        var program = try JSONPOSProgram(payer: "{\"delays\": {\"card\": 10000}}")
        _ = try program.purchase()
        let objects = try program.send(Self.abort)
        #expect(objects.first?.contains(#""code":1"#) == true)
        #expect(objects.last == status(nil, cardIn: false, ready: true))
        // The card that comes later has no effect.
        #expect(program.wait(.seconds(100)) == [])
    }

    /// The next program may use the identifier of the request for another one.
    @Test func theResultIsNotSentToTheNextProgram() throws {
        var program = try JSONPOSProgram(payer: "{\"delays\": {\"card\": 10000}}")
        _ = try program.purchase(for: .seconds(1))
        let answer = try program.send(#"{"jsonrpc":"2.0","id":"s","method":"_Sync","params":{}}"#)
        #expect(answer == [#"{"id":"s","jsonrpc":"2.0","result":{}}"#])
        let objects = program.wait(.seconds(60))
        #expect(objects.contains(status("PROCESSING", cardIn: true)))
        #expect(!objects.contains { $0.contains(#""id":"p""#) })
    }

    @Test func theTerminalGivesUpWithoutACard() throws {
        var program = try JSONPOSProgram(payer: "{\"presents\": [\"swipe\"]}")
        _ = try program.purchase(for: .seconds(59))
        let objects = program.wait(.seconds(2))
        #expect(objects.first?.contains(#""code":1"#) == true)
    }

    @Test func aPaymentIsChecked() throws {
        var program = try JSONPOSProgram(payer: "{\"delays\": {\"card\": 10000}}")
        #expect(try program.send(Self.check).first?.contains("TRANSACTION_NOT_FOUND") == true)
        _ = try program.purchase()
        let pending = try program.send(Self.check)
        #expect(pending.first?.contains(#""code":1"#) == true)
        #expect(pending.first?.contains("TRANSACTION_NOT_FOUND") == false)
    }

    /// The members are those of `StatusEvent`.
    @Test func theStateIsAskedFor() throws {
        var program = try JSONPOSProgram(payer: "{\"delays\": {\"card\": 10000}}")
        let question = #"{"jsonrpc":"2.0","id":"s","method":"Status","params":{}}"#
        let idle = try program.send(question).first
        #expect(idle?.contains(#""ready_for_transaction":true"#) == true)
        #expect(idle?.contains("transaction_status") == false)
        _ = try program.purchase(for: .seconds(1))
        let busy = try program.send(question).first
        #expect(busy?.contains(#""transaction_status":"WAIT_CARD_IN""#) == true)
        #expect(busy?.contains(#""id":"s""#) == true)
    }

    /// A request for a refund of the payment with number 1.
    private func refund(
        receipt: Int = 9, amount: Int = 60, currency: String = "EUR", transaction: String = "1-1"
    ) -> String {
        let numbers = #""receipt_id":\#(receipt),"sequence_id":1,"transaction_id":"\#(transaction)""#
        let members = #""api_key":"k","amount":\#(amount),"currency":"\#(currency)",\#(numbers)"#
        return #"{"jsonrpc":"2.0","id":"r","method":"Refund","params":{\#(members)}}"#
    }

    /// The members of `Refund` are those of a program in a public repository: it has a `receipt_id` of its own.
    @Test func aPaymentIsRefundedOnce() throws {
        // The host cannot be reached, and the issuer action codes then allow that the card approves by itself.
        let (old, new) = PlainTerminal.noVerification
        var program = try JSONPOSProgram(card: [
            PlainTerminal.oneApplication, (old, "\(new), \"9F0D\": \"0000000000\""),
        ])
        try #require(program.purchase().isApproved)
        for wrong in [
            refund(receipt: 1), refund(amount: 61), refund(currency: "SEK"), refund(transaction: "2-1"),
        ] {
            #expect(try program.send(wrong).first?.contains(#""code":1"#) == true, "\(wrong)")
        }
        let check =
            #"{"jsonrpc":"2.0","id":"c","method":"Check","params":{"api_key":"k","receipt_id":9,"sequence_id":1}}"#
        #expect(try program.send(check).first?.contains("TRANSACTION_NOT_FOUND") == true)
        let answer = try program.send(refund())
        #expect(answer.isApproved && answer.contains { $0.contains(#""id":"r""#) })
        #expect(try program.send(check).isApproved)
        // The payment stays known, and is not refunded again.
        #expect(try program.send(Self.check).isApproved)
        for again in [refund(), refund(receipt: 10)] {
            #expect(try program.send(again).first?.contains(#""code":1"#) == true)
        }
        let invalid = #"{"jsonrpc":"2.0","id":"r","method":"Refund","params":{"api_key":"k"}}"#
        #expect(try program.send(invalid).first?.contains("-32602") == true)
    }

    @Test func onePaymentIsUnderWayAtATime() throws {
        var program = try JSONPOSProgram(payer: "{\"delays\": {\"card\": 10000}}")
        _ = try program.purchase()
        let objects = try program.purchase(receipt: 2, for: .milliseconds(100))
        #expect(objects.count == 1 && objects.first?.contains(#""code":1"#) == true)
    }

    /// More of them than a cardholder presents the card in one payment.
    @Test func thePaymentsOfATerminalAreNotLimited() throws {
        var program = try JSONPOSProgram()
        for receipt in 1...5 {
            let objects = try program.purchase(receipt: receipt)
            #expect(objects.contains { $0.contains("PROCESSING") }, "\(receipt)")
        }
    }

    @Test func aCardThatCannotBeReadIsAskedForAgain() throws {
        var program = try JSONPOSProgram(
            payer: "{\"presentations\": 2}",
            card: [PlainTerminal.oneApplication, ("\"A0000009990101\"", "\"A0000008880101\"")])
        let objects = try program.purchase(for: .seconds(10))
        #expect(objects.filter { $0 == status("PROCESSING", cardIn: true) }.count == 2)
        #expect(objects.contains(status("WAIT_CARD_OUT", cardIn: true)))
    }

    @Test(arguments: 1...10) func hostileProgramsDoNoHarm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var program = try JSONPOSProgram()
        let numbers = #""receipt_id":1,"sequence_id":1"#
        let objects = [
            Self.start, Self.abort, Self.check,
            #"{"jsonrpc":"2.0","id":"p","method":"Purchase","params":{"api_key":"k","amount":6000,"currency":"EUR",\#(numbers)}}"#,
            #"{"jsonrpc":"2.0","id":"terminal-1","result":{}}"#,
            #"{"jsonrpc":"2.0","id":"terminal-1","error":{"code":1,"message":"no"}}"#,
            #"{"jsonrpc":"2.0","method":"Data","params":{"id":1,"data":"AgAFAAAAAAAAAAM="}}"#,
            #"{"jsonrpc":"2.0","id":"x","method":"NetworkDisconnected","params":{"connection_id":1}}"#,
            #"{"jsonrpc":"2.0","id":"s","method":"_Sync","params":{}}"#,
        ]
        for _ in 0..<200 {
            var frame = try JSONPOSFormat.frame(Array((objects.randomElement(using: &random) ?? "{}").utf8))
            if Bool.random(using: &random), let index = frame.indices.randomElement(using: &random) {
                frame[index] = UInt8.random(in: 0...255, using: &random)
            }
            let answers = try program.send(
                frame: frame, for: .milliseconds(Int.random(in: 0...20_000, using: &random)))
            #expect(answers.count < 40)
        }
        // A damaged length may promise a long object: line feeds end it. It still answers.
        _ = try program.send(frame: [UInt8](repeating: 0x0A, count: JSONPOSFormat.greatestBody + 100))
        _ = try program.send(Self.abort, for: .seconds(300))
        #expect(try program.send(Self.check).isEmpty == false)
    }
}

extension [String] {
    /// Whether a payment was approved.
    fileprivate var isApproved: Bool { contains { $0.contains("Approved") } }
}

/// The messages between a simulated terminal and its host. Invented, so their bytes are nowhere but here.
@Suite struct TerminalHostTests {
    @Test func messagesAreReadAsTheyWereWritten() throws {
        let objects = PlainIssuer.objects()
        for content in [
            IssuerRequest.Content.authorisation(objects, pinBlock: hex("0102030405060708")), .authorisation(objects),
            .reversal(), .confirmation(objects), .advice(objects), .refund,
        ] {
            let bytes = TerminalHostMessage.encode(IssuerRequest(reference: "7", content))
            var stream = TerminalHostMessage.Stream()
            var contents: [[UInt8]] = []
            // Bytes that are no frame, and the frame byte by byte.
            for byte in [0x55, 0x02, 0xFF, 0xFF] + bytes { contents += stream.receive([byte]) }
            let request = try #require(contents.first.flatMap { TerminalHostMessage.request($0) })
            #expect(contents.count == 1)
            #expect(request.reference == "7")
            switch (content, request.content) {
            case (.authorisation(_, let sent), .authorisation(let found, let block)):
                #expect(block == sent)
                #expect(found == objects)
            case (.reversal, .reversal(let found)): #expect(found == nil)
            case (.refund, .refund): break
            case (.confirmation, .confirmation(let found)), (.advice, .advice(let found)): #expect(found == objects)
            default: Issue.record("another kind")
            }
        }
    }

    @Test func repliesAreThoseOfTheirPayment() throws {
        var issuer = try PlainIssuer.issuer()
        let found = issuer.authorise("7", PlainIssuer.objects())
        let decision = try #require(found)
        let bytes = try #require(TerminalHostMessage.encode(.decision(decision), to: "7"))
        var stream = TerminalHostMessage.Stream()
        let contents = stream.receive(bytes)
        let content = try #require(contents.first)
        guard case .decision(let response)? = TerminalHostMessage.reply(content, about: "7") else {
            Issue.record("no decision")
            return
        }
        #expect(response.isApproved)
        #expect(response.responseCode == decision.response.responseCode)
        #expect(response.authenticationData == decision.response.authenticationData)
        if TerminalHostMessage.reply(content, about: "8") != nil { Issue.record("it is about another payment") }
        #expect(TerminalHostMessage.encode(.unreadable, to: "7") == nil)
    }

    @Test(arguments: 1...10) func hostileBytesDoNoHarm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var host = TerminalHost(try PlainIssuer.issuer())
        let message = TerminalHostMessage.encode(
            IssuerRequest(reference: "7", .authorisation(PlainIssuer.objects())))
        for _ in 0..<300 {
            var bytes = message
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            host.receive(
                Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))), from: 1, at: .zero)
        }
        #expect(host.issuer.ledger.entries.count <= 2)
    }
}
