import JackdawReaders
import JackdawSimulator
import Testing

/// Each family's driver against its simulated reader, in virtual time.
struct RehearsalTests {
    /// Those that report swipes.
    static let families = SimulatedFamily.all.filter(\.reportsSwipes).map(\.name)
    /// Those of them whose links carry bytes; the others have their sessions in sound.
    static let familiesOfBytes = families.filter { ReaderFamily.named($0)?.carriers != [.audio] }

    @Test func everyFamilyIsSimulated() {
        #expect(ReaderFamily.all.map(\.name) == SimulatedFamily.all.map(\.name))
        #expect(ReaderFamily.all.map(\.name) == ReaderFamily.all.map(\.name).sorted())
        // A name has one meaning.
        #expect(Set(SimulatedFamily.names).count == SimulatedFamily.names.count)
        #expect(SimulatedFamily.names.allSatisfy { SimulatedFamily.named($0) != nil })
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
                "20 connected: miura, serial number M0000001, firmware JACKDAW-SIMULATED 1.00, "
                    + "firmware JACKDAW-OS 1.00, battery 80 %",
                "20 ready",
                "30 waiting for a card", "2030 swipe: miura 411111******1111", "2030 ready",
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
        guard rehearsal.reach(state) else { return #expect(Self.passes(state, family)) }
        let before = rehearsal.events.count
        rehearsal.lose()
        rehearsal.run(for: .seconds(60))
        #expect(rehearsal.state == .lost)
        let after = rehearsal.outcomes(after: before)
        #expect(state == .lost ? after == [] : after == ["lost: sim:test: it has gone"])
        for command in [ReaderCommand.connect, .cancel, .powerDown, .requestSwipe(within: .seconds(5))] {
            let count = rehearsal.events.count
            rehearsal.perform(command)
            #expect(rehearsal.failures(after: count) == [.lost])
        }
    }

    /// Whatever goes wrong with one message: what was wanted ends once, in a state that is known; and where the link is
    /// still there, all is well afterwards.
    @Test(arguments: families, ReaderFault.allCases)
    func everyFaultEndsInADefinedState(family: String, fault: ReaderFault) {
        for message in 0..<6 {
            let deck = [Presentation(SimulatedCard.deck[0], after: .seconds(6)), Presentation(SimulatedCard.deck[1])]
            var rehearsal = Rehearsal(family, deck: deck, faults: [PlannedFault(fault, message..<message + 1)])
            rehearsal.perform(.connect)
            rehearsal.run(until: .ready, .off, .lost)
            #expect([.ready, .lost].contains(rehearsal.state), "\(fault) of message \(message): \(rehearsal.log)")
            rehearsal.perform(.requestSwipe(within: .seconds(10)))
            rehearsal.run(for: .seconds(120))
            #expect([.ready, .lost].contains(rehearsal.state), "\(fault) of message \(message): \(rehearsal.log)")
            if rehearsal.state == .lost {
                #expect(fault == .disconnect)
                #expect(
                    rehearsal.failures(after: 0).last == .lost
                        || rehearsal.outcomes(after: 0).last?.hasPrefix("lost") == true)
                continue
            }
            let swipes = rehearsal.swipes
            #expect(Set(swipes).count == swipes.count || fault == .duplicate, "\(rehearsal.log)")
            // One end of the wait, whatever came before it.
            let ends = rehearsal.endsOfWait
            #expect(ends == 1, "\(fault) of message \(message): \(rehearsal.log)")
            let before = rehearsal.events.count
            rehearsal.perform(.requestSwipe(within: .seconds(3)))
            rehearsal.run(for: .seconds(60))
            guard rehearsal.state != .lost else { continue }
            #expect(rehearsal.state == .ready, "\(fault) of message \(message): \(rehearsal.log)")
            #expect(rehearsal.outcomes(after: before).contains { $0 == "ready" })
        }
    }

    /// A fault that passes leaves the reader with its own name.
    @Test(arguments: families, ReaderFault.allCases.filter { $0 != .disconnect && $0 != .badCheck })
    func aReaderIsKnownInSpiteOfAFault(family: String, fault: ReaderFault) {
        func identity(_ faults: [PlannedFault]) -> String? {
            var rehearsal = Rehearsal(family, faults: faults)
            rehearsal.perform(.connect)
            rehearsal.run(until: .ready, .off)
            return rehearsal.outcomes(after: 0).first { $0.hasPrefix("connected") }
        }
        let usual = identity([])
        let found = identity([PlannedFault(fault, 0..<1)])
        guard SimulatedFamily.named(family)?.identityFaults.contains(fault) != true else {
            return #expect(found != usual && found != nil)
        }
        #expect(found == usual, "\(found ?? "not connected")")
    }

    /// Whether nothing takes time in a state: the family says nothing there that is answered.
    private static func passes(_ state: ReaderState, _ name: String) -> Bool {
        guard let family = ReaderFamily.named(name), let dialect = try? family.makeDialect(family.simulatedProfile)
        else {
            return false
        }
        let requests: [ReaderRequest]? =
            switch state {
            case .poweringUp: dialect.hasPowerUp ? nil : []
            case .identifying: dialect.identification
            case .asking: (try? dialect.asking(.firmware)) ?? []
            case .arming: try? dialect.arming(for: .seconds(20))
            case .disarming: dialect.disarming(after: .cancelled)
            case .poweringDown: dialect.poweringDown
            case .off, .ready, .armed, .lost: nil
            }
        return requests?.allSatisfy { !$0.isAnswered } ?? false
    }

