import JackdawEMV
import Testing

/// All states that events can reach, with the checker of ``PaymentObservation``.
@Suite struct PaymentSearchTests {
    @Test func theInvariantsHoldInEveryState() throws {
        let search = ReachedStates.all
        print(
            "payment: \(search.stateCount) states, \(search.nodes.count) with their histories, "
                + "\(search.transitions) transitions")
        if let found = search.counterExample {
            Issue.record("\(found.invariant.rawValue): \(found.events.map(\.rawValue))")
        }
        #expect(search.nodes.count > 1_000)
    }

    @Test func timersAloneReachTheEnd() {
        #expect(ReachedStates.all.stuck.isEmpty)
    }

    /// Each phase that waits for something has a time limit, none longer than 10 minutes.
    @Test func everyPhaseUnderWayHasATimeLimit() {
        for row in PaymentTable.rows {
            guard let next = row.next, next != .done, next != .crashed else { continue }
            let limit = PaymentLimits().limit(of: next)
            #expect(limit.map { $0 > .zero && $0 <= .seconds(600) } == true, "\(next)")
        }
    }

    @Test func anotherRuleForCardsWithoutApplicationKeepsTheInvariants() {
        var policy = PaymentPolicy()
        policy.fallsBackWithoutCommonApplication = false
        #expect(PaymentSearch(policy).counterExample == nil)
    }

    @Test(arguments: [0, 1, 3]) func anotherNumberOfFailedTapsKeepsTheInvariants(number: Int) {
        var policy = PaymentPolicy()
        policy.maxTapFailures = number
        #expect(PaymentSearch(policy).counterExample == nil)
    }

    @Test(arguments: PaymentMutant.allCases) func theSearchFindsEveryMutant(mutant: PaymentMutant) throws {
        let found = try #require(PaymentSearch(mutant.policy).counterExample)
        #expect(found.invariant == mutant.invariant)
        #expect(found.events.count == mutant.example.count)
    }

    /// The same without the search: a scenario in which money is lost or doubled.
    @Test(arguments: PaymentMutant.allCases) func aScenarioFindsEveryMutant(mutant: PaymentMutant) {
        #expect(run(mutant.example, PaymentPolicy()) == Money(reversals: 1, records: 0))
        let isOffline = mutant == .offlineAfterTimeout
        #expect(run(mutant.example, mutant.policy) == Money(reversals: isOffline ? 1 : 0, records: isOffline ? 1 : 0))
    }

    private struct Money: Equatable {
        let reversals: Int
        let records: Int
    }

    private func run(_ events: [PaymentEvent], _ policy: PaymentPolicy) -> Money {
        var till = FakeTill(policy: policy)
        for event in events { till.happen(event) }
        return Money(reversals: till.reversals, records: till.records)
    }
}

/// A policy that loses or doubles money.
enum PaymentMutant: String, CaseIterable, Sendable {
    case linkLoss = "auto_reverse_on_link_loss"
    case cardDecline = "reverse_on_ac2_aac"
    case timeout = "reverse_on_timeout"
    case signatureRejection = "reverse_on_sig_reject"
    case crash = "reverse_on_crash"
    case cardRemoval = "reverse_on_card_removed"
    case offlineAfterTimeout = "offline_after_timeout"

    var policy: PaymentPolicy {
        var policy = PaymentPolicy()
        switch self {
        case .linkLoss: policy.reversesOnLinkLoss = false
        case .cardDecline: policy.reversesOnCardDecline = false
        case .timeout: policy.reversesOnTimeout = false
        case .signatureRejection: policy.reversesOnSignatureRejection = false
        case .crash: policy.reversesOnCrash = false
        case .cardRemoval: policy.reversesOnCardRemoval = false
        case .offlineAfterTimeout: policy.approvesOfflineAfterHostTimeout = true
        }
        return policy
    }

    /// A shortest way to a violation.
    var example: [PaymentEvent] {
        let asked: [PaymentEvent] = [.start, .prepared, .cardInserted, .firstARQC]
        let swiped: [PaymentEvent] = [.start, .prepared, .cardSwiped]
        return switch self {
        case .linkLoss: asked + [.linkLost, .hostApproved]
        case .cardDecline: asked + [.hostApproved, .secondAAC]
        case .timeout: swiped + [.timer]
        case .signatureRejection: swiped + [.hostApprovedWithSignature, .signatureRefused]
        case .crash: swiped + [.crash, .recovered]
        case .cardRemoval: asked + [.cardRemoved, .hostApproved]
        case .offlineAfterTimeout: asked + [.timer, .secondTC, .recordStored]
        }
    }

    /// The invariant that the shortest example breaks.
    var invariant: PaymentInvariant { .capturedOrReversed }
}
