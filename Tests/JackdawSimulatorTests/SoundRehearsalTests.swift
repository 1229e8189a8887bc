import JackdawDSP
import JackdawReaders
import JackdawSimulator
import Testing

/// Audio readers end to end in sound, in the time of the frames.
struct SoundRehearsalTests {
    /// Those on an audio jack, as far as each declares a sound.
    private static let audible = SimulatedFamily.all.filter {
        ReaderFamily.named($0.name)?.carriers.contains(.audio) == true
    }
    /// Those that live on the jack and report swipes.
    static let families = audible.filter { $0.reportsSwipes && $0.makeModel().livesOnJack }.map(\.name)
    /// Those with a battery, in a synthetic sound.
    static let familiesWithABattery = audible.filter { !$0.makeModel().livesOnJack }.map(\.name)
    /// Those that live on the jack and report no swipes.
    static let familiesWithoutSwipes = audible.filter { !$0.reportsSwipes && $0.makeModel().livesOnJack }.map(\.name)
    static let rates = [48_000.0, 44_100]

    /// What a reader is heard through, by name.
    enum Condition: String, CaseIterable {
        case clean, inverted
        case noisy = "20 dB"
        case noisier = "15 dB, inverted"
        case fast = "2 % fast, with hum"
        case slow = "2 % slow, faint"

        var path: AudioPath {
            var path = AudioPath()
            switch self {
            case .clean: break
            case .inverted: path.isInverted = true
            case .noisy: path.signalToNoise = 20
            case .noisier:
                path.signalToNoise = 15
                path.isInverted = true
            case .fast:
                path.clockError = 0.02
                path.humLevel = -20
            case .slow:
                path.clockError = -0.02
                path.level = -40
            }
            return path
        }
    }

    /// The events of a connection, with the same identity as by the reader's bytes.
    private static func connected(_ family: String) -> [String] {
        var rehearsal = Rehearsal(family)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        let events = rehearsal.outcomes(after: 0)
        return familiesWithABattery.contains(family) ? events : ["power connecting", "power connected"] + events
    }

