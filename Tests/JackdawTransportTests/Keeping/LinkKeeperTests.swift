import JackdawTestSupport
import Testing

@testable import JackdawTransport

@Suite("Decisions about a link that is kept open")
struct LinkKeeperTests {
    private static let second = Duration.seconds(1)
    /// The first wait is 1 s, then 2, 4, 4, ...
    private static let backOff = BackOff(first: second, greatest: .seconds(4), jitter: 0, steadyAfter: .seconds(60))
    private static let transport = MemoryTransport.pair(link: LinkName(.ble, "AA:BB:CC:DD:EE:FF")).0
    private static let passing = LinkError(.outOfRange, link: "x", "no answer")
    private static let lasting = LinkError(.notPermitted, link: "x", "not allowed", remedy: "ask")

    /// Every kind of input. Attempt 2 is the one that a state is about; 1 is an old one and 3 does not exist yet.
    private static let inputs: [(name: String, input: LinkKeeper.Input)] = [
        ("wanted", .wanted), ("unwanted", .unwanted), ("opened", .opened(2, transport)),
        ("opened old", .opened(1, transport)), ("opened new", .opened(3, transport)),
        ("failed, may pass", .failed(2, passing)), ("failed for good", .failed(2, lasting)),
        ("failed old", .failed(1, passing)), ("lost", .lost(2, lasting)), ("lost old", .lost(1, passing)),
        ("time", .time), ("seen", .seen), ("slept", .slept(.seconds(9))),
        ("battery", .battery(BatteryReport(percent: 80))), ("low battery", .battery(BatteryReport(percent: 5))),
    ]

    /// How each state is reached; all but the first two have been through attempt 1, which failed.
    private static let ways: [(name: String, inputs: [LinkKeeper.Input])] = [
        ("idle", []), ("ended", [.unwanted]),
        ("trying", [.wanted, .failed(1, passing), .seen]),
        ("connected", [.wanted, .failed(1, passing), .seen, .opened(2, transport)]),
        ("waiting", [.wanted, .failed(1, passing), .seen, .failed(2, passing)]),
        ("closing", [.wanted, .failed(1, passing), .seen, .unwanted]),
        ("closing connected", [.wanted, .failed(1, passing), .seen, .opened(2, transport), .unwanted]),
    ]

    /// What follows; what is not here changes nothing and does nothing. All inputs come at the beginning of time, so
    /// that the wait of 2 s is not over.
    private static let table: [String: [String: (state: String, outputs: String)]] = [
        "idle": [
            "wanted": ("trying", "connect 1"), "unwanted": ("ended", "ended"),
            "battery": ("idle", "battery"), "low battery": ("idle", "battery, batteryLow"),
        ],
        "trying": [
            "unwanted": ("closing", "cancel"), "opened": ("connected", "connected"),
            "failed, may pass": ("waiting", "waiting outOfRange 2.0 seconds, wait 2.0 seconds"),
            "failed for good": ("ended", "ended notPermitted"), "slept": ("trying", "slept"),
            "battery": ("trying", "battery"), "low battery": ("trying", "battery, batteryLow"),
        ],
        "connected": [
            "unwanted": ("closing", "hangUp"),
            "lost": ("waiting", "lost notPermitted, waiting notPermitted 2.0 seconds, wait 2.0 seconds"),
            "slept": ("connected", "slept"), "battery": ("connected", "battery"),
            "low battery": ("connected", "battery, batteryLow"),
        ],
        "waiting": [
            "unwanted": ("ended", "cancel, ended"), "seen": ("trying", "cancel, connect 3"),
            "slept": ("trying", "slept, cancel, connect 3"), "battery": ("waiting", "battery"),
            "low battery": ("waiting", "battery, batteryLow"),
        ],
        "closing": [
            "failed, may pass": ("ended", "ended"), "failed for good": ("ended", "ended"),
            "slept": ("closing", "slept"), "battery": ("closing", "battery"),
            "low battery": ("closing", "battery, batteryLow"),
        ],
        "closing connected": [
            "lost": ("ended", "lost notPermitted, ended"), "slept": ("closing", "slept"),
            "battery": ("closing", "battery"), "low battery": ("closing", "battery, batteryLow"),
        ],
        "ended": [:],
    ]

