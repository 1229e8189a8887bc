package import Accept
package import JackdawPayments
import JackdawSimulator

/// Everything that a seed decides before the run: sales, faults, and the habits of host and client. Without some sales and
/// faults the others stay the same, so that a history can be made shorter.
package struct SoakPlan: Sendable {
    package let seed: UInt64
    package let days: Int
    /// In the order of their times.
    package let sales: [SoakSale]
    /// In the order of their times, with their numbers.
    package let faults: [(number: Int, fault: SoakFault)]
    /// The route of the till's reversals.
    package let reversals: AcceptWire.Reversals
    /// The client's time limit of an answer.
    package let clientLimit: Duration
    /// The limits of payments without the host.
    package let limits: OfflineLimits

    /// The time of a day in which sales begin, in seconds from the start of the day.
    private static let businessHours = 36_000

    package init(seed: UInt64, days: Int, _ options: SoakOptions) {
        var random = SplitMix(seed: seed)
        self.seed = seed
        self.days = days
        reversals = random.happens(50) ? .ofIdentifiers : .ofPayments
        clientLimit = [.seconds(30), .seconds(50), .seconds(100)][random.below(3)]
        limits =
            random.happens(30)
            ? .none
            : OfflineLimits(
                currencyCode: 978, floor: UInt64(2_000 + random.below(4_000)), count: 1 + random.below(5),
                total: UInt64(5_000 + random.below(20_000)))
        let isCalm = random.happens(10)
        let mostFaults = isCalm ? 0 : 1 + random.below(max(options.maxFaults, 1))
        var sales: [SoakSale] = []
        var faults: [SoakFault] = []
        for day in 0..<days {
            let start = Duration.seconds(day * 86_400)
            let count = options.sales.lowerBound + random.below(options.sales.count)
            // Some days are busy, so that sales meet each other.
            let hours = random.happens(30) ? 1800 : Self.businessHours
            let times = (0..<count).map { _ in random.below(hours * 1000) }.sorted()
            let first = sales.count
            for time in times {
                sales.append(
                    SoakSale(
                        number: sales.count, time: start + .milliseconds(time), seed: random.next(),
                        paysCash: options.paysCash))
            }
            let faultCount = mostFaults == 0 ? 0 : random.below(mostFaults + 1)
            for _ in 0..<faultCount {
                let near = sales[first + random.below(sales.count - first)]
                let time =
                    random.happens(80)
                    ? near.time + .milliseconds(random.below(60_000)) : start + .seconds(random.below(80_000))
                faults.append(SoakFault(at: time, &random))
            }
        }
        let last = Duration.seconds(days * 86_400)
        self.sales = sales.filter { options.keptSales?.contains($0.number) ?? true }
        self.faults = faults.enumerated().map { (number: $0, fault: $1) }
            .filter { options.keptFaults?.contains($0.number) ?? true && $0.fault.time < last }
            .sorted { ($0.fault.time, $0.number) < ($1.fault.time, $1.number) }
    }
}

extension SoakSale {
    /// The sale of a seed. A seventh of them is paid in cash, if that is wanted.
    fileprivate init(number: Int, time: Duration, seed: UInt64, paysCash: Bool) {
        var random = SplitMix(seed: seed)
        self.number = number
        self.time = time
        self.seed = seed
        // Amounts of 51.00 to 51.99 ask the issuer for a reaction.
        switch random.below(20) {
        case 0: amount = 5105
        case 1: amount = 5101
        case 2: amount = UInt64(90_001 + random.below(1000))
        case 3..<10: amount = UInt64(100 + random.below(1900))
        default: amount = UInt64(2_000 + random.below(6_000))
        }
        let withCard: Way =
            switch random.below(10) {
            case 0..<4: .miura
            case 4..<6: .posmate
            case 6..<8: .emvswiper
            default: .swipe
            }
        var other = SplitMix(seed: seed ^ 0xCA54)
        way = paysCash && other.below(7) == 0 ? .cash : withCard
        let isReserved = random.happens(15)
        isAuthorisation = isReserved && way != .cash
        isRefunded = random.happens(15)
        isNamed = random.happens(40)
        retries = random.below(3)
        isImpatient = random.happens(25)
        reusesIdentifier = random.happens(15)
        removal = random.happens(12) ? 1 + random.below(16) : nil
        signsWrongly = random.happens(8)
        // A terminal that takes no payment shows nothing.
        let faults = ReaderFault.allCases.filter { !ReaderFault.conditions.contains($0) }
        let message = random.below(14)
        readerFault =
            random.happens(8) ? PlannedFault(faults[random.below(faults.count)], message..<(message + 1)) : nil
        isTakenBack = random.happens(12)
    }
}

extension SoakFault {
    /// A fault of a random kind. A crash of the till is as frequent as a fifth of the others together.
    fileprivate init(at time: Duration, _ random: inout SplitMix) {
        self.time = time
        kind = random.happens(20) ? .crash : Kind.allCases[random.below(Kind.allCases.count)]
        point = random.happens(10) ? .now : Point.allCases[random.below(Point.allCases.count)]
        skips = random.happens(50) ? 0 : random.below(6)
        size = random.below(1001)
    }
}

extension SplitMix {
    /// A number from 0 to below a bound of at least 1.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// Whether something happens that happens so many times of 100.
    mutating func happens(_ percent: Int) -> Bool { below(100) < percent }
}
