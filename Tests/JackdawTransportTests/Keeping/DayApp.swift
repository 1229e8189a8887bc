import JackdawTestSupport
import JackdawTransport

/// A program that uses a kept link all day: it takes every event, always receives, and writes down what came.
final class DayApp: Sendable {
    struct Log: Sendable {
        var connected = 0
        var lost = 0
        var batteries = 0
        var lowBatteries = 0
        var slept = Duration.zero
        /// Waits that were reported.
        var waits: [Duration] = []
        /// Bytes that were not sent, as the losses count them.
        var undelivered = 0
        var ending: LinkError??
        var session: (any Transport)?
        /// The numbers of the messages that each session brought.
        var received: [[UInt32]] = []
        var problems: [String] = []
    }

    let log = Shared(Log())

    /// Takes events until there are no more.
    func run(_ link: KeptLink) async {
        await withTaskGroup { group in
            for await event in link.events {
                log.with { $0.take(event) }
                guard case .connected(let session) = event else { continue }
                group.addTask { await self.read(session) }
            }
        }
    }

    private func read(_ session: any Transport) async {
        let number = log.with { $0.received.count - 1 }
        var rest: [UInt8] = []
        while let bytes = try? await nextBytes(of: session) {
            rest += bytes
            let whole = rest.count / 4 * 4
            let messages = stride(from: 0, to: whole, by: 4).map { start in
                rest[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
            }
            rest.removeFirst(whole)
            log.with { $0.received[number] += messages }
        }
    }

    /// The bytes of numbered messages.
    static func bytes(of messages: [UInt32]) -> [UInt8] {
        messages.flatMap { message in stride(from: 24, through: 0, by: -8).map { UInt8(message >> $0 & 0xFF) } }
    }
}

extension DayApp.Log {
    /// Notes an event, and what may not follow on those before it.
    fileprivate mutating func take(_ event: KeptLink.Event) {
        if ending != nil { problems.append("\(describe(event)) after the end") }
        switch event {
        case .connected(let next):
            if connected != lost { problems.append("session \(connected + 1) beside another") }
            connected += 1
            received.append([])
            session = next
        case .lost(let error):
            lost += 1
            if lost != connected { problems.append("loss \(lost) of session \(connected)") }
            undelivered += error.undelivered
            session = nil
        case .waiting(let wait, _):
            if connected != lost { problems.append("a wait with a session open") }
            waits.append(wait)
        case .slept(let duration): slept += duration
        case .battery: batteries += 1
        case .batteryLow: lowBatteries += 1
        case .missed(let count): problems.append("\(count) events were missed")
        case .ended(let error): ending = .some(error)
        }
    }
}
