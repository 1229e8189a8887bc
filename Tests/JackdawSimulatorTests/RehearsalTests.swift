import JackdawReaders
import JackdawSimulator
import Testing

/// Each family's driver against its simulated reader, in virtual time.
struct RehearsalTests {
    /// Those that hand out swipes; SPm20 takes payments only.
    static let families = SimulatedFamily.all.map(\.name).filter { $0 != "jsonpos" }

    @Test func everyFamilyIsSimulated() {
        #expect(ReaderFamily.all.map(\.name) == SimulatedFamily.all.map(\.name))
        #expect(ReaderFamily.all.map(\.name) == ReaderFamily.all.map(\.name).sorted())
    }

    @Test(arguments: [1, 7, 240, Int.max])
    func aMiuraReaderConnectsWaitsAndReads(step: Int) {
        var rehearsal = Rehearsal("miura", deck: [Presentation(SimulatedCard.deck[0], after: .seconds(2))], step: step)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(20)))
        rehearsal.run(for: .seconds(30))
        #expect(
            rehearsal.log == [
                "20 connected: miura, firmware JACKDAW-SIMULATED 1.00, battery 80 %", "20 ready",
                "30 waiting for a card", "2030 swipe: miura 411111******1111", "2040 ready",
            ])
    }

    @Test(arguments: families, [1, 7, 240, Int.max])
    func aSwipeIsRead(family: String, step: Int) {
        // Where the link keeps packets apart it does not cut them.
        guard step == .max || ReaderFamily.named(family)?.needsPackets == false else { return }
        var rehearsal = Rehearsal(family, deck: [Presentation(SimulatedCard.deck[0], after: .seconds(5))], step: step)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(20)))
        rehearsal.run(for: .seconds(30))
        let swipes = rehearsal.events.compactMap { if case .swipe(let swipe) = $0 { swipe } else { nil } }
        #expect(swipes.map(\.maskedNumber) == ["411111******1111"])
        #expect(rehearsal.state == .ready)
        let dropped = rehearsal.log.filter { $0.contains("dropped") }
        #expect(dropped == [])
    }

    @Test(arguments: families)
    func noCardEndsInTime(family: String) {
        var rehearsal = Rehearsal(family)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        let start = rehearsal.now
        rehearsal.perform(.requestSwipe(within: .seconds(3)))
        rehearsal.run(until: .armed)
        rehearsal.run(until: .ready)
        #expect(rehearsal.outcomes(after: 2) == ["waiting for a card", "no card came in time", "ready"])
        #expect(rehearsal.now - start >= .seconds(3))
        #expect(rehearsal.now - start < .milliseconds(3100))
    }

    @Test(arguments: families)
    func aWaitIsCancelled(family: String) {
        var rehearsal = Rehearsal(family, deck: [Presentation(SimulatedCard.deck[0], after: .seconds(10))])
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(20)))
        rehearsal.run(until: .armed)
        rehearsal.perform(.cancel)
        rehearsal.run(until: .ready)
        #expect(rehearsal.outcomes(after: 2) == ["waiting for a card", "cancelled", "ready"])
    }

    @Test(arguments: families)
    func aWaitThatHasNotBegunIsCancelled(family: String) {
        var rehearsal = Rehearsal(family)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(20)))
        rehearsal.perform(.cancel)
        rehearsal.run(until: .ready)
        let outcomes = rehearsal.outcomes(after: 2).filter { $0 != "waiting for a card" }
        #expect(outcomes == ["cancelled", "ready"])
    }

    @Test(arguments: families)
    func poweringDownEndsEverything(family: String) {
        var rehearsal = Rehearsal(family)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(20)))
        rehearsal.run(until: .armed)
        rehearsal.perform(.powerDown)
        rehearsal.run(for: .seconds(60))
        #expect(rehearsal.state == .off)
        #expect(rehearsal.outcomes(after: 2).last == "powered down")
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        #expect(rehearsal.state == .ready)
    }

    @Test(arguments: families, ReaderState.allCases)
    func aLinkThatIsLostEndsItInEachState(family: String, state: ReaderState) {
        var rehearsal = Rehearsal(family)
        guard rehearsal.reach(state) else { return }
        let before = rehearsal.events.count
        rehearsal.lose()
        rehearsal.run(for: .seconds(60))
        #expect(rehearsal.state == .lost)
        let after = rehearsal.outcomes(after: before)
        #expect(state == .lost ? after == [] : after == ["lost: sim:test: it has gone"])
        for command in [ReaderCommand.connect, .cancel, .powerDown, .requestSwipe(within: .seconds(5))] {
            let count = rehearsal.events.count
            rehearsal.perform(command)
            #expect(rehearsal.outcomes(after: count) == ["failed: the link to the reader has gone"])
        }
    }

    /// Whatever goes wrong with whichever message: it ends, in a state that is known, and what is wanted then is done.
    @Test(arguments: families, ReaderFault.allCases)
    func everyFaultEndsInADefinedState(family: String, fault: ReaderFault) {
        for message in 0..<6 {
            var rehearsal = Rehearsal(
                family, deck: [Presentation(SimulatedCard.deck[0], after: .seconds(6)), Presentation(SimulatedCard.deck[1])],
                faults: [PlannedFault(fault, message..<message + 1)])
            rehearsal.perform(.connect)
            rehearsal.run(until: .ready, .off, .lost)
            rehearsal.perform(.requestSwipe(within: .seconds(10)))
            rehearsal.run(for: .seconds(120))
            let states: [ReaderState] = fault == .disconnect ? [.lost, .ready] : [.ready, .off]
            #expect(states.contains(rehearsal.state), "\(fault) of message \(message): \(rehearsal.log)")
            #expect(rehearsal.outcomesOfWait <= 1, "\(fault) of message \(message): \(rehearsal.log)")
            guard rehearsal.state == .ready else { continue }
            rehearsal.perform(.requestSwipe(within: .seconds(3)))
            rehearsal.run(for: .seconds(60))
            #expect(states.contains(rehearsal.state), "\(fault) of message \(message): \(rehearsal.log)")
            #expect(rehearsal.state == .ready || fault == .disconnect)
        }
    }

    @Test(arguments: families)
    func aReaderThatNeverAnswersIsGivenUp(family: String) {
        var rehearsal = Rehearsal(family, faults: [PlannedFault(.noAnswer)])
        rehearsal.perform(.connect)
        rehearsal.run(for: .seconds(120))
        let asked = rehearsal.sent.count
        // These are asked nothing.
        guard !["edynamo", "ips"].contains(family) else { return #expect(rehearsal.state == .ready) }
        #expect(rehearsal.state == .off)
        #expect(asked == 3)
        #expect(rehearsal.log.count == 2)
        #expect(rehearsal.log.first == "12000 power off")
        #expect(rehearsal.log.last?.hasPrefix("12000 failed: the reader does not answer") == true)
    }

    @Test func everyCardIsRead() {
        let deck = SimulatedCard.deck.map { Presentation($0) }
        for family in Self.families {
            var rehearsal = Rehearsal(family, deck: deck)
            rehearsal.perform(.connect)
            rehearsal.run(until: .ready)
            for _ in deck {
                rehearsal.perform(.requestSwipe(within: .seconds(20)))
                rehearsal.run(until: .armed)
                rehearsal.run(until: .ready)
            }
            let swipes = rehearsal.events.count { if case .swipe = $0 { true } else { false } }
            #expect(swipes == deck.count, "\(family): \(rehearsal.log)")
        }
    }
}

extension Rehearsal {
    /// The events after so many, without their times.
    func outcomes(after count: Int) -> [String] { events.dropFirst(count).map { "\($0)" } }

    /// How many ends of waits for a card were told.
    var outcomesOfWait: Int {
        events.count {
            switch $0 {
            case .timedOut, .cancelled: true
            default: false
            }
        }
    }

    /// Brings the driver into a state.
    /// - Returns: false where a reader of this family is never in it for a time.
    mutating func reach(_ state: ReaderState) -> Bool {
        if state == .off { return true }
        perform(.connect)
        if [.poweringUp, .identifying].contains(state) { return self.state == state }
        run(until: .ready)
        switch state {
        case .asking: perform(.ask(.firmware))
        case .arming: perform(.requestSwipe(within: .seconds(20)))
        case .armed, .disarming:
            perform(.requestSwipe(within: .seconds(20)))
            run(until: .armed)
            if state == .disarming { perform(.cancel) }
        case .poweringDown: perform(.powerDown)
        case .lost: lose()
        case .off, .poweringUp, .identifying, .ready: break
        }
        return self.state == state
    }
}
