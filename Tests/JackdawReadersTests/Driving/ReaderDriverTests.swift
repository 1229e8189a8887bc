import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

/// What a driver does in each state with each thing that can happen.
struct ReaderDriverTests {
    /// What goes in; what is sent, power and events, a line each; the state after it.
    typealias Row = (input: String, effects: [String], state: ReaderState)

    /// A driver in a state, as the states follow each other.
    static func driver(in state: ReaderState, _ dialect: ScriptedDialect = ScriptedDialect()) -> ReaderDriver {
        var driver = ReaderDriver(dialect)
        if state == .off { return driver }
        if state == .lost {
            _ = driver.lose(nil)
            return driver
        }
        _ = driver.perform(.connect, at: .zero)
        if state == .poweringUp { return driver }
        driver.take("u")
        if state == .identifying { return driver }
        driver.take("d")
        switch state {
        case .asking: _ = driver.perform(.ask(.firmware), at: .zero)
        case .arming: _ = driver.perform(.requestSwipe(within: .seconds(10)), at: .zero)
        case .armed, .disarming:
            _ = driver.perform(.requestSwipe(within: .seconds(10)), at: .zero)
            driver.take("d")
            if state == .disarming { _ = driver.perform(.cancel, at: .zero) }
        case .poweringDown: _ = driver.perform(.powerDown, at: .zero)
        default: break
        }
        return driver
    }

    static func effects(_ outputs: [ReaderOutput]) -> [String] {
        outputs.map { output in
            switch output {
            case .send(let bytes): "> " + String(decoding: bytes, as: UTF8.self)
            case .power(let power): "power \(power)"
            case .event(.failed(let error)): "failed: \(Self.values(of: error))"
            case .event(.dropped(let input)): "dropped: \(Self.values(of: input))"
            case .event(let event): "\(event)"
            }
        }
    }

    /// Code, state and values of an error: of an unanswered or refused request its name, and the reader's own text.
    private static func values(of error: ReaderError) -> String {
        let names = error.message.matches(of: /\(.*?\)/).map { String($0.output) }
        let found = names.isEmpty ? numbers(in: error.message) : names
        let parts = [error.code.rawValue, error.reason?.rawValue] + found.map(Optional.some)
        return (parts + [error.underlying]).compactMap(\.self).joined(separator: " ")
    }

    private static func values(of input: DroppedInput) -> String {
        switch input {
        case .noise(let fault, let count):
            (["noise", "\(count)", fault.code.rawValue, "\(fault.offset)"] + numbers(in: fault.message))
                .joined(separator: " ")
        case .frame(let words, let reason): JackdawReadersTests.values(of: words, reason)
        case .swipe: "swipe"
        case .foreign(let bytes): "\(bytes)"
        }
    }

    private static func foreign(_ outputs: [ReaderOutput]) -> [ForeignBytes] {
        outputs.compactMap { output in
            if case .event(.dropped(.foreign(let bytes))) = output { bytes } else { nil }
        }
    }

