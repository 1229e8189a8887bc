import JackdawEMV
import JackdawTestSupport
import Testing

/// Random events, valid and hostile, from seeds.
@Suite struct PaymentWalkTests {
    @Test(arguments: UInt64(0)..<16) func anyEventsKeepTheInvariants(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for number in 0..<200 {
            var walk = PaymentWalk(policy: policy(&random))
            var log: [String] = []
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                let event = event(in: walk.payment.phase, &random)
                log.append(event.rawValue)
                walk.happen(
                    event, answering(&random), after: elapsed(walk, &random),
                    choice: Int.random(in: 0..<6, using: &random))
            }
            walk.expire()
            if let failure = walk.failure { Issue.record("walk \(number): \(failure), after \(log)") }
        }
    }

    /// Events of all phases are reached: a walk that only ignores would prove nothing.
    @Test func walksReachEveryPhaseAndOutcome() {
        var random = SeededRandom(seed: 1)
        var phases: Set<PaymentPhase> = []
        var outcomes: Set<PaymentOutcome> = []
        for _ in 0..<30_000 {
            guard outcomes.count < PaymentOutcome.allCases.count else { break }
            var walk = PaymentWalk()
            phases.insert(walk.payment.phase)
            for _ in 0..<30 {
                walk.happen(
                    event(in: walk.payment.phase, &random), .openTask, after: elapsed(walk, &random),
                    choice: Int.random(in: 0..<6, using: &random))
                phases.insert(walk.payment.phase)
            }
            if let outcome = walk.payment.outcome { outcomes.insert(outcome) }
        }
        #expect(Set(PaymentPhase.allCases).subtracting(phases) == [])
        #expect(Set(PaymentOutcome.allCases).subtracting(outcomes) == [])
    }

    /// The walks are strong enough to find each policy that loses or doubles money.
    @Test(arguments: PaymentMutant.allCases) func walksFindEveryMutant(mutant: PaymentMutant) {
        var random = SeededRandom(seed: 1)
        var failure: String?
        for _ in 0..<30_000 where failure == nil {
            var walk = PaymentWalk(policy: mutant.policy)
            for _ in 0..<30 {
                let event = event(in: walk.payment.phase, &random)
                walk.happen(event, .openTask, after: elapsed(walk, &random), choice: 0)
            }
            walk.expire()
            failure = walk.failure
        }
        #expect(failure != nil)
    }

    /// Policies that lose no money.
    private func policy(_ random: inout SeededRandom) -> PaymentPolicy {
        var policy = PaymentPolicy()
        policy.fallsBackWithoutCommonApplication = Bool.random(using: &random)
        policy.maxTapFailures = Int.random(in: 0...4, using: &random)
        return policy
    }

    private static func events(_ isIncluded: (PaymentRow) -> Bool) -> [PaymentPhase: [PaymentEvent]] {
        Dictionary(grouping: PaymentTable.rows.filter(isIncluded), by: \.phase).mapValues { $0.map(\.event) }
    }

    private static let handled = events { $0.treatment == .handled }
    /// The events that lead to another phase but the end.
    private static let onward = events { row in
        row.next.map { $0 != row.phase && $0 != .done && $0 != .crashed } ?? false
    }

    /// An event that leads on, one of the phase, or any.
    private func event(in phase: PaymentPhase, _ random: inout SeededRandom) -> PaymentEvent {
        let likely =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: nil as [PaymentEvent]?
            case 1: Self.handled[phase]
            default: Self.onward[phase]
            }
        return likely?.randomElement(using: &random)
            ?? PaymentEvent.allCases[Int.random(in: 0..<PaymentEvent.allCases.count, using: &random)]
    }

    private func answering(_ random: inout SeededRandom) -> PaymentWalk.Answering {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .nothing
        case 1: .identifier([-1, 0, 1, 2, Int.max, Int.min].randomElement(using: &random) ?? 0)
        default: .openTask
        }
    }

    private func elapsed(_ walk: PaymentWalk, _ random: inout SeededRandom) -> Duration {
        switch Int.random(in: 0..<40, using: &random) {
        case 0, 1: max(.zero, (walk.payment.nextDeadline ?? walk.now) - walk.now)
        case 2: .seconds(Int.random(in: 0...700, using: &random))
        default: .milliseconds(Int.random(in: 0...20, using: &random))
        }
    }
}
