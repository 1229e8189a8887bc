import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept
@testable import JackdawSimulator

/// Sales at an SPm20, which processes a payment as a whole and asks a host of its own. The terminal and the bytes for its host
/// are simulated by this project: no message of a payment is published.
@Suite struct SPm20Tests {
    /// Runs a world, and compares the journal with the books of the terminal and of its host.
    @discardableResult
    private func run(_ plan: SPm20World.Plan, _ name: String = "") throws -> SPm20World {
        let world = try SPm20World(plan)
        world.run()
        // Without a record nothing was begun.
        guard let record = world.record else {
            #expect(world.sales == 0, "\(name)")
            return world
        }
        #expect(!world.isContradicted, "\(name)")
        #expect(world.refunds <= 1, "\(name)")
        #expect(world.entry?.held ?? 0 == 0, "\(name): \(record.state)")
        let captured = world.entry?.captured ?? 0
        switch record.state {
        case .approved:
            #expect(world.sales == 1 && captured == plan.amount, "\(name)")
        case .needsAttention:
            // The fate of a refund is not known.
            #expect(!plan.repeatsRefunds, "\(name)")
        default:
            #expect(record.state.isFinal, "\(name): \(record.state)")
            #expect(world.sales == 0 && captured == 0, "\(name): \(record.state), \(world.flow)")
        }
        return world
    }

    @Test func aSaleIsTheTerminalsResult() throws {
        let world = try run(SPm20World.Plan())
        #expect(world.end?.error == nil)
        #expect(world.record?.reference?.rawValue.isEmpty == false)
        #expect(world.record?.delivery == nil)
        #expect(world.flow == [.start, .prepared, .cardSwiped, .hostApproved, .recordStored])
        #expect(world.steps == [.initialize, .insertOrSwipeCard, .processingData, .removeCard])
        #expect(world.entry?.capture == .online)
    }

    @Test(arguments: [UInt64(5105), 5195, 5196, 5197, 5198, 5199])
    func aPaymentThatTheTerminalDeclinesBooksNothing(amount: UInt64) throws {
        var plan = SPm20World.Plan()
        plan.amount = amount
        let world = try run(plan, "\(amount)")
        #expect(world.end?.error?.code == .pay(.transactionNotApproved))
        #expect(world.record?.state == .declined)
    }

    /// The terminal answers after the till has given the payment up.
    @Test(arguments: [1, 2, 3, 4, 5, 6]) func aLateApprovalIsRefunded(seconds: Int) throws {
        var plan = SPm20World.Plan()
        plan.limit = .milliseconds(500 * seconds)
        let world = try run(plan, "\(seconds)")
        guard world.end?.report.outcome != .approved else { return }
        #expect(world.end?.error?.code == .pay(.responseLost))
        #expect(world.record?.state == .reversed)
    }

    @Test func aMerchantsReversalIsARefund() throws {
        var plan = SPm20World.Plan()
        plan.isReversed = true
        let world = try run(plan)
        #expect(world.record?.state == .reversed)
        #expect(world.refunds == 1)
        #expect(world.entry?.isRefunded == true)
    }

    @Test func aPaymentThatIsCancelledAtTheCardIsAborted() throws {
        var plan = SPm20World.Plan()
        plan.cancelled = .insertOrSwipeCard
        let world = try run(plan)
        #expect(world.record?.state == .declined)
        #expect(world.sales == 0)
    }

    // MARK: lost links, and killed programs

    @Test func aLostLinkAtAnyMessageLosesNoMoney() throws {
        let count = try run(SPm20World.Plan()).messages
        #expect(count > 15)
        var outcomes: Set<PaymentOutcome> = []
        for message in 1...count {
            var plan = SPm20World.Plan()
            plan.losses = [message]
            let world = try run(plan, "message \(message)")
            if let outcome = world.end?.report.outcome { outcomes.insert(outcome) }
        }
        // The terminal is asked for a result that the link has lost.
        #expect(outcomes.contains(.approved))
        let others: Set<PaymentOutcome> = [.failedLink, .failedPreparation, .declinedOnline, .failedUnableOnline]
        #expect(outcomes.subtracting(others) == [.approved])
    }

