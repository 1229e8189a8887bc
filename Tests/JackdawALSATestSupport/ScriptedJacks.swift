import Glibc
import Synchronization

@testable import JackdawALSA
import JackdawSystem

/// A clock that advances only while a task waits, and the events on the way.
final class ScriptedWaiting: Waiting {
    private struct Step {
        let time: Int64
        let happen: @Sendable () -> Void
    }

    private struct State {
        var now: Int64 = 0
        var steps: [Step] = []
        var failures: [Int32] = []
        var waits = 0
        var conditions: @Sendable (Int32) -> PollDescriptor.Conditions = { _ in [] }
    }

    private let state = Mutex(State())

    /// The number of waits.
    var waits: Int { state.withLock(\.waits) }

    /// What a descriptor answers.
    func answer(_ conditions: @escaping @Sendable (Int32) -> PollDescriptor.Conditions) {
        state.withLock { $0.conditions = conditions }
    }

    /// Lets something happen at a time in milliseconds; in the order in which it is said.
    func at(_ milliseconds: Int64, _ happen: @escaping @Sendable () -> Void) {
        state.withLock { $0.steps.append(Step(time: milliseconds * 1_000_000, happen: happen)) }
    }

    /// Lets the next wait fail.
    func fail(_ code: Int32) { state.withLock { $0.failures.append(code) } }

    func now() -> Int64 { state.withLock(\.now) }

    func wait(for descriptors: inout [PollDescriptor], milliseconds: Int32) throws(SystemFailure) {
        let failure = state.withLock { state -> Int32? in
            state.waits += 1
            return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        if let failure { throw SystemFailure(code: failure) }
        let end = now() + Int64(milliseconds) * 1_000_000
        while true {
            let conditions = state.withLock(\.conditions)
            for place in descriptors.indices { descriptors[place].answer = conditions(descriptors[place].number) }
            guard descriptors.allSatisfy({ $0.answer.isEmpty }) else { return }
            let step = state.withLock { state -> Step? in
                guard let first = state.steps.first, first.time <= end else {
                    state.now = end
                    return nil
                }
                state.now = max(state.now, first.time)
                return state.steps.removeFirst()
            }
            guard let step else { return }
            step.happen()
        }
    }
}

/// What can be made to fail.
enum JackCall: Hashable, CaseIterable {
    case elements, element, isOn, subscribe, descriptors, condition, nextEvent, switchesOn, events
}

/// A card's control elements, or an input device's switches, that do what a test says. One thread at a time.
final class ScriptedDevice: ControlCalls, SwitchCalls, @unchecked Sendable {
    let descriptor: Int32
    /// Elements and whether they are on.
    var contents: [(element: ControlElement, isOn: Bool)]
    /// Events to be read, or what reading them fails with.
    var controlEvents: [Result<ControlEvent?, SystemFailure>] = []
    var inputEvents: [Result<[InputEvent], SystemFailure>] = []
    var on: Set<UInt16> = []
    var failures: [JackCall: Int32] = [:]
    /// What the descriptor answers beside that something can be read.
    var condition: PollDescriptor.Conditions = []
    private(set) var calls: [JackCall] = []

    init(_ descriptor: Int32, _ contents: [(element: ControlElement, isOn: Bool)] = []) {
        self.descriptor = descriptor
        self.contents = contents
    }

    var answer: PollDescriptor.Conditions {
        condition.union(controlEvents.isEmpty && inputEvents.isEmpty ? [] : .readable)
    }

    private func enter(_ call: JackCall) throws(SystemFailure) {
        calls.append(call)
        if let code = failures[call] { throw SystemFailure(code: code) }
    }

    private func entry(_ number: UInt32) throws(SystemFailure) -> (element: ControlElement, isOn: Bool) {
        guard let entry = contents.first(where: { $0.element.number == number }) else {
            throw SystemFailure(code: ENOENT)
        }
        return entry
    }