    @Test(arguments: families, rates)
    func aSwipeIsReportedAsItWasPlayed(family: String, sampleRate: Double) throws {
        let card = SimulatedCard.deck[0]
        for condition in Condition.allCases {
            var rehearsal = try SoundRehearsal(family, sampleRate: sampleRate, path: condition.path)
            rehearsal.perform(.connect)
            rehearsal.run(until: .ready)
            rehearsal.perform(.requestSwipe(within: .seconds(5)))
            rehearsal.run(until: .armed)
            rehearsal.present(Presentation(card))
            rehearsal.run(until: .ready)
            #expect(
                rehearsal.log
                    == Self.connected(family) + ["waiting for a card", "swipe: \(family) 411111******1111", "ready"],
                "\(condition.rawValue)")
            let swipes = rehearsal.events.compactMap { if case .swipe(let swipe) = $0 { swipe } else { nil } }
            for number in 1...2 {
                let track = swipes.first?.withPart(.track(number)) { text in
                    String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
                }
                #expect(track == card.tracks[number - 1], "\(condition.rawValue)")
            }
        }
    }

    /// A reader that is woken, and says so, needs no tone: its swipes come out as they went in.
    @Test(arguments: familiesWithABattery, rates)
    func swipesOfAReaderWithABatteryAreReceived(family: String, sampleRate: Double) throws {
        let presentation = Presentation(SimulatedCard.deck[0])
        var model = try #require(SimulatedFamily.named(family)).makeModel()
        var device = SimulatedDevice()
        let frames = model.tell(presentation, &device)
        for condition in Condition.allCases {
            var rehearsal = try SoundRehearsal(family, sampleRate: sampleRate, path: condition.path)
            #expect(rehearsal.hasPower == true)
            rehearsal.perform(.connect)
            #expect(rehearsal.state == .identifying)
            rehearsal.run(until: .ready)
            rehearsal.perform(.requestSwipe(within: .seconds(5)))
            rehearsal.run(until: .armed)
            rehearsal.present(presentation)
            rehearsal.run(until: .ready)
            #expect(
                rehearsal.log
                    == Self.connected(family) + ["waiting for a card", "swipe: \(family) 411111******1111", "ready"],
                "\(condition.rawValue)")
            let swipes = rehearsal.events.compactMap { if case .swipe(let swipe) = $0 { swipe } else { nil } }
            let frame = swipes.first?.withPart(.frame) { bytes in bytes.indices.map { bytes[$0] } }
            #expect(frame == frames.first, "\(condition.rawValue)")
        }
    }

    /// Neither of the two is taken for the other, nor does one hear what wakes the other.
    @Test(arguments: [("ips", "ipsenterprise"), ("ipsenterprise", "ips")], rates)
    func aReaderOfAnotherFamilyIsNotConnected(families: (String, String), sampleRate: Double) throws {
        var rehearsal = try SoundRehearsal(families.0, reader: families.1, sampleRate: sampleRate)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready, .off)
        #expect(rehearsal.state == .off)
        #expect(rehearsal.log.last?.contains("does not answer") == true)
    }

    /// Without its plug a reader with a battery does not answer, and with it it does.
    @Test(arguments: familiesWithABattery) func aReaderWithABatteryIsUnplugged(family: String) throws {
        var rehearsal = try SoundRehearsal(family)
        rehearsal.unplug()
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready, .off)
        #expect(rehearsal.state == .off)
        #expect(rehearsal.hasPower == true)
        rehearsal.unplug(false)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        #expect(rehearsal.log.suffix(2) == Self.connected(family)[...])
    }

    /// The sound of these readers is not published.
    @Test func aSoundThatIsNotKnownIsNotMade() throws {
        for (name, missing) in [
            ("ips", "sound.lineMode"), ("ipsenterprise", "sound.lineMode, sound.carrier, sound.level"),
        ] {
            let family = try #require(ReaderFamily.named(name))
            do throws(ReaderError) {
                _ = try family.makeSound()
                Issue.record("\(name) has a sound")
            } catch {
                #expect(error.code == .missingValue)
                #expect(error.message.hasSuffix(": \(missing)"))
            }
        }
    }

    /// The same in any blocks, but that what has to wait for a block comes up to one later.
    @Test(arguments: families + familiesWithABattery, [1, 7, 240, 4_800])
    func blocksOfAnySizeGiveTheSame(family: String, block: Int) throws {
        var rehearsal = try SoundRehearsal(family, block: block)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(3)))
        rehearsal.run(until: .armed)
        rehearsal.present(Presentation(SimulatedCard.deck[1]))
        rehearsal.run(until: .ready)
        #expect(
            rehearsal.log
                == Self.connected(family) + ["waiting for a card", "swipe: \(family) 555555******4444", "ready"])
    }

    @Test(arguments: families + familiesWithABattery, rates)
    func noCardEndsInTimeAndAWaitIsCancelled(family: String, sampleRate: Double) throws {
        var rehearsal = try SoundRehearsal(family, sampleRate: sampleRate, path: Condition.noisy.path)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(3)))
        rehearsal.run(until: .armed)
        let start = rehearsal.now
        rehearsal.run(until: .ready)
        let waited = rehearsal.now - start
        #expect((.seconds(3) ..< .milliseconds(3100)).contains(waited))
        rehearsal.perform(.requestSwipe(within: .seconds(3)))
        rehearsal.run(until: .armed)
        rehearsal.perform(.cancel)
        rehearsal.run(until: .ready)
        rehearsal.perform(.powerDown)
        rehearsal.run(for: .milliseconds(200))
        #expect(
            rehearsal.log == Self.connected(family) + [
                "waiting for a card", "no card came in time", "ready", "waiting for a card", "cancelled", "ready",
                "power off", "powered down",
            ])
        #expect(rehearsal.hasPower == Self.familiesWithABattery.contains(family))
    }

    @Test(arguments: families + familiesWithABattery + ["flojack"])
    func aReaderThatWasSwitchedOffIsConnectedAgain(family: String) throws {
        var rehearsal = try SoundRehearsal(family)
        for _ in 0..<2 {
            rehearsal.perform(.connect)
            rehearsal.run(until: .ready)
            #expect(rehearsal.hasPower == true)
            rehearsal.perform(.powerDown)
            rehearsal.run(for: .milliseconds(200))
            #expect(rehearsal.state == .off)
        }
        #expect(rehearsal.events.count { if case .connected = $0 { true } else { false } } == 2)
    }

    @Test(arguments: rates)
    func aSettingIsMadeAndReadBack(sampleRate: Double) throws {
        var rehearsal = try SoundRehearsal("unimag", sampleRate: sampleRate, path: Condition.noisy.path)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        // All four tones, and some twice.
        rehearsal.perform(.set(ReaderSetting(0x4B, [0x1B, 0xE4, 0x00, 0xFF])))
        rehearsal.run(until: .ready)
        #expect(rehearsal.device.settings[0x4B] == [0x1B, 0xE4, 0x00, 0xFF])
        rehearsal.perform(.ask(.settings))
        rehearsal.run(until: .ready)
        #expect(
            rehearsal.log.suffix(4) == ["setting 75 was set", "ready", "settings: setting 75 of 4 bytes", "ready"])
    }

    /// Readers that get too little power are silent: the driver reports it after all attempts.
    @Test func aVolumeThatIsTooLowIsReported() throws {
        var rehearsal = try SoundRehearsal("unimag", faults: [PlannedFault(.volumeTooLow)])
        rehearsal.perform(.connect)
        rehearsal.run(for: .seconds(16))
        #expect(rehearsal.hasPower == false)
        #expect(rehearsal.log.count { $0 == "power connecting" } == 5)
        #expect(rehearsal.log.last?.contains("turn the volume up") == true)
        #expect(rehearsal.state == .off)
    }

    /// How much of the volume is needed: half of the level, by the simulated reader's own rule.
    @Test(arguments: [(5.0, true), (7.0, false)])
    func theVolumeDecidesWhetherAReaderWakesUp(attenuation: Double, wakes: Bool) throws {
        var path = AudioPath()
        path.attenuation = attenuation
        for family in Self.families + Self.familiesWithoutSwipes {
            for sampleRate in Self.rates {
                var rehearsal = try SoundRehearsal(family, sampleRate: sampleRate, path: path)
                rehearsal.perform(.connect)
                rehearsal.run(for: .milliseconds(1_900))
                #expect(rehearsal.hasPower == wakes, "\(family) at \(sampleRate) Hz")
            }
        }
    }

    /// A tone of another frequency wakes no reader.
    @Test(arguments: families + familiesWithoutSwipes)
    func anotherToneWakesNoReader(family: String) throws {
        let known = try #require(ReaderFamily.named(family))
        var profile = known.simulatedProfile
        profile[.connectingTone] = ProfileEntry("", .number(6_000), .inferred, "wrong")
        var rehearsal = try SoundRehearsal(family, profile: profile)
        rehearsal.perform(.connect)
        rehearsal.run(for: .milliseconds(1_900))
        #expect(rehearsal.hasPower == false)
    }

    /// The plug is pulled: the driver ends in a state that is known, and goes on where the plug is put back.
    @Test(arguments: [ReaderState.poweringUp, .identifying, .ready, .asking, .armed])
    func powerThatIsLostEndsInADefinedState(state: ReaderState) throws {
        var rehearsal = try SoundRehearsal("unimag")
        if state != .poweringUp {
            rehearsal.perform(.connect)
            rehearsal.run(until: state == .identifying ? .identifying : .ready)
        } else {
            rehearsal.perform(.connect)
        }
        if state == .asking { rehearsal.perform(.ask(.firmware)) }
        if state == .armed {
            rehearsal.perform(.requestSwipe(within: .seconds(3)))
            rehearsal.run(until: .armed)
        }
        #expect(rehearsal.state == state)
        rehearsal.unplug()
        // Until a question was asked as often as it is, or the wait has ended.
        rehearsal.run(for: .seconds(state == .poweringUp ? 15.5 : state == .ready || state == .armed ? 4 : 12.5))
        #expect(rehearsal.hasPower == false)
        switch state {
        case .poweringUp: #expect(rehearsal.state == .off)
        case .identifying: #expect(rehearsal.log.last?.contains("does not answer") == true)
        case .asking: #expect(rehearsal.log.suffix(2).first?.contains("does not answer") == true)
        case .armed: #expect(rehearsal.log.suffix(2) == ["no card came in time", "ready"])
        default: #expect(rehearsal.state == .ready)
        }
        rehearsal.unplug(false)
        if rehearsal.state == .off { rehearsal.perform(.connect) }
        rehearsal.run(for: .seconds(2.5))
        #expect(rehearsal.state == .ready)
    }

    /// What goes wrong with messages on a line of bytes, in sound.
    @Test(
        arguments: families + familiesWithABattery,
        [ReaderFault.noAnswer, .refusal, .badCheck, .truncated, .wrongLength, .garbage]
    )
    func aDamagedMessageDoesNotEndTheConversation(family: String, fault: ReaderFault) throws {
        for message in [0, 2] {
            var rehearsal = try SoundRehearsal(family, faults: [PlannedFault(fault, message..<message + 1)])
            rehearsal.perform(.connect)
            rehearsal.run(until: .ready)
            #expect(rehearsal.state == .ready, "\(fault) of message \(message)")
        }
    }

    @Test(arguments: rates)
    func bytesGoThroughHiJackBothWays(sampleRate: Double) throws {
        for condition in Condition.allCases {
            var rehearsal = try SoundRehearsal("hijack", sampleRate: sampleRate, path: condition.path)
            rehearsal.perform(.connect)
            rehearsal.run(until: .ready)
            let bytes: [UInt8] = [0x00, 0xFF, 0x55, 0xA7, 0x0D]
            rehearsal.perform(.set(ReaderSetting(0, bytes)))
            // A hundred ones before each byte.
            rehearsal.run(for: .seconds(2))
            #expect(rehearsal.toldBytes == bytes, "\(condition.rawValue)")
        }
    }

    @Test(arguments: rates)
    func floJackReportsATag(sampleRate: Double) throws {
        for condition in Condition.allCases {
            var rehearsal = try SoundRehearsal("flojack", sampleRate: sampleRate, path: condition.path)
            rehearsal.perform(.connect)
            rehearsal.run(until: .ready)
            rehearsal.perform(.requestSwipe(within: .seconds(3)))
            rehearsal.run(for: .milliseconds(500))
            #expect(rehearsal.device.isArmed == true, "\(condition.rawValue)")
            rehearsal.present(Presentation(SimulatedCard.deck[0]))
            rehearsal.run(for: .seconds(4))
            #expect(rehearsal.device.isArmed == false, "\(condition.rawValue)")
            #expect(rehearsal.toldBytes == [0x04, 0xA1, 0xB2, 0xC3], "\(condition.rawValue)")
            #expect(
                rehearsal.log == [
                    "power connecting", "power connected",
                    "connected: flojack, model hardware 01 00, firmware 01 00", "ready", "waiting for a card",
                    "card: tapped", "4 bytes", "no card came in time", "ready",
                ], "\(condition.rawValue)")
        }
    }

    /// Noise alone is no message: a minute of it, at the level of a reader's signal.
    @Test(arguments: families + familiesWithABattery + familiesWithoutSwipes)
    func noiseAloneIsNoEvent(family: String) throws {
        let known = try #require(ReaderFamily.named(family))
        let sound = try #require(try known.makeSound(known.simulatedProfile))
        var demodulator = try ReaderDemodulator(sound, sampleRate: 48_000)
        var noise = GaussianNoise(seed: 7)
        var messages = 0
        for _ in 0..<600 {
            let block = (0..<4_800).map { _ in Float(0.1 * noise.next()) }
            demodulator.receive(block.span) { _ in messages += 1 }
        }
        #expect(messages == 0)
    }
}

extension SoundRehearsal {
    /// All bytes that were reported unchanged.
    var toldBytes: [UInt8] {
        events.flatMap { event -> [UInt8] in
            guard case .reported(.bytes(let bytes)) = event else { return [] }
            return bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }
    }
}