    @Test(
        arguments: familiesOfBytes.filter { SimulatedFamily.named($0)?.storesSettings == true },
        [ReaderFault.noAnswer, .garbage, .truncated, .late, .duplicate]
    )
    func aSettingIsMadeInSpiteOfAFault(family: String, fault: ReaderFault) throws {
        let known = try #require(ReaderFamily.named(family))
        // A message answers each request for the reader's identity.
        let first = try known.makeDialect(known.simulatedProfile).identification.filter(\.isAnswered).count
        var rehearsal = Rehearsal(family, faults: [PlannedFault(fault, first..<first + 1)])
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        let before = rehearsal.events.count
        rehearsal.perform(.set(ReaderSetting(0x21, [0x31])))
        rehearsal.run(for: .seconds(20))
        let outcomes = rehearsal.outcomes(after: before).filter { !$0.hasPrefix("dropped") }
        #expect(outcomes == ["setting 33 was set", "ready"])
        #expect(rehearsal.device.settings[0x21] == [0x31])
    }

    @Test(arguments: families)
    func aReaderThatNeverAnswersTimesOut(family: String) throws {
        let known = try #require(ReaderFamily.named(family))
        let dialect = try known.makeDialect(known.simulatedProfile)
        let (times, requests) = (dialect.times, dialect.identification)
        var rehearsal = Rehearsal(family, faults: [PlannedFault(.noAnswer)])
        rehearsal.perform(.connect)
        rehearsal.run(for: .seconds(120))
        // It is asked nothing.
        guard dialect.hasPowerUp || requests.contains(where: \.isAnswered) else {
            return #expect(rehearsal.state == .ready)
        }
        #expect(rehearsal.state == .off)
        #expect(rehearsal.failures(after: 0).last == .noAnswer)
        let unanswered = requests.prefix { !$0.isAnswered }.count
        #expect(rehearsal.sent.count == (dialect.hasPowerUp ? 0 : unanswered + times.answerTries))
        // Both times include the half second of silence before the reader gets power.
        let power = dialect.hasPowerUp ? times.powerUp * times.powerUpTries : dialect.waking ?? .zero
        let end = Int((dialect.hasPowerUp ? power : power + times.answer * times.answerTries) / .milliseconds(1))
        #expect(rehearsal.log.last?.hasPrefix("\(end) failed: ") == true)
        guard !dialect.hasPowerUp, dialect.waking == nil else { return }
        #expect(rehearsal.log.count == 2)
        #expect(rehearsal.log.first == "\(end) power off")
    }

    /// A profile that awaits no answer to being woken, as IPS's own one, has a reader that gives none.
    @Test func aReaderIsWokenWithoutAnAnswer() throws {
        let family = try #require(ReaderFamily.named("ips"))
        let simulated = try #require(SimulatedFamily.named("ips"))
        var model = try simulated.makeModel(family.profile)
        var device = SimulatedDevice()
        let wake: [UInt8] = [0x0C]
        #expect(model.answer(wake.span, &device) == [])
        var answering = simulated.makeModel()
        #expect(answering.answer(wake.span, &device) == [[0x0C, 0x4D, 1, 2]])
    }

    /// A reader has its fields where the profile has them.
    @Test func aReaderSendsSwipesAsItsProfileHasThem() throws {
        let family = try #require(ReaderFamily.named("ipsenterprise"))
        var profile = family.simulatedProfile
        for (key, value) in [
            ("ips.size", ProfileValue.number(140)), ("ips.issuerAt", .number(130)), ("ips.nameLength", .number(4)),
            ("ips.swipe", .bytes([0x61])), ("ips.wakeAnswerSize", .number(7)), ("ips.wake", .bytes([1, 2])),
        ] {
            profile[ProfileKey(rawValue: key)] = ProfileEntry("", value, .reported, "a test")
        }
        var model = try #require(SimulatedFamily.named("ipsenterprise")).makeModel(profile)
        var dialect = try family.makeDialect(profile)
        var device = SimulatedDevice()
        let frame = try #require(model.tell(Presentation(SimulatedCard.deck[0]), &device).first)
        #expect(frame.count == 140)
        #expect(
            dialect.understand(frame.span, answering: nil).map { "\($0)" }.first?.contains("411111******1111") == true)
        let request = try #require(dialect.identification.first)
        try model.commandFormat.check(request.bytes)
        let answer = try #require(model.answer(request.bytes.span, &device).first)
        #expect(answer == [1, 0x45, 1, 2, 0, 0, 0])
        try dialect.format(awaiting: request).check(answer)
    }

    @Test func everyCardIsRead() {
        // Some read cards while they are still being connected.
        let deck = SimulatedCard.deck.map { Presentation($0, after: .seconds(3)) }
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

    /// The code of each event that is a failure, nil for each other event.
    func failures(after count: Int) -> [ReaderError.Code?] {
        events.dropFirst(count).map { if case .failed(let error) = $0 { error.code } else { nil } }
    }

    var swipes: [String] { events.compactMap { if case .swipe(let swipe) = $0 { swipe.maskedNumber } else { nil } } }

    /// How many waits for a card have ended: by a card, in time, by the program, or as they could not begin.
    var endsOfWait: Int {
        var ends = 0
        var (isWanted, hasBegun) = (false, false)
        for event in events {
            switch event {
            case .waitingForCard: (isWanted, hasBegun) = (true, true)
            case .swipe where isWanted, .timedOut, .cancelled:
                ends += 1
                isWanted = false
            case .failed where !hasBegun: ends += 1
            default: break
            }
        }
        return ends
    }

    /// Brings the driver into a state.
    /// - Returns: false where a reader of this family is never in it for a time.
    mutating func reach(_ state: ReaderState) -> Bool {
        if state == .off { return true }
        perform(.connect)
        if state == .poweringUp { return self.state == state }
        if state == .identifying {
            if self.state == .poweringUp { run(until: .identifying, .ready) }
            return self.state == state
        }
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
