/// Reads the interleaved frames of an input, front to back, and counts them.
struct FrameSource: ~Copyable, Sendable {
    let format: AudioFormat
    /// Frames that the input holds or claims to hold, or nil if only reading to its end shows that.
    let claimedFrames: Int?
    private(set) var framesRead = 0
    private(set) var isTruncated: Bool
    private(set) var replacedSamples = 0

    private let sound: SoundHandle
    private var remaining: Int
    /// An error that followed frames; the next read throws it, after the caller received the frames.
    private var pendingFailure: AudioFileError?

    init(_ sound: consuming SoundHandle) {
        format = sound.format
        claimedFrames = sound.claimedFrames
        isTruncated = sound.isTruncated
        remaining = sound.claimedFrames ?? .max
        self.sound = sound
    }

    /// Waits until a pipe has sent a frame.
    /// - Returns: the number of frames that can be read without waiting, 0 if none arrived in time; nil for a file, and
    ///   at the end.
    func framesReady(within timeout: Duration) -> Int? {
        remaining > 0 && pendingFailure == nil ? sound.framesReady(within: timeout) : nil
    }

    /// Reads frames until the requested number is complete or the input ends. Compressed sound ends at damage that
    /// cannot be decoded.
    /// - Returns: frames read; fewer than requested at the end.
    /// - Throws: ``AudioFileError`` with code `io` if no frame was read, or `damaged` if the input has no readable
    ///   frame at all.
    mutating func read<Sample: LibrarySample>(
        _ samples: UnsafeMutableBufferPointer<Sample>, frames: Int
    ) throws(AudioFileError) -> Int {
        if let failure = pendingFailure.take() { throw failure }
        let wanted = min(frames, remaining)
        guard wanted > 0 else { return 0 }
        let count: Int
        do throws(AudioFileError) {
            count = try unsafe sound.read(samples, frames: wanted)
        } catch {
            guard error.code == .damaged, framesRead > 0 else { throw error }
            count = 0
        }
        guard count > 0 else {
            isTruncated = isTruncated || claimedFrames != nil
            remaining = 0
            return 0
        }
        if format.encoding.isFloatingPoint {
            replacedSamples += unsafe Sample.replaceNonFinite(in: samples.extracting(..<(count * format.channels)))
        }
        framesRead += count
        remaining -= count
        return count
    }

    /// Reads frames piece by piece through a buffer.
    /// - Parameters:
    ///   - buffer: room for one frame or more.
    ///   - frames: the total number of frames.
    ///   - deliver: receives a piece and the number of frames before it.
    /// - Returns: frames read; fewer than requested at the end.
    /// - Throws: ``AudioFileError`` as ``read(_:frames:)`` does.
    mutating func read<Sample: LibrarySample>(
        through buffer: UnsafeMutableBufferPointer<Sample>, frames: Int,
        deliver: (UnsafeBufferPointer<Sample>, Int) -> Void
    ) throws(AudioFileError) -> Int {
        let room = buffer.count / format.channels
        var done = 0
        while done < frames {
            let wanted = min(room, frames - done)
            let count: Int
            do throws(AudioFileError) {
                count = try unsafe read(buffer, frames: wanted)
            } catch {
                guard done > 0 else { throw error }
                pendingFailure = error
                break
            }
            unsafe deliver(UnsafeBufferPointer(buffer.extracting(..<(count * format.channels))), done)
            done += count
            guard count == wanted else { break }
        }
        return done
    }
}

/// A 16-bit sample v at full scale ±1: exactly v / 32,768.
@inline(__always)
func scaled(_ sample: Int16) -> Float { Float(sample) * 0x1p-15 }

/// Quantises a sample to an integer: x · 2^(bits-1), rounded to the nearest and limited to the range of the bits.
/// - Parameters:
///   - sample: full scale ±1; samples that are not finite become 0.
///   - bits: 16 or 24.
/// - Returns: a number of that many bits.
@inline(__always)
func quantised(_ sample: Float, bits: Int) -> Int32 {
    let fullScale = Float(1 << (bits - 1))
    guard sample.isFinite else { return 0 }
    return Int32(min(max(sample * fullScale, -fullScale), fullScale - 1).rounded(.toNearestOrEven))
}

/// Extracts one channel from interleaved samples.
@inline(__always)
func take<From, To>(
    _ channel: Int, of channels: Int, from source: UnsafeBufferPointer<From>,
    into target: UnsafeMutableBufferPointer<To>, _ convert: (From) -> To
) {
    // The compiler vectorises only the plain loop for one channel.
    if channels == 1 {
        for index in source.indices { unsafe target[index] = convert(source[index]) }
    } else {
        for index in 0..<(source.count / channels) {
            unsafe target[index] = convert(source[index * channels + channel])
        }
    }
}
