import Glibc
import JackdawAudioFile

/// Reads the input, after `RIFF....WAVE`, as a file: it must give finite samples, no more than it has bytes for, or be
/// refused as bad data.
@c(LLVMFuzzerTestOneInput)
public func fuzzWAV(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count >= 12 else { return -1 }
    bytes.replaceSubrange(0..<4, with: Array("RIFF".utf8))
    bytes.replaceSubrange(8..<12, with: Array("WAVE".utf8))
    let written = unsafe pwrite(file, bytes, bytes.count, 0)
    precondition(written == bytes.count && ftruncate(file, written) == 0, "the file cannot be written")
    do throws(AudioFileError) {
        try read(count: bytes.count)
    } catch {
        precondition(error.code.exitStatus == 65, "\(error)")
        precondition(!error.description.contains("\n"), "an error of several lines")
    }
    return 0
}

/// A file without a name, the same for all runs.
private let file = unsafe fileno(tmpfile())

private func read(count: Int) throws(AudioFileError) {
    var reader = try AudioFileReader(path: "/proc/self/fd/\(file)")
    var block = AudioBlock<Float>(channels: reader.format.channels, capacity: 512)
    // The least that any encoding takes of a sample is a bit (ADPCM of few bits), and its blocks may be padded.
    let most = 8 * count + 65_536
    while try reader.read(into: &block) > 0 {
        precondition(reader.framesRead <= most, "more frames than the file can hold")
        for channel in 0..<block.channels {
            block.withChannel(channel) { samples in
                precondition(samples.indices.allSatisfy { samples[$0].isFinite }, "a sample that is not a number")
            }
        }
    }
}