    func elements() throws(SystemFailure) -> [UInt32] {
        try enter(.elements)
        return contents.map(\.element.number)
    }

    func element(_ number: UInt32) throws(SystemFailure) -> ControlElement {
        try enter(.element)
        return try entry(number).element
    }

    func isOn(_ number: UInt32) throws(SystemFailure) -> Bool {
        try enter(.isOn)
        return try entry(number).isOn
    }

    func subscribe() throws(SystemFailure) { try enter(.subscribe) }

    func descriptors() throws(SystemFailure) -> [PollDescriptor] {
        try enter(.descriptors)
        return [PollDescriptor(number: descriptor, awaited: .readable)]
    }

    func condition(_ answered: [PollDescriptor]) throws(SystemFailure) -> PollDescriptor.Conditions {
        try enter(.condition)
        return answered.reduce(into: []) { $0.formUnion($1.answer) }
    }

    func nextEvent() throws(SystemFailure) -> ControlEvent? {
        try enter(.nextEvent)
        guard !controlEvents.isEmpty else { throw SystemFailure(code: EAGAIN) }
        return try controlEvents.removeFirst().get()
    }

    func switchesOn() throws(SystemFailure) -> Set<UInt16> {
        try enter(.switchesOn)
        return on
    }

    func events() throws(SystemFailure) -> [InputEvent] {
        try enter(.events)
        guard !inputEvents.isEmpty else { throw SystemFailure(code: EAGAIN) }
        return try inputEvents.removeFirst().get()
    }

    /// Changes an element as the kernel does: the value first, then the event that names it.
    func turn(_ number: UInt32, _ isOn: Bool) {
        for place in contents.indices where contents[place].element.number == number { contents[place].isOn = isOn }
        controlEvents.append(.success(.changed(number)))
    }

    /// Changes a switch as the kernel does.
    func flip(_ code: UInt16, _ isOn: Bool) {
        if isOn { on.insert(code) } else { on.remove(code) }
        inputEvents.append(
            .success([InputEvent(type: 5, code: code, value: isOn ? 1 : 0), InputEvent(type: 0, code: 0, value: 0)]))
    }
}

extension ControlElement {
    /// An element as HDA drivers make them for jacks.
    static func jack(_ number: UInt32, _ name: String, index: UInt32 = 0) -> ControlElement {
        ControlElement(number: number, name: name, index: index, isOfCard: true, isReadableBoolean: true)
    }
}

extension InputDevice {
    /// A headset jack with all the switches there are for sound.
    static var headset: InputDevice {
        InputDevice(name: "Headset Jack", card: 0, file: "/dev/input/event7", switches: [2, 4])
    }
}

/// Opens scripted devices by their names.
struct ScriptedOpenings: JackOpenings {
    var devices: [String: ScriptedDevice] = [:]
    var failures: [String: Int32] = [:]

    func control(_ name: String) throws(SystemFailure) -> any ControlCalls { try open(name) }
    func inputDevice(_ file: String) throws(SystemFailure) -> any SwitchCalls { try open(file) }

    private func open(_ name: String) throws(SystemFailure) -> ScriptedDevice {
        if let code = failures[name] { throw SystemFailure(code: code) }
        guard let device = devices[name] else { throw SystemFailure(code: ENOENT) }
        return device
    }
}

extension JackMonitor {
    /// Everything that happens within a time, as text: `+Mic@150`, `-Mic@300`, `gone`; times in milliseconds.
    func story(within timeout: Duration) throws -> [String] {
        var story: [String] = []
        while try receive(
            within: timeout,
            { event in
                switch event {
                case .attached(let jack, let time): story.append("+\(jack)@\(time / 1_000_000)")
                case .detached(let jack, let time): story.append("-\(jack)@\(time / 1_000_000)")
                case .gone: story.append("gone")
                }
            }), story.last != "gone"
        {}
        return story
    }
}
