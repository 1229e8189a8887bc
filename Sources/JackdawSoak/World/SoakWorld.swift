import Accept
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSimulator

/// A till with its disk, network, readers, cards, customers and merchant, and the host with its books and the issuer, on one
/// queue of events in virtual time. A class only because readers cannot be copied.
final class SoakWorld {
    /// Something that happens at a time.
    enum Happening {
        // MARK: at the till, if the process still runs

        case minted(effect: Int, process: Int)
        case lookUp(effect: Int, AttemptIdentifier, SaleIdentifier?, process: Int)
        case write(Int, process: Int)
        case station(AttemptIdentifier, AcceptTerminalEvent, process: Int)
        /// The cardholder or the merchant answers, or cancels.
        case person(AttemptIdentifier, AcceptPayEvent, process: Int)
        case unplug(AttemptIdentifier, process: Int)
        case answer(HTTPAnswer, exchange: Int, process: Int)
        case failure(HTTPFailure, exchange: Int, process: Int)
        case doubledReply(HostReply, effect: Int, process: Int)
        case tillStarts(process: Int)

        // MARK: in any other place

        case arrival(Parcel)
        case merchant(sale: Int)
        case attention(AttemptIdentifier)
    }

    /// A copy of a request on its way to the host.
    struct Parcel {
        let request: HTTPRequest
        let exchange: Int
        let process: Int
        let about: HostRequest?
    }

    /// A write under way.
    struct Write {
        let number: Int
        let effect: Int
        let record: AttemptRecord
        /// Whether it fails, and whether it is durable nevertheless.
        var fails = false
        var isDurable = true
    }

    /// A terminal that is open for an attempt: a reader with its card, and the payment of Accept at it.
    struct OpenStation {
        let attempt: AttemptIdentifier
        let station: any Station
        /// The number of the card; nil without a chip.
        let card: Int?
        var pay: AcceptPayMachine
    }

    let plan: SoakPlan
    let options: SoakOptions
    var now = Duration.zero
    var queue = EventQueue<Happening>()
    var history: SoakHistory
    var checker: SoakChecker
    var steps = 0

    // MARK: the state of the till

    /// Nil while the till does not run.
    var desk: PaymentDesk?
    var session = AcceptSession(.ofSandbox)
    /// The attempts whose refused message a person has had sent again.
    var sentAgain: Set<AttemptIdentifier> = []
    let wire: AcceptWire
    let profile: HostProfile
    /// The number of the till's process.
    var process = 1
    var disk = SoakDisk()
    var writes: [Write] = []
    var lastWrite = 0
    var stations: [OpenStation] = []
    /// The requests under way at the host, by their effects.
    var requests: [Int: HostRequest] = [:]
    /// The number of the last request that the desk did not ask for, below 0.
    var lastUpdate = 0
    /// The exchanges under way, with the ends of their time limits on the till's clock.
    var exchanges: [Int: Duration] = [:]
    var cards = SoakCards()
    let freshIssuer = SoakCards.issuer()
    /// Until when the till is suspended, and the time that its clock did not count.
    var suspendedUntil = Duration.zero
    var uncounted = Duration.zero
    /// The difference of the till's wall clock to the time.
    var wallClock = Duration.zero
    var diskFullUntil = Duration.zero
    var networkDownUntil = Duration.zero

    // MARK: host, merchants and faults

    var host: SoakHost
    var merchants: [Int: Merchant] = [:]
    var calls: [Int: (sale: Int, request: AttemptRequest?)] = [:]
    /// Captures, refunds and reversals under way, in the order of their calls.
    var operations: [OpenOperation] = []
    var lastCall = 0
    var nextSale = 0
    var nextFault = 0
    var armed: [(number: Int, fault: SoakFault)] = []
    var struck: [SoakFault.Kind: Int] = [:]
    var struckNumbers: Set<Int> = []
    /// The time for which the host does not run after a write was cut.
    var tornSize = 0
    var random: SplitMix
    var identifiers: SplitMix
    var ends: [AttemptState: Int] = [:]
    /// The steps of payment flows, if the history is kept.
    var recordings = SoakRecordings()

    init(_ plan: SoakPlan, _ options: SoakOptions) {
        self.plan = plan
        self.options = options
        checker = SoakChecker(plan.limits)
        random = SplitMix(seed: plan.seed ^ 0x50AC)
        identifiers = SplitMix(seed: plan.seed ^ 0x1D)
        history = SoakHistory(keepsEntries: options.keepsHistory)
        wire = AcceptWire(reversals: plan.reversals)
        profile = AcceptWire.profile
        host = SoakHost(seed: plan.seed ^ 0x4057)
        desk = newDesk()
    }

    /// The desk of a new process.
    func newDesk() -> PaymentDesk {
        var desk = PaymentDesk(host: profile, limits: plan.limits, policy: Accept.paymentPolicy)
        if options.keepsHistory { desk.flowSteps = [] }
        return desk
    }

    // MARK: the steps of the run

    /// The most steps at one time.
    private static let maxSteps = 20_000

