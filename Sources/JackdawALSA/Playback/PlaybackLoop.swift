import Glibc
import JackdawTransport
import JackdawSystem

/// Writes sound to a device when it has room.
@safe struct PlaybackLoop<Calls: PCMCalls, Source: SoundSource>: PCMLoop {
    static var direction: PCMDirection { .playback }

    let calls: Calls
    var recovery = PCMRecovery()
    /// The end of the silence that was reported so far, while the device does not run.
    private var accountedUntil: Int64
    /// When the device was last asked how many frames it holds.
    private var lookedAt: Int64
    /// When the next written frame will be played; for a stopped device, if it started now.
    private var upcoming: Int64
    private var isStarted = false
    private let bytes: UnsafeMutableRawBufferPointer
    private let framesPerBlock: Int

    /// - Parameters:
    ///   - calls: the device.
    ///   - framesPerBlock: frames that are rendered at once.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    init(_ calls: Calls, framesPerBlock: Int, now: Int64) {
        self.calls = calls
        accountedUntil = now
        lookedAt = now
        upcoming = now
        self.framesPerBlock = framesPerBlock
        unsafe bytes = .allocate(byteCount: framesPerBlock * calls.format.bytesPerFrame, alignment: 16)
    }

    /// Frames that the device held at `lookedAt` may not have been played.
    var soundUntil: Int64 { isStarted ? lookedAt : accountedUntil }

    func close() {
        unsafe bytes.deallocate()
        calls.close()
    }

    mutating func start(_ feed: inout PlaybackFeed<Source>, now: Int64) throws(SystemFailure) {
        isStarted = false
        feed.drop()
        try makeReady()
        _ = try transfer(&feed, now: now)
    }

    /// Fills the device: with whole periods while it runs, completely before it starts.
    mutating func transfer(_ feed: inout PlaybackFeed<Source>, now: Int64) throws(SystemFailure) -> Bool {
        var room = try look(&feed, now)
        var hasWritten = false
        // One buffer at most: a device that always has room would never let this loop end.
        var most = calls.format.bufferFrames
        while room > 0, most > 0 {
            if feed.count == 0 {
                guard room >= calls.format.periodFrames || !isStarted else { break }
                feed.make(heardAt: upcoming)
            }
            let frames = try write(&feed, min(room, most))
            guard frames > 0 else { break }
            hasWritten = true
            room -= frames
            most -= frames
        }
        if isStarted {
            if hasWritten { recovery.succeed(at: now) }
        } else {
            // A device that accepts no more for the moment is filled further when it is ready again.
            if room > 0, hasWritten { throw SystemFailure(code: EAGAIN) }
            try run(&feed, now)
        }
        return hasWritten
    }

    /// Starts a filled device.
    private mutating func run(_ feed: inout PlaybackFeed<Source>, _ now: Int64) throws(SystemFailure) {
        // An empty device would have an underrun at once.
        guard feed.held > 0 else { throw SystemFailure(code: EAGAIN) }
        try calls.start()
        isStarted = true
        feed.lose(silence(now - accountedUntil))
        feed.goOn()
    }

    /// Asks the device for room, and computes when the next written frame will be played.
    private mutating func look(_ feed: inout PlaybackFeed<Source>, _ now: Int64) throws(SystemFailure) -> Int {
        let buffer = calls.format.bufferFrames
        let room = min(try calls.available(), buffer)
        feed.hold(Int64(buffer - room))
        lookedAt = now
        let stamp = (isStarted ? timestamp(now) : nil) ?? (room, now)
        upcoming = stamp.time + nanoseconds(Double(max(0, buffer - stamp.available)))
        return room
    }

    /// Writes the waiting frames.
    /// - Returns: number of frames that the device accepted.
    private mutating func write(
        _ feed: inout PlaybackFeed<Source>, _ room: Int
    ) throws(SystemFailure) -> Int {
        let format = calls.format
        let wanted = min(feed.count, room)
        let slice = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<(wanted * format.bytesPerFrame)])
        unsafe feed.encode(frames: wanted, format.encoding, into: slice)
        do throws(SystemFailure) {
            let frames = min(wanted, try unsafe calls.write(UnsafeRawBufferPointer(slice)))
            feed.take(frames)
            upcoming += nanoseconds(Double(frames))
            return frames
        } catch {
            // The device has less room than it reported.
            guard error.code == EAGAIN || error.code == EINTR else { throw error }
            return 0
        }
    }

    /// Reports the frames of silence up to now, at least one if there had been sound, and the frames that the device
    /// has lost.
    mutating func skip(_ gap: PCMGap, _ feed: inout PlaybackFeed<Source>, now: Int64) {
        switch gap {
        case .slept:
            // A device that was not started will be, and the start reports the silence.
            guard isStarted, let room = try? calls.available() else { return }
            feed.hold(Int64(max(0, calls.format.bufferFrames - room)))
            lookedAt = now
            let end = now + nanoseconds(Double(feed.held))
            feed.lose(max(1, silence(end - upcoming)))
            upcoming = end
            feed.goOn()
            return
        case .late where isStarted:
            feed.hold(0)
            feed.lose(max(1, silence(now - upcoming)))
        case .late, .reset:
            feed.drop()
            feed.lose(silence(now - soundUntil))
        }
        isStarted = false
        accountedUntil = now
    }

    private func silence(_ nanoseconds: Int64) -> Int64 { Int64(max(0, frames(nanoseconds))) }

    mutating func drain(_ feed: inout PlaybackFeed<Source>, now: Int64) -> Int32 {
        guard isStarted, !recovery.isSuspended, let room = try? look(&feed, now), feed.held > 0 else { return 0 }
        let milliseconds = (Double(feed.held) / calls.format.sampleRate * 1000).rounded(.up)
        // The device plays whole periods: after the last frame there must be silence, not older frames of its buffer.
        let bytesPerFrame = calls.format.bytesPerFrame
        let silence = unsafe UnsafeMutableRawBufferPointer(
            rebasing: bytes[..<(min(room, framesPerBlock) * bytesPerFrame)])
        unsafe silence.initializeMemory(as: UInt8.self, repeating: 0)
        if silence.count > 0 { _ = try? unsafe calls.write(UnsafeRawBufferPointer(silence)) }
        return Int32(milliseconds)
    }
}