    @Test("every input in every state", arguments: ways.indices)
    func sweep(_ way: Int) throws {
        let (name, inputs) = Self.ways[way]
        let expected = try #require(Self.table[name])
        for (inputName, input) in Self.inputs {
            var keeper = LinkKeeper(backOff: Self.backOff, random: SeededRandom(seed: 1))
            for input in inputs { _ = keeper.receive(input, at: .zero) }
            let before = keeper.state
            let outputs = keeper.receive(input, at: .zero).map(describe).joined(separator: ", ")
            let (state, wanted) = expected[inputName] ?? (describe(before), "")
            #expect(outputs == wanted, "\(name), \(inputName)")
            #expect(describe(keeper.state) == state, "\(name), \(inputName)")
        }
    }

    @Test(
        "failures after which a link is tried again",
        arguments: [
            (KeptLink.Persistence.whileItMayPass, false, ["notFound", "refused", "serviceMissing"]),
            (.onceFound, false, ["refused"]), (.onceFound, true, ["notFound", "refused", "serviceMissing"]),
            (.always, false, ["notFound", "refused", "serviceMissing", "notPermitted", "unsupported"]),
        ])
    func persistence(_ persistence: KeptLink.Persistence, wasOpen: Bool, again: [String]) {
        let codes: [LinkError.Code] = [
            .badName, .notFound, .refused, .serviceMissing, .notPermitted, .unsupported, .full,
        ]
        let tried = codes.filter { code in
            var keeper = LinkKeeper(backOff: Self.backOff, persistence: persistence, random: SeededRandom(seed: 1))
            _ = keeper.receive(.wanted, at: .zero)
            var attempt = 1
            if wasOpen {
                _ = keeper.receive(.opened(1, Self.transport), at: .zero)
                _ = keeper.receive(.lost(1, Self.passing), at: .zero)
                _ = keeper.receive(.seen, at: .zero)
                attempt = 2
            }
            _ = keeper.receive(.failed(attempt, LinkError(code, link: "x", "why")), at: .zero)
            return keeper.state != .ended
        }
        #expect(tried.map(\.name) == again)
    }

    @Test("a transcript that is full is not begun again")
    func fullTranscript() {
        var keeper = LinkKeeper(backOff: Self.backOff, persistence: .always, random: SeededRandom(seed: 1))
        _ = keeper.receive(.wanted, at: .zero)
        _ = keeper.receive(.opened(1, Self.transport), at: .zero)
        let outputs = keeper.receive(.lost(1, LinkError(.full, link: "x", "full")), at: .zero)
        #expect(outputs.map(describe) == ["lost full", "ended full"])
    }

    @Test("a wait is over at its time and not before")
    func waiting() {
        var keeper = LinkKeeper(backOff: Self.backOff, random: SeededRandom(seed: 1))
        _ = keeper.receive(.wanted, at: .zero)
        _ = keeper.receive(.failed(1, Self.passing), at: .seconds(10))
        #expect(keeper.receive(.time, at: .seconds(11) - .nanoseconds(1)).isEmpty)
        #expect(keeper.receive(.time, at: .seconds(11)).map(describe) == ["connect 2"])
    }