    @Test func twoLostLinksLoseNoMoney() throws {
        for first in stride(from: 3, to: 30, by: 3) {
            for distance in 1...12 {
                var plan = SPm20World.Plan()
                plan.losses = [first, first + distance]
                try run(plan, "messages \(first), \(first + distance)")
            }
        }
    }

    @Test(arguments: [true, false]) func aReversalOverLostLinksIsOneRefund(repeats: Bool) throws {
        var plan = SPm20World.Plan()
        plan.isReversed = true
        plan.repeatsRefunds = repeats
        let count = try run(plan).messages
        var open = 0
        for message in 1...count {
            plan.losses = [message]
            let world = try run(plan, "message \(message)")
            if world.record?.state == .needsAttention { open += 1 }
        }
        #expect(repeats ? open == 0 : open <= 2)
    }

    @Test func aProgramThatIsKilledLosesNoMoney() throws {
        let count = try run(SPm20World.Plan()).messages
        var states: Set<AttemptState> = []
        for message in 1...count {
            var plan = SPm20World.Plan()
            plan.killed = message
            if let state = try run(plan, "message \(message)").record?.state { states.insert(state) }
        }
        #expect(states.contains(.reversed) && states.contains(.approved))
    }

    /// The payment is given up while the terminal works on it, and the program is killed after that or before.
    @Test(arguments: [1, 2, 3, 4]) func aProgramThatIsKilledAfterItsTimeWasOverLosesNoMoney(seconds: Int) throws {
        var plan = SPm20World.Plan()
        plan.limit = .milliseconds(500 * seconds)
        let count = try run(plan, "\(seconds)").messages
        for message in 1...count {
            plan.killed = message
            try run(plan, "\(seconds), message \(message)")
        }
        plan.killed = nil
        for message in 1...count {
            plan.losses = [message]
            try run(plan, "\(seconds), link lost at message \(message)")
        }
    }

    @Test(arguments: [true, false]) func aProgramThatIsKilledInAReversalRefundsOnce(repeats: Bool) throws {
        var plan = SPm20World.Plan()
        plan.isReversed = true
        plan.repeatsRefunds = repeats
        let count = try run(plan).messages
        for message in 1...count {
            plan.killed = message
            try run(plan, "message \(message)")
        }
    }

    @Test(arguments: [
        ReaderFault.noAnswer, .refusal, .badCheck, .truncated, .wrongLength, .disconnect, .late, .duplicate, .garbage,
    ])
    func aFaultOfTheTerminalLosesNoMoney(fault: ReaderFault) throws {
        for message in 0..<16 {
            var plan = SPm20World.Plan()
            plan.faults = [PlannedFault(fault, message..<message + 1)]
            try run(plan, "\(fault) in message \(message)")
        }
    }

    // MARK: numbers and names

    /// The MD5 of `A1` is by md5sum.
    @Test func thePaymentsNumbersFollowFromItsIdentifier() {
        let numbers = SPm20Numbers(of: attempt("A1"), refundOffset: 100_000_000)
        #expect(numbers == SPm20Numbers(of: attempt("A1"), refundOffset: 100_000_000))
        #expect(numbers.receipt == 95_995_046)
        #expect(numbers.sequence == 1_287_338_100)
        var seen: Set<SPm20Numbers> = []
        for number in 0..<2000 {
            let numbers = SPm20Numbers(of: attempt("P\(number)"), refundOffset: 1000)
            #expect((1..<1000).contains(numbers.receipt) && (1..<(1 << 31)).contains(numbers.sequence))
            seen.insert(numbers)
        }
        #expect(seen.count == 2000)
        #expect(SPm20Numbers(of: attempt("A1"), refundOffset: 1).receipt == 1)
    }

    @Test func aNoteIsReadAsItWasWritten() {
        var note = SPm20Note()
        #expect(SPm20Note(nil) == note)
        (note.restarts, note.refunds) = (3, 2)
        #expect(SPm20Note(note.text) == note)
    }
}
