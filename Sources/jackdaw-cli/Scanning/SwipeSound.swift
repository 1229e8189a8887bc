import JackdawAudioFile
import JackdawDSP

/// Swipes from text to file, with the command's errors.
enum SwipeSound {
    /// The sound of one track.
    /// - Parameters:
    ///   - text: with or without sentinels.
    ///   - track: gives the character code and the density.
    ///   - configuration: the swipe.
    /// - Returns: samples, full scale -1 to 1.
    /// - Throws: ``CommandError`` with status `usage`: what cannot be written, or a value out of range.
    static func render(
        _ text: String, _ track: TrackNumber, _ configuration: SwipeSynthesizer.Configuration
    ) throws(CommandError) -> [Float] {
        let message: TrackMessage
        do throws(TrackMessageError) {
            message = try TrackMessage(text, code: track.characterCode, addsSentinels: true)
        } catch {
            throw CommandError(.usage, "track \(track.rawValue): \(error)")
        }
        do throws(SwipeSynthesizerError) {
            return try SwipeSynthesizer(configuration: configuration).render(FluxStripe(message, track: track))
        } catch {
            throw CommandError(.usage, error.message)
        }
    }

    /// Writes channels side by side; those that end first are filled up with silence.
    /// - Throws: ``CommandError``, and there is no new file.
    static func write(_ channels: [[Float]], to path: String, sampleRate: Double) throws(CommandError) {
        let frames = channels.map(\.count).max() ?? 0
        let interleaved = (0..<frames).flatMap { frame in channels.map { frame < $0.count ? $0[frame] : 0 } }
        try asCommand(isOutput: true) { () throws(AudioFileError) in
            var writer = try AudioFileWriter(path: path, sampleRate: sampleRate, channels: channels.count)
            try writer.write(interleaved.span)
            try writer.finish()
        }
    }
}
