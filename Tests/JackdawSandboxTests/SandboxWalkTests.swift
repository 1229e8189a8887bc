import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import Testing

/// A random walk over the actions of a till with a lossy network and restarts of the sandbox. The checker has its own
/// account of what was approved: it reads answers and the issuer's ledger, and none of the sandbox's sums.
@Suite struct SandboxWalkTests {
    @Test(arguments: 1...8)
    func theBooksNeverHoldMoreThanWasApproved(_ seed: Int) throws {
        var walk = try SandboxWalk(seed: UInt64(seed))
        for _ in 0..<400 { try walk.step() }
        #expect(walk.approvals > 20)
    }
}

private struct SandboxWalk {
    var fixture: SandboxFixture
    var random: SeededRandom
    /// The amount of each identifier, which never changes.
    private var amounts: [String: UInt64] = [:]
    /// Identifiers that were seen closed without anything booked.
    private var closed: Set<String> = []
    private(set) var approvals = 0
    private var steps = 0

    private static let faults = [
        "silent-before", "silent-after", "status=500", "status-after=502", "garbled", "cut=5", "duplicate-id",
    ]

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        fixture = try SandboxFixture.loggedIn()
    }

    mutating func step() throws {
        fixture.now += .seconds(Int.random(in: 0...300, using: &random))
        let name = "p\(Int.random(in: 0..<60, using: &random))"
        let headers: [(String, String)] =
            Int.random(in: 0..<4, using: &random) == 0
            ? [("X-Sandbox-Fault", Self.faults.randomElement(using: &random) ?? "")] : []
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: pay(name, headers)
        case 7..<9: _ = fixture.act("reverse", name)
        case 9..<11: _ = fixture.close(name)
        case 11..<14:
            let part = Int.random(in: 1...400, using: &random)
            let identifier = Bool.random(using: &random) ? "&unique_id=r\(Int.random(in: 0..<40, using: &random))" : ""
            _ = fixture.send(.post, "payments/\(name)/refund.json", "amount=\(part)\(identifier)", headers: headers)
        case 14..<16: _ = fixture.act("capture", name, Bool.random(using: &random) ? "amount=50" : "")
        case 16: _ = fixture.close("r\(Int.random(in: 0..<40, using: &random))")
        case 17: if Int.random(in: 0..<8, using: &random) == 0 { fixture.now += .seconds(86_400) }
        case 18: if Int.random(in: 0..<4, using: &random) == 0 { try restart() }
        default: break
        }
        if fixture.send(.get, "configuration.json").status == 401 { fixture.logIn() }
        let one = fixture.send(.get, "payments/\(name).json")
        if one.status == 200 { check([one.json]) }
        // A search answers with all payments, which takes long to parse.
        steps += 1
        if steps.isMultiple(of: 100) { check() }
    }

    private mutating func pay(_ name: String, _ headers: [(String, String)]) {
        let amounts: [UInt64] = [100, 900, 1000, 5105, 5196, 5198]
        let amount = self.amounts[name] ?? amounts.randomElement(using: &random) ?? 1
        self.amounts[name] = amount
        let number = Int(name.dropFirst()) ?? 0
        let type = ["purchase", "authorize", "preauthorize", "sepa"][number % 4]
        let reply = fixture.pay(
            name, amount, counter: number + 1, more: "payment[transaction_type]=\(type)", headers: headers)
        if reply.status == 201, headers.isEmpty {
            #expect(reply.json["amount"]?.number == Double(amount))
            if reply.state == "approved" || reply.state.hasSuffix("authorized") {
                approvals += 1
                #expect(!closed.contains(name))
            }
        }
    }

    /// The sandbox is killed and starts again with its books, and the issuer goes on.
    private mutating func restart() throws {
        let books = try #require(fixture.sandbox.store as? MemorySandboxStore)
        let issuer = fixture.sandbox.issuer
        fixture.sandbox = Sandbox(
            .ready, issuer: issuer, store: try MemorySandboxStore(lines: books.lines),
            hashing: PlainTextHashing(), random: SeededRandom(seed: random.next()))
        fixture.logIn()
    }

    private mutating func check() {
        let reply = fixture.send(.get, "payments/search.json", query: [("per_page", "100")])
        guard case .array(let payments)? = reply.json["payments"] else {
            if fixture.token.isEmpty { fixture.logIn() }
            return
        }
        let names = payments.compactMap { $0["unique_id"]?.text }
        #expect(Set(names).count == names.count, "an identifier is booked twice")
        let ledger = fixture.sandbox.issuer.ledger
        let booked = check(payments)
        let approved = ledger.entries.reduce(UInt64(0)) {
            $0 + ($1.verdict == .approved && !$1.isReversed ? $1.amount : 0)
        }
        #expect(booked <= Double(approved), "more money than the issuer approved")
        for number in 0..<60 where !closed.contains("p\(number)") {
            let status = fixture.status("p\(number)")
            if status.json["sandbox"]?["closed"] == .flag(true) { closed.insert("p\(number)") }
        }
    }

    /// Checks the sums of payments.
    /// - Returns: the money that the merchant keeps of them.
    @discardableResult
    private func check(_ payments: [JSONValue]) -> Double {
        var booked: Double = 0
        for payment in payments {
            let name = payment["unique_id"]?.text ?? ""
            let own = payment["sandbox"]?["booked"]?.number ?? .infinity
            let captured = payment["sandbox"]?["captured"]?.number ?? .infinity
            let refunded = payment["sandbox"]?["refunded"]?.number ?? .infinity
            booked += own
            #expect(own >= 0 && own == captured - refunded, "\(name)")
            #expect(captured <= Double(amounts[name] ?? 0), "\(name)")
            #expect(refunded <= captured, "\(name)")
            let state = payment["state"]?.text ?? ""
            if ["rejected", "reversed"].contains(state) { #expect(own == 0, "\(name)") }
        }
        return booked
    }
}
