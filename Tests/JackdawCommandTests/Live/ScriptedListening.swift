import ArgumentParser
import JackdawDSP
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// `jackdaw listen` in this process, on a scripted port.
enum ScriptedListening {
    /// Hertz.
    static let rate = 48_000.0
    /// Half a second.
    static let silence = [Float](repeating: 0, count: 24_000)
    /// The time of day of every event.
    static let time = "2026-01-31T09:05:00.250Z"

    /// The sound of a swipe of one track.
    static func swipe(_ track: TrackNumber, level: Float = 1) throws -> [Float] {
        let configuration = SwipeSynthesizer.Configuration(sampleRate: rate)
        return try SwipeSound.render(TestCard.text(track), track, configuration).map { $0 * level }
    }

    /// Swipes of track 2, each with silence after it.
    static func swipes(_ count: Int) throws -> [ScriptedPort.Step] {
        [[ScriptedPort.Step]](repeating: [.sound(try swipe(.two)), .sound(silence)], count: count).flatMap(\.self)
    }

    /// An environment whose only sound device is the port, without mixer and jacks.
    static func environment(_ port: ScriptedPort) -> CommandEnvironment {
        var environment = CommandEnvironment()
        environment.capture = { _, _, _ throws(LinkError) in port }
        environment.mixer = { _ throws(LinkError) in nil }
        environment.jacks = { _ throws(LinkError) in nil }
        let start = ContinuousClock.now
        environment.now = { start + port.elapsed }
        environment.wallClock.now = { .milliseconds(1_769_850_300_250) }
        return environment
    }

    /// Runs `listen` with the given arguments until the port ends.
    static func run(
        _ arguments: [String] = [], to port: ScriptedPort, isWatched: Bool = false, isFull: Bool = false,
        isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) throws -> (status: Int32, lines: [String], messages: String) {
        let verb = try #require(try JackdawCommand.parseAsRoot(["listen"] + arguments) as? Listen)
        var environment = environment(port)
        environment.isInterrupted = isInterrupted
        let recorder = ConsoleRecorder(isWatched: isWatched, isFull: isFull)
        let status = status(of: verb, recorder, environment)
        return (status, recorder.output.split(separator: "\n").map(String.init), recorder.messages)
    }

    /// Runs the verb, and ends its output.
    static func status(of verb: Listen, _ recorder: ConsoleRecorder, _ environment: CommandEnvironment) -> Int32 {
        defer { recorder.console.flush() }
        do throws(CommandError) {
            return try verb.run(on: recorder.console, in: environment).rawValue
        } catch {
            recorder.console.message(error.message)
            return error.status.rawValue
        }
    }
}
