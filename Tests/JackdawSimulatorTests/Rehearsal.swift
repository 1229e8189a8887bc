import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// A driver and a simulated reader that speak to each other in virtual time: what happens is written
/// down, and no time passes.
struct Rehearsal: ~Copyable {
    private var driver: ReaderDriver
    private var reader: SimulatedReader
    private(set) var now = Duration.zero
    /// What happened, a line each: milliseconds and event.
    private(set) var log: [String] = []
    private(set) var events: [ReaderEvent] = []
    /// What the driver sent, and how often.
    private(set) var sent: [[UInt8]] = []
    private var step: Int
    private var isConnected = true

    var state: ReaderState { driver.state }
    var device: SimulatedDevice { reader.device }

    /// - Parameters:
    ///   - family: the name of a family.
    ///   - deck: the cards.
    ///   - faults: what goes wrong.
    ///   - device: what the reader is.
    ///   - step: bytes that come at a time.
    init(
        _ family: String, deck: [Presentation] = [], faults: [PlannedFault] = [],
        device: SimulatedDevice = SimulatedDevice(), step: Int = .max
    ) {
        guard let known = ReaderFamily.named(family), let dialect = try? known.makeDialect(known.simulatedProfile),
            let model = SimulatedFamily.named(family)?.makeModel()
        else { preconditionFailure("no family \(family)") }
        driver = ReaderDriver(dialect)
        reader = SimulatedReader(model, device: device, deck: deck, faults: faults)
        self.step = step
    }

    mutating func perform(_ command: ReaderCommand) { take(driver.perform(command, at: now)) }

    /// Lets time pass, at most so long.
    mutating func run(for duration: Duration) {
        let end = now + duration
        while true {
            let next = [driver.nextDeadline, isConnected ? reader.nextDeadline : nil].compactMap(\.self).min()
            guard let next, next <= end else { break }
            now = max(now, next)
            advance()
        }
        now = end
        advance()
    }

    /// Lets time pass until the driver is in a state, at most 10 minutes.
    mutating func run(until states: ReaderState...) {
        let end = now + .seconds(600)
        while !states.contains(driver.state) {
            let next = [driver.nextDeadline, isConnected ? reader.nextDeadline : nil].compactMap(\.self).min()
            guard let next, next <= end else { return }
            now = max(now, next)
            advance()
        }
    }

    mutating func lose() {
        isConnected = false
        take(driver.lose(LinkError(.disconnected, link: "sim:test", "it has gone")))
    }

    private mutating func advance() {
        if isConnected {
            for output in reader.advance(to: now) {
                switch output {
                case .send(let bytes):
                    for start in stride(from: 0, to: bytes.count, by: step) {
                        let part = bytes.span.extracting(start..<start + min(step, bytes.count - start))
                        take(driver.receive(part, at: now))
                    }
                case .disconnect: lose()
                }
            }
        }
        take(driver.advance(to: now))
    }

    private mutating func take(_ outputs: [ReaderOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes):
                sent.append(bytes)
                if isConnected { reader.receive(bytes.span, at: now) }
            case .power(let power):
                log.append("\(milliseconds) power \(power)")
                if isConnected { reader.setPower(power != .off, at: now) }
            case .event(let event):
                events.append(event)
                log.append("\(milliseconds) \(event)")
            }
        }
    }

    private var milliseconds: Int64 {
        now.components.seconds * 1000 + now.components.attoseconds / 1_000_000_000_000_000
    }
}
