package import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSimulator

/// The host of a run: the sandbox with its books and the issuer. Its program may be killed.
struct SoakHost {
    private(set) var sandbox: Sandbox
    let books = SoakBooks()
    /// Until when the host's program does not run.
    var downUntil = Duration.zero
    /// The difference of its clock to the time since the start of the run.
    var clock = SoakHost.start
    private var random: SplitMix

    /// The start of a run: 2026-01-15 08:00 UTC.
    static let start = Duration.seconds(1_768_464_000)
    static let merchant = "1"

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        sandbox = Sandbox(
            .ready, issuer: SoakCards.issuer(), store: SoakStore(file: books), hashing: SoakHashing(),
            random: SplitMix(seed: random.next()))
    }

    mutating func receive(_ request: HTTPRequest, at now: Duration) -> SandboxOutput {
        sandbox.receive(request, at: now + clock)
    }

    /// Kills the program and reads the books again. Tokens are lost; the issuer is elsewhere, and goes on.
    mutating func restart() throws(SandboxStoreError) {
        sandbox = Sandbox(
            .ready, issuer: sandbox.issuer, store: try books.read(), hashing: SoakHashing(),
            random: SplitMix(seed: random.next()))
    }

    // MARK: the books of the host

    /// The entry of the books about an attempt.
    enum Booking: Equatable {
        /// Nothing was ever booked, or nothing ever will be.
        case none
        case rejected
        case reversed
        /// The money that the merchant may take, in minor units.
        case booked(UInt64)
    }

    func payment(_ attempt: AttemptIdentifier) -> SandboxPayment? {
        let key = SandboxKey(merchant: Self.merchant, uniqueID: attempt.rawValue)
        guard case .payment(let number)? = sandbox.store.entry(key)?.content else { return nil }
        return sandbox.store.payment(number)
    }

    func booking(_ attempt: AttemptIdentifier) -> Booking {
        let key = SandboxKey(merchant: Self.merchant, uniqueID: attempt.rawValue)
        switch sandbox.store.entry(key)?.content {
        case nil, .closed: return .none
        case .payment(let number):
            guard let payment = sandbox.store.payment(number) else { return .none }
            guard payment.facts.isApproved else { return .rejected }
            return payment.isReversed ? .reversed : .booked(payment.facts.amount.minorUnits)
        case .operation(let number, let place):
            guard let payment = sandbox.store.payment(number), payment.operations.indices.contains(place) else {
                return .none
            }
            let operation = payment.operations[place]
            return operation.isReversed || payment.isReversed ? .reversed : .booked(operation.amount)
        }
    }
}

extension AcceptCredentials {
    /// Those of a user of the sandbox's ready directory.
    package static var ofSandbox: AcceptCredentials {
        func secret(_ text: String) -> SecretText { SecretText(copying: Array(text.utf8).span) }
        return AcceptCredentials(
            name: secret("till-1"), password: secret("till-1-password"), client: "jackdaw",
            clientSecret: secret("jackdaw-secret"))
    }
}
