import JackdawTransport

@testable import JackdawALSA

/// A source whose samples are their own numbers, so that one that is missing or comes twice is
/// seen; silent after its end.
struct CountingSource: SoundSource {
    let channelCount: Int
    /// Frames that are not silent.
    var end = Int64.max
    private(set) var position: Int64 = 0

    init(channels: Int = 1, frames: Int64 = .max) {
        channelCount = channels
        end = frames
    }

    var isSilent: Bool { position >= end }

    mutating func render(into block: inout MutableSpan<Float>) {
        for index in block.indices {
            let frame = position + Int64(index / channelCount)
            block[index] = frame < end ? Self.sample(frame, channel: index % channelCount) : 0
        }
        position += Int64(block.count / channelCount)
    }

    static func sample(_ frame: Int64, channel: Int) -> Float {
        ScriptedPCM.sample(frame) * (channel.isMultiple(of: 2) ? 1 : -1)
    }
}
