import Glibc
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport
import JackdawSystem

/// From the results of the system calls to the events of a card's jacks, on a clock of the test.
@Suite struct JackMonitorTests {
    private let waiting = ScriptedWaiting()
    private let card = ScriptedDevice(
        11, [(.jack(1, "Mic Jack"), false), (.jack(2, "Headphone Jack"), true), (.jack(3, "Mic Phantom Jack"), true)])
    private let input = ScriptedDevice(12)

    init() {
        let devices = [card, input]
        waiting.answer { number in devices.first { $0.descriptor == number }?.answer ?? .invalid }
    }

    private func cardMonitor() throws -> JackMonitor {
        JackMonitor(link: "hw:0", sources: [try ElementJacks(card)], waiting: waiting)
    }

    private func inputMonitor() throws -> JackMonitor {
        JackMonitor(link: "hw:0", sources: [try SwitchJacks(.headset, input)], waiting: waiting)
    }

    // MARK: Control elements

    @Test func theStateAtTheStartIsKnown() throws {
        let monitor = try cardMonitor()
        #expect(monitor.states.map(\.jack.name) == ["Mic", "Headphone"])
        #expect(monitor.states.map(\.isPlugged) == [false, true])
        #expect(monitor.descriptors.map(\.number) == [11])
        #expect(try monitor.story(within: .seconds(5)).isEmpty)
        #expect(waiting.now() == 5_000_000_000)
    }

    @Test func plugsComeAndGo() throws {
        let monitor = try cardMonitor()
        waiting.at(200) { [card] in card.turn(1, true) }
        waiting.at(250) { [card] in card.turn(2, false) }
        waiting.at(900) { [card] in card.turn(1, false) }
        #expect(try monitor.story(within: .seconds(2)) == ["+Mic@200", "-Headphone@250", "-Mic@900"])
        #expect(monitor.states.map(\.isPlugged) == [false, false])
    }

    /// Elements that are looked at before events are subscribed to could change in between for good.
    @Test func eventsAreSubscribedToBeforeTheFirstLook() throws {
        _ = try cardMonitor()
        let subscription = try #require(card.calls.firstIndex(of: .subscribe))
        #expect(try #require(card.calls.firstIndex(of: .isOn)) > subscription)
    }

    @Test func bouncesAreOnePlug() throws {
        let monitor = try cardMonitor()
        for time in stride(from: Int64(100), through: 180, by: 10) {
            waiting.at(time) { [card] in card.turn(1, time / 10 % 2 == 0) }
        }
        #expect(try monitor.story(within: .seconds(1)) == ["+Mic@180"])
    }

    @Test func otherEventsAreNothing() throws {
        let monitor = try cardMonitor()
        waiting.at(100) { [card] in
            card.controlEvents = [.success(nil), .success(.changed(3)), .success(.changed(99)), .success(.removed(99))]
        }
        #expect(try monitor.story(within: .seconds(1)).isEmpty)
    }

    @Test func aRemovedElementTakesItsPlugAlong() throws {
        let monitor = try cardMonitor()
        waiting.at(100) { [card] in card.controlEvents.append(.success(.removed(2))) }
        #expect(try monitor.story(within: .seconds(1)) == ["-Headphone@100"])
        #expect(monitor.states.map(\.jack.name) == ["Mic"])
    }

    /// The value is gone before the event that says so is read.
    @Test func anElementThatVanishesAsItChangesIsNoFailure() throws {
        let monitor = try cardMonitor()
        waiting.at(100) { [card] in
            card.contents.removeAll { $0.element.number == 1 }
            card.controlEvents = [.success(.changed(1)), .success(.removed(1))]
        }
        #expect(try monitor.story(within: .seconds(1)).isEmpty)
        #expect(monitor.states.map(\.jack.name) == ["Headphone"])
    }

    @Test func theLastElementGoesWithTheCard() throws {
        let monitor = try cardMonitor()
        waiting.at(100) { [card] in card.controlEvents = [.success(.removed(1)), .success(.removed(2))] }
        #expect(try monitor.story(within: .seconds(1)) == ["gone"])
    }

    @Test func aCardWithoutJacksIsLeftAlone() throws {
        card.contents.removeAll { $0.element.jack != nil }
        let source = try ElementJacks(card)
        #expect(source.initialStates.isEmpty)
        #expect(!card.calls.contains(.subscribe))
    }

    /// Removed between the list and the look at it.
    @Test func anElementThatIsNotThereAnyMoreIsLeftOut() throws {
        card.failures[.element] = ENOENT
        #expect(try ElementJacks(card).initialStates.isEmpty)
        card.failures = [.isOn: ENOENT]
        #expect(try ElementJacks(card).initialStates.isEmpty)
    }