    func run() {
        begin()
        let lastDay = Duration.seconds(plan.days * 86_400)
        run(until: options.limit ?? lastDay + options.settling / 2)
        checker.checkEnd(desk, disk, host, isBeforeRestart: true)
        if options.limit == nil {
            kill(size: 0)
            run(until: lastDay + options.settling)
            checker.checkEnd(desk, disk, host, isBeforeRestart: false)
        }
        for attempt in disk.attempts { if let record = disk[attempt] { ends[record.state, default: 0] += 1 } }
    }

    /// Starts the till for the first time.
    func begin() {
        if let effects = desk?.start(with: [], at: tillTime, on: date) { carryOut(effects) }
    }

    /// Takes the steps until a time, or until a rule is broken.
    func run(until end: Duration) {
        var stepsAtOnce = 0
        while checker.violation == nil, let next = nextTime, next <= end {
            stepsAtOnce = next > now ? 0 : stepsAtOnce + 1
            now = max(now, next)
            checker.begin(at: now)
            steps += 1
            step()
            if stepsAtOnce > Self.maxSteps { checker.fail(.stuck, nil, "\(stepsAtOnce) steps at one time") }
        }
        guard checker.violation == nil else { return }
        now = end
        checker.begin(at: now)
    }

    /// The time of the next step; nil if nothing remains.
    private var nextTime: Duration? {
        var next = queue.nextDeadline
        func add(_ time: Duration?) {
            if let time { next = next.map { min($0, time) } ?? time }
        }
        if nextSale < plan.sales.count { add(plan.sales[nextSale].time) }
        if nextFault < plan.faults.count { add(plan.faults[nextFault].fault.time) }
        if let desk {
            add(desk.nextDeadline.map { max($0 + uncounted, suspendedUntil) })
            add(session.nextDeadline.map { max($0 + uncounted, suspendedUntil) })
            for operation in operations { add(operation.deadline.map { max($0 + uncounted, suspendedUntil) }) }
            add(exchanges.values.min().map { max($0 + uncounted, suspendedUntil) })
            for entry in stations { add(entry.station.nextDeadline.map { max($0, suspendedUntil) }) }
        }
        return next
    }

    private func step() {
        if nextSale < plan.sales.count, plan.sales[nextSale].time <= now {
            nextSale += 1
            return arrive(plan.sales[nextSale - 1])
        }
        if nextFault < plan.faults.count, plan.faults[nextFault].fault.time <= now {
            nextFault += 1
            return meet(plan.faults[nextFault - 1])
        }
        if let due = queue.nextDeadline, due <= now { return happen(queue.removeFirst()) }
        guard now >= suspendedUntil else { return }
        if let deadline = desk?.nextDeadline, deadline + uncounted <= now { return send(.timer) }
        if desk != nil, let deadline = session.nextDeadline, deadline + uncounted <= now { return endLateCalls() }
        if endLateWait() { return }
        if let exchange = lateExchange {
            return receive(.failed(HTTPFailure(.timedOut, message: ""), exchange: exchange), exchange)
        }
        for entry in stations {
            guard let due = entry.station.nextDeadline, due <= now else { continue }
            return follow(entry.station.advance(to: now), entry.attempt)
        }
    }

    private func happen(_ happening: Happening) {
        switch happening {
        case .arrival(let parcel): return arrive(parcel)
        case .merchant(let sale): return tick(sale)
        case .attention(let attempt): return attend(attempt)
        default: break
        }
        // The till's own events wait until it goes on.
        guard now >= suspendedUntil else { return queue.add(happening, at: suspendedUntil) }
        switch happening {
        case .minted(let effect, let number): if number == process { mint(effect) }
        case .lookUp(let effect, let attempt, let sale, let number):
            if number == process { lookUp(effect, attempt, sale) }
        case .write(let write, let number): if number == process { finishWrite(write) }
        case .station(let attempt, let event, let number): if number == process { take(event, attempt) }
        case .person(let attempt, let event, let number): if number == process { pay(event, attempt) }
        case .unplug(let attempt, let number): if number == process { unplug(attempt) }
        case .answer(let answer, let exchange, let number):
            if number == process { receive(.answered(answer, exchange: exchange), exchange) }
        case .failure(let failure, let exchange, let number):
            if number == process { receive(.failed(failure, exchange: exchange), exchange) }
        case .doubledReply(let reply, let effect, let number):
            if number == process { send(.answered(reply, effect: effect)) }
        case .tillStarts(let number): if number == process { startTill() }
        case .arrival, .merchant, .attention: break
        }
    }

    // MARK: pieces for the other files

    /// The till's clock, which does not run backwards.
    var tillTime: Duration { now - uncounted }

    /// The till's wall clock.
    var date: RecordedTime {
        RecordedTime(seconds: (SoakHost.start + now + wallClock).components.seconds, offset: 60)
    }

    func note(_ text: String) { history.note(text, at: now) }

    /// A random time of this sale, or of no sale, in milliseconds.
    func wait(_ range: ClosedRange<Int>, _ sale: Int? = nil) -> Duration {
        let count = range.upperBound - range.lowerBound + 1
        guard let sale, merchants[sale] != nil else {
            return .milliseconds(range.lowerBound + random.below(count))
        }
        return .milliseconds(range.lowerBound + (merchants[sale]?.random.below(count) ?? 0))
    }

    func number(of sale: SaleIdentifier) -> Int? { Int(sale.rawValue.dropFirst()) }
}
