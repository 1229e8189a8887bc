import Foundation
import Testing

@testable import JackdawALSA

/// The lab's sound card `jdsim` through libasound itself: files in place of sockets, but a clock, periods and a buffer
/// as hardware has them, and losses for a late program.
enum SimulatedCard {
    static let isPossible = PlugIns.isPossible && PlugIns.lab("pcm_jdsim.c") != nil
    static let needs: Comment = "it needs the lab's plug-ins, a C compiler and libasound2-dev"

    static func make() throws -> PlugIns {
        // Behind `plug`, it converts.
        let card = #"type jdsim infile $IN outfile $OUT speed $SPEED rate $RATE"#
        let arguments = """
            @args [ IN OUT SPEED RATE ]
            @args.IN { type string default "/dev/null" }
            @args.OUT { type string default "/dev/null" }
            @args.SPEED { type integer default 1 }
            @args.RATE { type integer default 0 }
            """
        return try PlugIns([try #require(PlugIns.lab("pcm_jdsim.c"))]) { _ in
            """
            pcm.jd { \(arguments)
            \(card) }
            pcm.plugjd { \(arguments)
            type plug slave.pcm { \(card) } }
            """
        }
    }

    /// The name that opens it.
    /// - Parameters:
    ///   - name: `plugjd` for one that converts.
    ///   - input: the file of bare samples that is captured, with silence after it.
    ///   - output: the file that what is played is written to.
    ///   - speed: how many times faster than a real one it runs.
    ///   - rate: the only rate that it has (Hz); 0 for any.
    /// - Returns: a name for ALSA.
    static func device(
        _ name: String = "jd", input: String = "/dev/null", output: String = "/dev/null", speed: Int = 1, rate: Int = 0
    ) -> String {
        "\(name):IN='\(input)',OUT='\(output)',SPEED=\(speed),RATE=\(rate)"
    }

    /// Captures with a stream what a file of bare samples has, many times faster than it sounds; where this machine is
    /// too busy for that, more slowly, and again where it stood still for a moment.
    static func capture(
        _ path: String, _ configuration: StreamConfiguration, frames: Int, rate: Int = 0, usesStrongTier: Bool = true
    ) throws -> LibraryCapture {
        for speed in [8, 2, 1, 1, 1] {
            var configuration = configuration
            configuration.device = device(input: path, speed: speed, rate: rate)
            configuration.latency = .safe
            configuration.secondsHeld = 60
            configuration.reopens = false
            let capture = try LibraryCapture(configuration, streaming: frames, usesStrongTier: usesStrongTier)
            if let capture { return capture }
        }
        throw TooBusy()
    }

    /// At its own speed a card holds half a second of sound for a late stream, and that was too little.
    struct TooBusy: Error {}
}
