import JackdawTestSupport
import Testing

@testable import SwipeController

/// Events and calls in any order: what has to be true of every sequence.
@Suite struct RandomSequenceTests {
    /// What the lines of a log have to keep to.
    private struct Rules {
        var flags: [String: (connected: Bool, activated: Bool, ready: Bool)] = [:]
        var isDetecting = false
        var broken: [String] = []

        mutating func take(_ line: String, _ detected: [ReaderKind: DeviceFlags]?) {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "autodetect":
                if isDetecting { broken.append("a second start") }
                isDetecting = true
            case "autodetected":
                if !isDetecting { broken.append("a result without a start") }
                isDetecting = false
                // Readers without an event so far are as the flags show.
                for reader in ReaderKind.allCases where reader != .iDynamo {
                    let state = detected?[reader] ?? DeviceFlags()
                    flags["\(reader)"] = (state.isConnected, state.isActivated, state.isReadyForSwipe)
                }
            case "warning", "tested": break
            default: take(Array(words.dropFirst()), of: words[0], line)
            }
        }

        private mutating func take(_ words: [String], of reader: String, _ line: String) {
            if isDetecting, reader != "iDynamo" { broken.append("reported while it is detected: \(line)") }
            var state = flags[reader] ?? (false, false, false)
            let isRight: Bool
            switch words[0] {
            case "connected": (isRight, state.connected) = (!state.connected, true)
            case "disconnected":
                (isRight, state.connected) = (state.connected && !state.activated && !state.ready, false)
            case "activation":
                (isRight, state.activated) = (state.connected && !state.activated, words[1] == "success")
            case "deactivated": (isRight, state.activated) = (state.activated && !state.ready, false)
            case "ready": (isRight, state.ready) = (state.activated && !state.ready, true)
            case "unready": (isRight, state.ready) = (state.ready, false)
            case "swiped": isRight = state.ready
            default: isRight = false
            }
            if !isRight { broken.append("out of order: \(line)") }
            flags[reader] = state
        }
    }

    /// A hundred sequences of a thousand steps and more.
    @Test(arguments: 0..<100) func everySequenceKeepsTheRules(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed) + 1)
        var world = MachineWorld(AudioJackReaderType.allCases.randomElement(using: &random) ?? .unimag)
        var rules = Rules()
        var history: [String] = []
        for step in 0..<1_100 {
            let told = world.log.count
            let action = Int.random(in: 0..<28, using: &random)
            history.append("\(action)")
            act(action, on: &world, &random)
            for index in told..<world.log.count { rules.take(world.log[index], world.detected[index]) }
            for (reader, state) in world.told where rules.flags["\(reader)"] != nil && !rules.isDetecting {
                let known = rules.flags["\(reader)"] ?? (false, false, false)
                if known != (state.isConnected, state.isActivated, state.isReadyForSwipe) {
                    rules.broken.append("the flags of \(reader) are others than those of the events")
                }
            }
            guard rules.broken.isEmpty else {
                Issue.record("step \(step): \(rules.broken), after \(history.suffix(12)): \(world.log.suffix(8))")
                return
            }
        }
        // Half of them are shut down as they are: nothing is reported, and nothing is left open.
        guard seed.isMultiple(of: 2) else {
            let count = world.log.count
            world.call(.shutDown)
            for action in 0..<28 { act(action, on: &world, &random) }
            world.linksFail = false
            world.run(.seconds(60))
            #expect(world.log.count == count)
            #expect(world.open.subtracting([.iDynamo]).isEmpty && world.searched == nil)
            return
        }
        // However it went, what is ready waits in truth, it can be ended, and nothing is left open.
        world.answer = false
        world.refusesToWait = false
        // The earlier question is not answered.
        world.receive(.answered(false))
        world.run(.seconds(60))
        #expect(world.machine.detection == nil)
        for (reader, state) in world.told where state.isReadyForSwipe { #expect(world.waiting.contains(reader)) }
        world.linksFail = false
        world.answer = true
        world.detach()
        world.call(.setType(.none, nil))
        world.run(.seconds(60))
        #expect(world.open.subtracting([.iDynamo]).isEmpty)
        let count = world.log.count
        world.call(.shutDown)
        for action in 0..<28 { act(action, on: &world, &random) }
        #expect(world.log.count == count)
    }

    private func act(_ action: Int, on world: inout MachineWorld, _ random: inout SeededRandom) {
        switch action {
        case 0, 1: world.attach(MachineWorld.Thing.allCases.randomElement(using: &random) ?? .uniMag)
        case 2: world.detach()
        case 3: world.call(.beginAutodetect)
        case 4: world.call(.setType(AudioJackReaderType.allCases.randomElement(using: &random) ?? .none, nil))
        case 5: world.call(.powerUp(Bool.random(using: &random)))
        case 6: world.call(.powerDown)
        case 7: world.call(.requestSwipe)
        case 8:
            world.cancelsLate.toggle()
            world.call(.cancelSwipeRequest)
        case 9: world.swipe(.uniMag, isRead: Bool.random(using: &random))
        case 10: world.swipe(.ips, isRead: Bool.random(using: &random))
        case 11: world.swipe(.ipsEnterprise)
        case 12: world.lose(ReaderKind.allCases.randomElement(using: &random) ?? .uniMag)
        case 13: if !world.open.contains(.iDynamo) { world.attachIDynamo() }
        case 14: world.swipe(.iDynamo)
        case 15:
            let (always, prompted) = (Bool.random(using: &random), Bool.random(using: &random))
            world.call(
                .configure {
                    $0.alwaysAcceptSwipe = always
                    $0.options.activateReaderWithoutPromptingUser = !prompted
                })
        case 16: world.answer = [true, false, nil].randomElement(using: &random) ?? true
        case 17: world.linksFail = Int.random(in: 0..<6, using: &random) == 0
        case 18: world.refusesToWait = Int.random(in: 0..<4, using: &random) == 0
        case 19: world.isDeaf = Bool.random(using: &random)
        case 20: world.isHeard = Bool.random(using: &random)
        case 21: world.vanishes = Int.random(in: 0..<4, using: &random) == 0
        case 22: world.call(.test(Bool.random(using: &random) ? .ips : .ipsEnterprise))
        case 23: world.restart()
        case 24: world.run(.seconds(Int.random(in: 1...30, using: &random)))
        default: world.run(.milliseconds(Int.random(in: 0...1_500, using: &random)))
        }
    }
}