    /// 4,096 bytes without a frame, however they come, and not one less; the first of them are shown, but
    /// for what may be of a card.
    @Test(arguments: [1, 7, 4_096]) func bytesWithoutAFrameAreReportedOnce(block: Int) {
        var driver = Self.driver(in: .ready)
        let start = [0xE1, 0x02] + Array(";4111111111111111=2912".utf8) + [UInt8](repeating: 0xFF, count: 8)
        let bytes = start + [UInt8](repeating: 0xEE, count: 4_096 - start.count)
        var found: [ForeignBytes] = []
        for first in stride(from: 0, to: bytes.count, by: block) {
            #expect(found.isEmpty)
            found += Self.foreign(
                driver.receive(bytes.span.extracting(first..<min(first + block, bytes.count)), at: .zero))
        }
        #expect(found.map(\.count) == [4_096])
        #expect(found.first?.family == "scripted")
        #expect(
            found.first?.digits == "E1 02" + String(repeating: " **", count: 22)
                + String(repeating: " FF", count: 8))
        // No more of them, until a frame has come.
        #expect(Self.foreign(driver.receive(bytes.span, at: .zero)).isEmpty)
        #expect(Self.foreign(driver.take("x")).isEmpty)
        #expect(Self.foreign(driver.receive(bytes.span, at: .zero)).count == 1)
    }

    /// Five seconds are enough where no frame has ever come.
    @Test func bytesWithoutAFirstFrameAreReportedInTime() {
        var driver = Self.driver(in: .poweringUp)
        _ = driver.receive([0xEE].span, at: .seconds(1))
        #expect(Self.foreign(driver.advance(to: .seconds(6) - .nanoseconds(1))).isEmpty)
        #expect(Self.foreign(driver.advance(to: .seconds(6))).map(\.digits) == ["EE"])
        #expect(Self.foreign(driver.advance(to: .seconds(100))).isEmpty)
    }

    /// IPS's readers answer `0C` with four bytes, the second `4D`. Only who knows their number waits for a frame: for
    /// others the reader may be silent until a card is swiped.
    @Test(arguments: [false, true]) func bytesAreForeignOnlyIfAFrameIsExpected(isSimulated: Bool) throws {
        let family = try #require(ReaderFamily.named("ips"))
        var driver = ReaderDriver(try family.makeDialect(isSimulated ? family.simulatedProfile : family.profile))
        _ = driver.perform(.connect, at: .zero)
        let bytes: [UInt8] = isSimulated ? [0x0C] : [0x0C, 0x4D, 0x01, 0x02]
        var outputs = driver.receive(bytes.span, at: .seconds(1))
        for second in 2...100 { outputs += driver.advance(to: .seconds(second)) }
        #expect(Self.foreign(outputs).map(\.count) == (isSimulated ? [1] : []))
        // Many bytes are another matter.
        outputs = driver.receive([UInt8](repeating: 0xEE, count: 4_096).span, at: .seconds(101))
        #expect(Self.foreign(outputs).count == (isSimulated ? 0 : 1))
    }

    /// A reader that has spoken before may wait for a card as long as it likes after a noise.
    @Test func noiseOfAReaderThatIsKnownIsNoOtherProtocol() {
        var driver = Self.driver(in: .ready)
        _ = driver.receive([0xEE].span, at: .seconds(1))
        #expect(Self.foreign(driver.advance(to: .seconds(100))).isEmpty)
        // Frames in between.
        for _ in 0..<10 {
            let noise = [UInt8](repeating: 0xEE, count: 4_000)
            #expect(Self.foreign(driver.receive(noise.span, at: .seconds(100))).isEmpty)
            _ = driver.receive(Array("x".utf8).span, at: .seconds(100))
        }
    }

    @Test(arguments: ReaderState.allCases)
    func eachStateIsReached(state: ReaderState) {
        let driver = Self.driver(in: state)
        #expect(driver.state == state)
    }

    @Test(arguments: ReaderState.allCases)
    func eachStateTakesEverything(state: ReaderState) {
        let rows = Self.table[state] ?? []
        #expect(rows.map(\.input) == Self.inputs)
        for row in rows {
            var driver = Self.driver(in: state)
            let outputs = driver.take(row.input)
            #expect(Self.effects(outputs) == row.effects, "\(state), \(row.input)")
            #expect(driver.state == row.state, "\(state), \(row.input)")
        }
    }

    /// Commands in words, meanings as letters, `time` for the next deadline, `lost` for the link.
    static let inputs = [
        "connect", "request", "cancel", "ask", "set", "power down", "u", "d", "r", "m", "w", "b", "g", "c", "t", "o",
        "x",
        "#", "time", "lost",
    ]

    private static let notConnected = "failed: notConnected"
    private static let connected = "failed: alreadyConnected"
    private static let nothing = "failed: nothingToCancel"
    private static let noRequest = "dropped: unsolicitedAnswer"
    private static let noPart = "dropped: unsolicitedPart"
    private static let noRefusal = "dropped: unsolicitedRefusal"
    private static let noEnd = "dropped: unsolicitedTimeout"
    private static let late = "dropped: swipe"
    private static let what = "dropped: what?"
    private static let restarted = "failed: restarted"
    private static let gone = "lost: link: gone"
    private static let isLost = "failed: lost"

    private static func rows(
        _ state: ReaderState, _ changes: [String: ([String], ReaderState)], _ usual: [String: [String]]
    )
        -> [Row]
    {
        inputs.map { input in
            if let (effects, next) = changes[input] { return (input, effects, next) }
            return (input, usual[input] ?? [], state)
        }
    }

    /// What is dropped where nothing of it is wanted, in states of a reader that is connected.
    private static let usual = [
        "connect": [connected], "cancel": [nothing], "d": [noRequest], "r": [noRefusal], "m": [noPart], "w": [late],
        "b": ["dropped: unsolicitedSwipe"], "g": [noEnd], "c": ["card: inserted"], "t": ["status well"], "x": [what],
        "#": [],
    ]

    private static func usual(_ other: [String: [String]]) -> [String: [String]] { usual.merging(other) { $1 } }

    private static func busy(_ state: ReaderState) -> [String: [String]] {
        let refusal = ["failed: busy \(state.rawValue)"]
        return ["request": refusal, "ask": refusal, "set": refusal]
    }

    private static let unconnected = usual([
        "request": [notConnected], "ask": [notConnected], "set": [notConnected],
        "c": ["dropped: unsolicitedCard"],
        "t": ["dropped: unsolicitedFact"], "u": ["dropped: unsolicitedPowerUp"],
    ])

    private static let everywhere: [String: ([String], ReaderState)] = [
        "power down": (["> P"], .poweringDown), "u": ([restarted, "> I"], .identifying),
        "o": (["power off", "powered down"], .off),
        "lost": ([gone], .lost),
    ]

    private static func everywhere(_ other: [String: ([String], ReaderState)]) -> [String: ([String], ReaderState)] {
        everywhere.merging(other) { $1 }
    }

    static let table: [ReaderState: [Row]] = [
        .off: rows(
            .off, ["connect": (["power connecting"], .poweringUp), "lost": ([gone], .lost)],
            unconnected.merging([
                "power down": ["failed: notConnected"],
                "o": ["dropped: unsolicitedPowerDown"],
            ]) { $1 }),
        .poweringUp: rows(
            .poweringUp,
            [
                "cancel": (["power off", "cancelled"], .off), "power down": (["power off", "powered down"], .off),
                "u": (["power connected", "> I"], .identifying), "o": (["power off", "powered down"], .off),
                "time": (["power off", "power connecting"], .poweringUp), "lost": ([gone], .lost),
            ], unconnected.merging(["connect": ["failed: busy poweringUp"]]) { $1 }),
        .identifying: rows(
            .identifying,
            [
                "cancel": (["power off", "cancelled"], .off), "power down": (["> P"], .poweringDown),
                "d": (["connected: scripted, firmware 1.0", "ready"], .ready),
                "r": (["connected: scripted", "ready"], .ready),
                "o": (["power off", "powered down"], .off), "time": (["> I"], .identifying), "lost": ([gone], .lost),
            ], unconnected.merging(["connect": ["failed: busy identifying"], "m": []]) { $1 }),
        .ready: rows(
            .ready,
            everywhere(["request": (["> A"], .arming), "ask": (["> Q"], .asking), "set": (["> S"], .asking)]), usual),
        .asking: rows(
            .asking,
            everywhere([
                "d": (["firmware: firmware 1.0", "ready"], .ready),
                "r": (["failed: refused (ask) no", "ready"], .ready), "time": (["> Q"], .asking),
            ]), usual(busy(.asking)).merging(["m": []]) { $1 }),
        .arming: rows(
            .arming,
            everywhere([
                "power down": (["> D"], .poweringDown),
                "cancel": ([], .arming), "d": (["waiting for a card"], .armed),
                "r": (["failed: refused (arm) no", "ready"], .ready),
                "w": (["swipe: scripted 411111******1111"], .disarming), "time": (["> A"], .arming),
            ]), usual(busy(.arming)).merging(["m": [], "b": ["bad swipe: too fast"]]) { $1 }),
        .armed: rows(
            .armed,
            everywhere([
                "power down": (["> D"], .poweringDown),
                "cancel": (["> D"], .disarming), "w": (["swipe: scripted 411111******1111", "> D"], .disarming),
                "r": (["failed: refused (wait for a card) no", "ready"], .ready),
                "g": (["no card came in time", "ready"], .ready), "time": (["> D"], .disarming),
            ]), usual(busy(.armed)).merging(["b": ["bad swipe: too fast"]]) { $1 }),
        .disarming: rows(
            .disarming,
            everywhere([
                "power down": (["> D"], .poweringDown),
                "d": (["cancelled", "ready"], .ready),
                "r": (["failed: refused (disarm) no", "cancelled", "ready"], .ready),
                "time": (["> D"], .disarming),
            ]), usual(busy(.disarming)).merging(["m": []]) { $1 }),
        .poweringDown: rows(
            .poweringDown,
            [
                "power down": (["failed: busy poweringDown"], .poweringDown),
                "d": (["power off", "powered down"], .off), "r": (["power off", "powered down"], .off),
                "o": (["power off", "powered down"], .off), "time": (["> P"], .poweringDown), "lost": ([gone], .lost),
            ],
            unconnected.merging(busy(.poweringDown)) { $1 }.merging([
                "connect": ["failed: busy poweringDown"], "m": [],
            ]) { $1 }),
        .lost: rows(
            .lost, [:],
            Dictionary(uniqueKeysWithValues: inputs.prefix(6).map { ($0, [isLost]) })),
    ]
}

extension ReaderDriver {
    /// Takes what the table names.
    @discardableResult
    mutating func take(_ input: String) -> [ReaderOutput] {
        switch input {
        case "connect": perform(.connect, at: .zero)
        case "request": perform(.requestSwipe(within: .seconds(10)), at: .zero)
        case "cancel": perform(.cancel, at: .zero)
        case "ask": perform(.ask(.firmware), at: .zero)
        case "set": perform(.set(ReaderSetting(1, [2])), at: .zero)
        case "power down": perform(.powerDown, at: .zero)
        case "time": nextDeadline.map { advance(to: $0) } ?? []
        case "lost": lose(LinkError(.disconnected, link: "link", "gone"))
        default: receive(Array(input.utf8).span, at: .zero)
        }
    }
}