    private static let openingCalls: [JackCall] = [.elements, .element, .isOn, .subscribe, .descriptors]

    @Test(arguments: openingCalls) func callsThatFailAtTheStartThrow(call: JackCall) {
        card.failures[call] = EIO
        #expect(throws: SystemFailure(code: EIO)) { try ElementJacks(card) }
    }

    // MARK: Input switches

    @Test func switchesComeAndGo() throws {
        input.on = [2]
        let monitor = try inputMonitor()
        #expect(monitor.states.map(\.isPlugged) == [true, false])
        #expect(monitor.states.map(\.jack.kind) == [.headphone, .microphone])
        waiting.at(100) { [input] in input.flip(4, true) }
        waiting.at(500) { [input] in input.flip(2, false) }
        // A key of the headset, and a switch of the lid.
        waiting.at(600) { [input] in
            input.inputEvents.append(
                .success([InputEvent(type: 1, code: 4, value: 0), InputEvent(type: 5, code: 0, value: 1)]))
        }
        let story = ["+Headset Jack (microphone)@100", "-Headset Jack (headphone)@500"]
        #expect(try monitor.story(within: .seconds(1)) == story)
    }

    /// The kernel dropped events: what is left of the report is not to be trusted, the switches are looked at again.
    @Test func droppedEventsLeadToASecondLook() throws {
        let monitor = try inputMonitor()
        waiting.at(100) { [input] in
            input.on = [4]
            input.inputEvents.append(
                .success([InputEvent(type: 0, code: 3, value: 0), InputEvent(type: 5, code: 2, value: 1)]))
            input.inputEvents.append(.success([InputEvent(type: 0, code: 0, value: 0)]))
        }
        #expect(try monitor.story(within: .seconds(1)) == ["+Headset Jack (microphone)@100"])
        #expect(input.calls.count { $0 == .switchesOn } == 2)
        waiting.at(1200) { [input] in input.flip(2, true) }
        #expect(try monitor.story(within: .seconds(1)) == ["+Headset Jack (headphone)@1200"])
        #expect(input.calls.count { $0 == .switchesOn } == 2)
    }

    @Test func theEndOfAnInputDeviceIsItsGoing() throws {
        let monitor = try inputMonitor()
        waiting.at(100) { [input] in input.inputEvents.append(.success([])) }
        #expect(try monitor.story(within: .seconds(1)) == ["gone"])
    }

    @Test func switchesThatCannotBeReadAtTheStartThrow() {
        input.failures[.switchesOn] = ENOTTY
        #expect(throws: SystemFailure(code: ENOTTY)) { try SwitchJacks(.headset, input) }
    }

    /// A card may have an input device a jack.
    @Test func eachInputDeviceGoesByItself() throws {
        let other = ScriptedDevice(13)
        other.on = [4]
        let devices = [input, other]
        waiting.answer { number in devices.first { $0.descriptor == number }?.answer ?? .invalid }
        let microphone = InputDevice(name: "PCH Mic", card: 0, file: "/dev/input/event8", switches: [4])
        let sources = [try SwitchJacks(.headset, input), try SwitchJacks(microphone, other)]
        let monitor = JackMonitor(link: "hw:0", sources: sources, waiting: waiting)
        waiting.at(100) { other.condition = .hungUp }
        waiting.at(200) { [input] in input.flip(2, true) }
        waiting.at(500) { [input] in input.condition = .failed }
        let story = ["-PCH Mic@100", "+Headset Jack (headphone)@200", "gone"]
        #expect(try monitor.story(within: .seconds(1)) == story)
    }

    // MARK: What fails

    @Test(arguments: [PollDescriptor.Conditions.failed, .hungUp, .invalid, [.readable, .hungUp]])
    func aCardThatDisappearsIsReportedOnce(condition: PollDescriptor.Conditions) throws {
        for monitor in [try cardMonitor(), try inputMonitor()] {
            (card.condition, input.condition) = ([], [])
            waiting.at(waiting.now() / 1_000_000 + 100) { [card, input] in
                (card.condition, input.condition) = (condition, condition)
            }
            #expect(try monitor.story(within: .seconds(1)) == ["gone"])
            #expect(monitor.descriptors.isEmpty)
            #expect(monitor.nextDeadline == nil)
            let waits = waiting.waits
            let error = #expect(throws: LinkError.self) { try monitor.story(within: .seconds(1)) }
            #expect(error?.code == .disconnected)
            #expect(waiting.waits == waits, "a device that has gone answers at once for ever")
        }
    }

