import JackdawEMV
import JackdawTestSupport
import Testing

/// Random events, valid and hostile, from seeds.
@Suite struct PaymentWalkTests {
    @Test(arguments: 0..<16) func anyEventsKeepTheInvariants(seed: UInt64) {
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
        for _ in 0..<4_000 {
            var walk = PaymentWalk()
            for _ in 0..<30 {
                walk.happen(
                    event(in: walk.payment.phase, &random), .openTask, after: .milliseconds(1),
                    choice: Int.random(in: 0..<6, using: &random))
                phases.insert(walk.payment.phase)
            }
            if let outcome = walk.payment.outcome { outcomes.insert(outcome) }
        }
        #expect(phases == Set(PaymentPhase.allCases))
        #expect(outcomes == Set(PaymentOutcome.allCases))
    }

    /// Policies that lose no money.
    private func policy(_ random: inout SeededRandom) -> PaymentPolicy {
        var policy = PaymentPolicy()
        policy.fallsBackWithoutCommonApplication = Bool.random(using: &random)
        policy.maxTapFailures = Int.random(in: 0...4, using: &random)
        return policy
    }

    private static let handled = Dictionary(
        grouping: PaymentTable.rows.filter { $0.treatment == .handled }, by: \.phase
    ).mapValues { $0.map(\.event) }

    /// Two of three events are those of the phase.
    private func event(in phase: PaymentPhase, _ random: inout SeededRandom) -> PaymentEvent {
        guard Int.random(in: 0..<3, using: &random) > 0,
            let event = Self.handled[phase]?.randomElement(using: &random)
        else {
            return PaymentEvent.allCases[Int.random(in: 0..<PaymentEvent.allCases.count, using: &random)]
        }
        return event
    }

    private func answering(_ random: inout SeededRandom) -> PaymentWalk.Answering {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .nothing
        case 1: .identifier([-1, 0, 1, 2, Int.max, Int.min].randomElement(using: &random) ?? 0)
        default: .openTask
        }
    }

    private func elapsed(_ walk: PaymentWalk, _ random: inout SeededRandom) -> Duration {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: max(.zero, (walk.payment.nextDeadline ?? walk.now) - walk.now)
        case 1: .seconds(Int.random(in: 0...700, using: &random))
        default: .milliseconds(Int.random(in: 0...20, using: &random))
        }
    }
}
