import JackdawDSP
import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// A driver and a simulated reader that hear each other alone, in the time of the frames: what the driver sends is
/// played, and what the reader says is captured.
struct SoundRehearsal: ~Copyable {
    private var driver: ReaderDriver
    private var reader: SimulatedAudioReader
    private var modulator: ReaderModulator
    private var demodulator: ReaderDemodulator
    private var line: PoweredLine
    /// Frames that are played and captured at once.
    private let block: Int
    private var frames: Int64 = 0
    private let sampleRate: Double
    /// What happened, a line each.
    private(set) var log: [String] = []
    private(set) var events: [ReaderEvent] = []

    var state: ReaderState { driver.state }
    var device: SimulatedDevice { reader.device }
    var hasPower: Bool { reader.hasPower }
    var now: Duration { .nanoseconds(Int64(Double(frames) / sampleRate * 1e9)) }

    /// - Parameters:
    ///   - name: the name of a family.
    ///   - readerName: the name of the reader's family, where that is another.
    ///   - sampleRate: frames per second.
    ///   - path: what lies between the reader and the driver.
    ///   - block: frames that are played and captured at once.
    ///   - profile: values instead of the simulated ones.
    ///   - deck: the cards.
    ///   - faults: what goes wrong.
    /// - Throws: what the family has against the profile or the rate.
    init(
        _ name: String, reader readerName: String? = nil, sampleRate: Double = 48_000, path: AudioPath = AudioPath(),
        block: Int = 480, profile: ReaderProfile? = nil, deck: [Presentation] = [], faults: [PlannedFault] = []
    ) throws {
        guard let family = ReaderFamily.named(name), let readers = ReaderFamily.named(readerName ?? name),
            let simulated = SimulatedFamily.named(readers.name),
            let sound = try family.makeSound(profile ?? family.simulatedProfile),
            let simulatedSound = try readers.makeSound(readers.simulatedProfile)
        else { preconditionFailure("\(name) is not heard") }
        let dialect = try family.makeDialect(profile ?? family.simulatedProfile)
        let modulator = try ReaderModulator(sound, sampleRate: sampleRate)
        let line = try modulator.makeLine()
        let demodulator = try ReaderDemodulator(sound, sampleRate: sampleRate)
        let reader = try SimulatedAudioReader(simulatedSound, sampleRate: sampleRate, path: path) {
            SimulatedReader(simulated.makeModel(), deck: deck, faults: faults)
        }
        self.sampleRate = sampleRate
        self.block = block
        self.modulator = modulator
        self.line = line
        driver = ReaderDriver(dialect)
        self.demodulator = demodulator
        self.reader = reader
    }

    mutating func perform(_ command: ReaderCommand) { take(driver.perform(command, at: now)) }

    mutating func present(_ presentation: Presentation) { reader.present(presentation) }

    mutating func unplug(_ isUnplugged: Bool = true) { reader.unplug(isUnplugged) }

    mutating func run(for duration: Duration) {
        let end = now + duration
        while now < end { step() }
    }

    /// Lets time pass until the driver is in one of some states, at most so long.
    mutating func run(until states: ReaderState..., within most: Duration = .seconds(40)) {
        let end = now + most
        while !states.contains(driver.state), now < end { step() }
    }

    private mutating func step() {
        var played: [Float] = []
        line.append(frames: block, to: &played)
        while line.takeFinished() != nil {}
        var captured: [Float] = []
        reader.exchange(played.span, into: &captured)
        frames += Int64(block)
        var messages: [[UInt8]] = []
        demodulator.receive(captured.span) { bytes in messages.append(bytes.indices.map { bytes[$0] }) }
        for message in messages { take(driver.receive(message.span, at: now)) }
        if let deadline = driver.nextDeadline, deadline <= now { take(driver.advance(to: now)) }
    }

    private mutating func take(_ outputs: [ReaderOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes): modulator.change(sending: bytes.span).apply(to: &line)
            case .power(let power):
                modulator.change(to: power).apply(to: &line)
                log.append("power \(power)")
            case .event(let event):
                events.append(event)
                log.append("\(event)")
            }
        }
    }
}