    @Test(arguments: [JackCall.condition, .nextEvent, .isOn, .events, .switchesOn])
    func eachCallReportsADisconnectedCard(call: JackCall) throws {
        let isControl = call != .events && call != .switchesOn
        let monitor = try isControl ? cardMonitor() : inputMonitor()
        waiting.at(100) { [card, input] in
            card.failures[call] = ENODEV
            input.failures[call] = ENODEV
            card.turn(1, true)
            input.inputEvents.append(.success([3, 0].map { InputEvent(type: 0, code: $0, value: 0) }))
        }
        #expect(try monitor.story(within: .seconds(1)) == ["gone"])
    }

    @Test(arguments: [JackCall.condition, .nextEvent, .isOn, .events, .switchesOn])
    func eachCallThatFailsOtherwiseIsAnError(call: JackCall) throws {
        let isControl = call != .events && call != .switchesOn
        let monitor = try isControl ? cardMonitor() : inputMonitor()
        waiting.at(100) { [card, input] in
            card.failures[call] = EIO
            input.failures[call] = EIO
            card.turn(1, true)
            input.inputEvents.append(.success([3, 0].map { InputEvent(type: 0, code: $0, value: 0) }))
        }
        let error = #expect(throws: LinkError.self) { try monitor.story(within: .seconds(1)) }
        #expect(error?.code == .system)
        #expect(error?.underlying == "Input/output error")
    }

    @Test func aWaitThatFailsIsAnError() throws {
        let monitor = try cardMonitor()
        waiting.fail(ENOMEM)
        let error = #expect(throws: LinkError.self) { try monitor.story(within: .seconds(1)) }
        #expect(error?.code == .system)
    }

    /// So that the waiting thread can check whether the user wants to stop.
    @Test func aSignalEndsTheWait() throws {
        let monitor = try cardMonitor()
        waiting.fail(EINTR)
        #expect(try monitor.story(within: .seconds(1)).isEmpty)
        #expect(waiting.now() == 0)
        waiting.at(100) { [card] in card.turn(1, true) }
        #expect(try monitor.story(within: .seconds(1)) == ["+Mic@100"])
    }

    /// Woken for nothing, or interrupted by a signal between two events: nothing is lost.
    @Test(arguments: [EAGAIN, EINTR]) func spuriousWakeUpsAreNothing(code: Int32) throws {
        let monitor = try cardMonitor()
        waiting.at(100) { [card] in
            card.controlEvents.append(.failure(SystemFailure(code: code)))
            card.turn(1, true)
        }
        #expect(try monitor.story(within: .seconds(1)) == ["+Mic@100"])
        let inputs = try inputMonitor()
        waiting.at(waiting.now() / 1_000_000 + 100) { [input] in
            input.inputEvents.append(.failure(SystemFailure(code: code)))
            input.flip(4, true)
        }
        #expect(try inputs.story(within: .seconds(1)).count == 1)
    }

    /// A source that never stops talking does not keep the others from being heard.
    @Test func aRestlessCardIsReadInTurns() throws {
        let monitor = try cardMonitor()
        card.controlEvents = Array(repeating: .success(nil), count: 10_000)
        card.turn(1, true)
        let story = try monitor.story(within: .seconds(1))
        #expect(story.count == 1)
        #expect(waiting.waits > 30)
    }

    /// Without an end of the wait, and with one that is over before it begins.
    @Test func anyTimeoutWillDo() throws {
        let monitor = try cardMonitor()
        #expect(try monitor.story(within: .seconds(-1)).isEmpty)
        #expect(try monitor.story(within: .zero).isEmpty)
        #expect(waiting.now() == 0)
        waiting.at(100_000_000) { [card] in card.turn(1, true) }
        #expect(try monitor.receive(within: .seconds(Int64.max), { _ in }))
    }

    /// The system waits whole milliseconds: rounded down, the rest of a wait would be a loop that does not wait.
    @Test func partsOfAMillisecondAreRoundedUp() throws {
        let monitor = try cardMonitor()
        #expect(try monitor.story(within: .microseconds(1500)).isEmpty)
        #expect(waiting.waits == 1)
        #expect(waiting.now() == 2_000_000)
        JackMonitor.wait(for: [monitor], within: .microseconds(1))
        #expect(waiting.now() == 3_000_000)
    }

    /// The times of the events depend on when the plug moved, not on how often the program polled.
    @Test(arguments: [1, 7, 100, 1000]) func theLengthOfTheWaitsDoesNotMatter(milliseconds: Int) throws {
        let monitor = try cardMonitor()
        waiting.at(200) { [card] in card.turn(1, true) }
        waiting.at(250) { [card] in card.turn(2, false) }
        waiting.at(280) { [card] in card.turn(2, true) }
        waiting.at(900) { [card] in card.turn(1, false) }
        var story: [String] = []
        while waiting.now() < 2_000_000_000 { story += try monitor.story(within: .milliseconds(milliseconds)) }
        #expect(story == ["+Mic@200", "-Mic@900"])
    }
}
