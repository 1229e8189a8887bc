import Glibc
import JackdawALSA
import JackdawDSP
import JackdawReaders
import JackdawTransport

/// Lets streams run, for a test to count what their threads do (`Tests/Lab/audio_path.c`).
@main
enum AudioPath {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { exit(64) }
        let configuration = StreamConfiguration(device: arguments[2], sampleRate: 48_000, reopens: false)
        // A first time for what the language's runtime does on the first use of a type.
        for _ in 1...2 {
            switch arguments[1] {
            case "capture": try capture(configuration)
            case "play": try play(configuration)
            case "wasteful": try playWastefully(configuration)
            default: exit(64)
            }
        }
    }

    /// Ten seconds of sound.
    private static func capture(_ configuration: StreamConfiguration) throws {
        let stream = try CaptureStream(configuration)
        var frames = 0
        while frames < 480_000 { _ = try stream.receive(within: .seconds(1)) { frames += $1.count } }
        stream.close()
    }

    /// A line with commands, some of which are released when they end; it changes to other tones, and stops.
    private static func play(_ configuration: StreamConfiguration) throws {
        let tones = PowerToneProfile.uniMag
        let stream = try PlaybackStream(configuration) { format in
            var line = try PoweredLine(tones.connecting, sampleRate: format.sampleRate)
            for _ in 0..<PoweredLine.commandsHeld { try line.enqueue(sound(frames: 480), .inserted) }
            return line
        }
        let joins: [PoweredLine.Join] = [.added, .inserted, .replacing(.soft)]
        for round in 0..<48 {
            // Now and then one that sounds for longer than what was sent is kept, which the next but one makes go.
            let isLong = round % 24 == 23
            let frames = isLong ? 600_000 : 4_800
            let change = stream.perform { [join = joins[round % 3], command = sound(frames: frames)] line in
                try? line.enqueue(command, join)
            }
            if isLong {
                try wait(for: stream.perform { _ in }, stream, frames: 500_000)
                stream.perform { _ in }
            }
            try wait(for: change, stream, frames: frames)
            let tone = round % 2 == 0 ? tones.holding : tones.connecting
            stream.perform { try? $0.change(to: tone) }
        }
        try wait(for: stream.perform { $0.reset() }, stream, frames: 48_000)
        stream.perform { try? $0.stop() }
        _ = stream.finish(within: .seconds(60))
    }

    /// What the test has to notice.
    private static func playWastefully(_ configuration: StreamConfiguration) throws {
        let stream = try PlaybackStream(configuration) { _ in Waste() }
        try wait(for: stream.perform { _ in }, stream, frames: 48_000)
        stream.close()
    }

    private static func sound(frames: Int) -> [Float] { (0..<2 * frames).map { Float($0 % 100) / 200 } }

    /// Waits until so many frames after a change were played.
    private static func wait(
        for change: PlaybackChange, _ stream: PlaybackStream<some SoundSource>, frames: Int
    ) throws {
        while change.beginning.map({ stream.status.framesWritten < $0.position + Int64(frames) }) ?? true {
            _ = try stream.receive(within: .milliseconds(1))
        }
    }
}

/// A source that takes memory for each block, as none should.
private struct Waste: SoundSource {
    let channelCount = 1
    private var block: [Float] = []

    mutating func render(into block: inout MutableSpan<Float>) {
        self.block = Array(repeating: 0, count: block.count)
        for index in block.indices { block[index] = self.block[index] }
    }
}
