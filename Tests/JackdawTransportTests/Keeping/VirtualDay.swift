import JackdawTestSupport
import JackdawTransport

/// A working day of one reader, as chance has it: messages, commands, batteries, sleeps, and losses of every kind. The
/// day
/// waits for each task that has work, so that the clocks move only when all tasks wait.
struct VirtualDay {
    enum Loss: CaseIterable, Hashable {
        case idle, whileReceiving, whileSending, orderly, byProgram
    }

    static let backOff = BackOff(first: .seconds(1), greatest: .seconds(30), jitter: 0.25, steadyAfter: .seconds(60))
    /// How long an attempt takes until it is answered.
    static let page = Duration.seconds(3)
    static let passing: [LinkError.Code] = [
        .outOfRange, .adapterOff, .refused, .busy, .timedOut, .serviceMissing, .notFound, .disconnected, .badAnswer,
        .system,
    ]

    let clock: ManualClock
    let wallClock: ManualClock
    let reader: ScriptedReader
    let link: KeptLink
    let app = DayApp()
    private var random: SeededRandom
    /// The numbers of the messages that each session was given.
    private(set) var sent: [[UInt32]] = []
    private(set) var messages: UInt32 = 0
    private(set) var losses: [Loss: Int] = [:]
    private(set) var undelivered = 0
    private(set) var slept = Duration.zero
    private(set) var batteries = 0
    private(set) var lowBatteries = 0
    private(set) var attempts = 0
    /// The longest that a reader waited for its link though it was there.
    private(set) var longestReturn = Duration.zero
    private(set) var problems: [String] = []
    private var waits = 0
    private var percent = 100

    init(seed: UInt64) {
        let clock = ManualClock()
        let reader = ScriptedReader { try? await clock.sleep(for: Self.page) }
        self.clock = clock
        self.reader = reader
        wallClock = ManualClock()
        random = SeededRandom(seed: seed)
        link = KeptLink(
            backOff: Self.backOff, clock: clock, wallClock: wallClock, random: SeededRandom(seed: seed ^ 0xDA7)
        ) { () async throws(LinkError) -> any Transport in try await reader.connect() }
    }

    /// Lives through the day and closes the link.
    mutating func run(for day: Duration = .seconds(86_400)) async throws {
        let app = app
        let link = link
        let using = Task { await app.run(link) }
        await link.open()
        try await attempt(.opens)
        try await opened(thereSince: clock.now)
        while wallClock.now.offset < day {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40: try await sendMessages()
            case 40..<60: try await sendCommand()
            case 60..<80: await reportBattery()
            case 80..<86:
                sleep(for: .seconds(Int.random(in: 10...1_800, using: &random)))
                if Bool.random(using: &random) { try await lose() }
            default: try await lose()
            }
            advance(by: .milliseconds(Int.random(in: 0...600_000, using: &random)))
        }
        await link.close()
        await using.value
    }

    private mutating func advance(by duration: Duration) {
        wallClock.advance(by: duration)
        clock.advance(by: duration)
    }

    private mutating func sleep(for duration: Duration) {
        wallClock.advance(by: duration)
        slept += duration
    }

    private mutating func nextMessages() -> [UInt32] {
        let count = UInt32.random(in: 1...20, using: &random)
        defer { messages += count }
        sent[sent.count - 1] += messages..<messages + count
        return Array(messages..<messages + count)
    }

    private mutating func sendMessages() async throws {
        try await reader.end?.send(DayApp.bytes(of: nextMessages()))
        let wanted = sent.last
        try await app.log.until { $0.received.last == wanted }
    }

    private mutating func sendCommand() async throws {
        guard let session = app.log.with({ $0.session }), let end = reader.end else { return }
        let command = (0..<Int.random(in: 1...200, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
        try await session.send(command)
        if try await nextBytes(of: end) != command { problems.append("a command came otherwise") }
    }

    private mutating func reportBattery() async {
        if Int.random(in: 0..<4, using: &random) > 0 {
            percent = percent > 5 ? percent - 1 : 100
            batteries += 1
            if percent == 15 { lowBatteries += 1 }
        } else if batteries == 0 {
            batteries = 1
        }
        await link.report(BatteryReport(percent: percent))
    }
}

// MARK: - Losses

extension VirtualDay {
    /// Loses the link, keeps the reader away for a while, and waits until it is back.
    private mutating func lose() async throws {
        guard let session = app.log.with({ $0.session }), let end = reader.end else { return }
        let loss = Loss.allCases.randomElement(using: &random) ?? .idle
        let error = ScriptedReader.error(Self.passing.randomElement(using: &random) ?? .outOfRange)
        losses[loss, default: 0] += 1
        switch loss {
        case .idle: end.lose(error)
        case .whileReceiving:
            // The last one is torn; how many of the others arrive is as chance has it.
            try await end.send(Array(DayApp.bytes(of: nextMessages()).dropLast(2)))
            if Bool.random(using: &random) { await Task.yield() }
            end.lose(error)
        case .whileSending:
            let count = Int.random(in: 257...2_000, using: &random)
            let sending = Task { await failure { try await session.send([UInt8](repeating: 7, count: count)) } }
            // One receives, and the other sends to a reader that has no room left.
            while end.waitingCount < 2 { await Task.yield() }
            end.lose(error)
            let missing = await sending.value?.undelivered ?? 0
            if missing != count - 256 { problems.append("\(missing) of \(count) bytes were not sent") }
            undelivered += missing
        case .orderly: await end.close()
        case .byProgram: await session.close()
        }
        try await recover()
    }

    private mutating func recover() async throws {
        let away = Bool.random(using: &random) ? 0 : Int.random(in: 0...600_000, using: &random)
        let back = clock.now.advanced(by: .milliseconds(away))
        let code = Self.passing.randomElement(using: &random) ?? .outOfRange
        while true {
            try await checkReportedWait()
            await clock.sleepers(1)
            guard let deadline = clock.nextDeadline else { return problems.append("no task waits") }
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                sleep(for: .seconds(Int.random(in: 10...1_800, using: &random)))
                await link.tryNow()
            case 1: await link.tryNow()
            case 2:
                await reportBattery()
                fallthrough
            default: advance(by: clock.now.duration(to: deadline))
            }
            let isBack = clock.now >= back
            try await attempt(isBack ? .opens : .fails(ScriptedReader.error(code)))
            if isBack { return try await opened(thereSince: back) }
        }
    }

    /// Waits until the next wait is reported, and checks its length.
    private mutating func checkReportedWait() async throws {
        waits += 1
        let count = waits
        try await app.log.until { $0.waits.count == count }
        let wait = app.log.with { $0.waits[count - 1] }
        let shortest = Self.backOff.first * (1 - Self.backOff.jitter)
        if wait < shortest || wait > Self.backOff.greatest { problems.append("a wait of \(wait)") }
    }

    /// Answers the next attempt.
    private mutating func attempt(_ answer: ScriptedReader.Answer) async throws {
        attempts += 1
        let count = attempts
        try await reader.state.until { $0.attempts == count }
        reader.state.with { $0.answer = answer }
        await clock.sleepers(1)
        advance(by: Self.page)
    }

    private mutating func opened(thereSince back: ManualClock.Instant) async throws {
        sent.append([])
        let count = sent.count
        try await app.log.until { $0.connected == count }
        longestReturn = max(longestReturn, back.duration(to: clock.now))
    }
}