    @Test("a link that held begins again with the first wait, one that did not goes on", arguments: [59, 60])
    func steady(_ held: Int) {
        var keeper = LinkKeeper(backOff: Self.backOff, random: SeededRandom(seed: 1))
        _ = keeper.receive(.wanted, at: .zero)
        _ = keeper.receive(.failed(1, Self.passing), at: .zero)
        _ = keeper.receive(.seen, at: .zero)
        _ = keeper.receive(.opened(2, Self.transport), at: .zero)
        let outputs = keeper.receive(.lost(2, Self.passing), at: .seconds(held))
        let wait = held == 60 ? 1.0 : 2.0
        #expect(
            outputs.map(describe) == [
                "lost outOfRange", "waiting outOfRange \(wait) seconds", "wait \(Double(held) + wait) seconds",
            ])
    }

    @Test("a sleep makes the waits begin again")
    func sleepForgets() {
        var keeper = LinkKeeper(backOff: Self.backOff, random: SeededRandom(seed: 1))
        _ = keeper.receive(.wanted, at: .zero)
        for attempt in 1...3 {
            _ = keeper.receive(.failed(attempt, Self.passing), at: .zero)
            _ = keeper.receive(attempt < 3 ? .seen : .slept(.seconds(100)), at: .zero)
        }
        #expect(keeper.receive(.failed(4, Self.passing), at: .zero).last.map(describe) == "wait 1.0 seconds")
    }

    @Test("whatever comes, there is one attempt or session at most, and the link never stands still", arguments: 1...20)
    func walk(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var keeper = LinkKeeper(backOff: Self.backOff, random: SeededRandom(seed: UInt64(seed)))
        var now = Duration.zero
        var model = Model()
        model.take(keeper.receive(.wanted, at: now))
        for _ in 0..<3_000 {
            now += .milliseconds(Int.random(in: 0...2_000, using: &random))
            let number = Int.random(in: max(1, model.number - 2)...model.number + 1, using: &random)
            let failure = [Self.passing, Self.passing, Self.passing, Self.lasting].randomElement(using: &random)
            let error = failure ?? Self.passing
            let input: LinkKeeper.Input =
                switch Int.random(in: 0..<200, using: &random) {
                case 0: .unwanted
                case 1..<60: .opened(number, Self.transport)
                case 60..<90: .failed(number, error)
                case 90..<120: .lost(number, error)
                case 120..<170: .time
                case 170..<185: .seen
                case 185..<190: .slept(.seconds(5))
                default: .battery(BatteryReport(percent: Int.random(in: 0...100, using: &random)))
                }
            model.happened(input)
            model.take(keeper.receive(input, at: now))
            model.check(keeper.state, at: now)
            guard keeper.state != .ended else { break }
        }
        #expect(model.problems == [])
    }
}

/// What the owner of a keeper sees of it.
private struct Model {
    var number = 0
    var isTrying = false
    var isOpen = false
    var deadline: Duration?
    var problems: [String] = []

    mutating func happened(_ input: LinkKeeper.Input) {
        switch input {
        case .failed(number, _) where isTrying: isTrying = false
        default: break
        }
    }

    mutating func take(_ outputs: [LinkKeeper.Output]) {
        for output in outputs {
            switch output {
            case .connect(let next):
                if isTrying || isOpen { problems.append("attempt \(next) beside another") }
                if next != number + 1 { problems.append("attempt \(next) after \(number)") }
                (number, isTrying, deadline) = (next, true, nil)
            case .wait(let until):
                if isTrying || isOpen { problems.append("a wait beside attempt \(number)") }
                deadline = until
            case .cancel: deadline = nil
            case .report(.connected):
                if !isTrying || isOpen { problems.append("a session without its attempt") }
                (isTrying, isOpen) = (false, true)
            case .report(.lost):
                if !isOpen { problems.append("a loss without a session") }
                isOpen = false
            default: break
            }
        }
    }

    mutating func check(_ state: LinkKeeper.State, at now: Duration) {
        let isRight =
            switch state {
            case .trying: isTrying && !isOpen
            case .connected: isOpen && !isTrying
            case .waiting(let until): deadline == until && until - now <= .seconds(4) && !isOpen && !isTrying
            case .closing(let closesSession): isOpen == closesSession && isTrying != closesSession
            case .ended: !isTrying && !isOpen
            case .idle: false
            }
        if !isRight { problems.append("\(state) with \(self)") }
    }
}

private func describe(_ output: LinkKeeper.Output) -> String {
    switch output {
    case .connect(let number): "connect \(number)"
    case .wait(let deadline): "wait \(deadline)"
    case .cancel: "cancel"
    case .hangUp: "hangUp"
    case .report(let event): describe(event)
    }
}

private func describe(_ state: LinkKeeper.State) -> String {
    "\(state)".split(separator: "(").first.map(String.init) ?? ""
}

/// An event in a few words.
func describe(_ event: KeptLink.Event) -> String {
    switch event {
    case .connected: "connected"
    case .lost(let error): "lost \(error.code.name)"
    case .waiting(let wait, let error): "waiting \(error.code.name) \(wait)"
    case .slept: "slept"
    case .battery: "battery"
    case .batteryLow: "batteryLow"
    case .missed(let count): "missed \(count)"
    case .ended(let error): error.map { "ended \($0.code.name)" } ?? "ended"
    }
}
