import Glibc
import JackdawTransport
import JackdawSystem

/// Gives sound to a device whenever it has room for some.
@safe struct PlaybackLoop<Calls: PCMCalls, Source: SoundSource>: PCMLoop {
    static var direction: PCMDirection { .playback }

    let calls: Calls
    var recovery = PCMRecovery()
    /// Up to when the silence was told of, while the device does not run.
    private var accountedUntil: Int64
    /// When it was known last how much the device held.
    private var lookedAt: Int64
    /// When what is written next will be heard, were the device to start now.
    private var upcoming: Int64
    private var isStarted = false
    private let bytes: UnsafeMutableRawBufferPointer
    private let framesPerBlock: Int

    /// - Parameters:
    ///   - calls: the device.
    ///   - framesPerBlock: frames that are made at once.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    init(_ calls: Calls, framesPerBlock: Int, now: Int64) {
        self.calls = calls
        accountedUntil = now
        lookedAt = now
        upcoming = now
        self.framesPerBlock = framesPerBlock
        unsafe bytes = .allocate(byteCount: framesPerBlock * calls.format.bytesPerFrame, alignment: 16)
    }

    /// What the device held then may not have been heard.
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

    /// Fills the device: whole periods while it runs, all of it before it starts.
    mutating func transfer(_ feed: inout PlaybackFeed<Source>, now: Int64) throws(SystemFailure) -> Bool {
        var room = try look(&feed, now)
        var hasWritten = false
        // No more than the buffer holds: a device that always has room would never let go.
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
            // One that takes no more for the moment is filled when it is ready again.
            if room > 0, hasWritten { throw SystemFailure(code: EAGAIN) }
            try run(&feed, now)
        }
        return hasWritten
    }

    /// Lets a filled device run.
    private mutating func run(_ feed: inout PlaybackFeed<Source>, _ now: Int64) throws(SystemFailure) {
        // Empty it would be late at once.
        guard feed.held > 0 else { throw SystemFailure(code: EAGAIN) }
        try calls.start()
        isStarted = true
        feed.lose(silence(now - accountedUntil))
        feed.goOn()
    }

    /// Asks the device for room, and reckons when what is written next will be heard.
    private mutating func look(_ feed: inout PlaybackFeed<Source>, _ now: Int64) throws(SystemFailure) -> Int {
        let buffer = calls.format.bufferFrames
        let room = min(try calls.available(), buffer)
        feed.hold(Int64(buffer - room))
        lookedAt = now
        let stamp = (isStarted ? timestamp(now) : nil) ?? (room, now)
        upcoming = stamp.time + nanoseconds(Double(max(0, buffer - stamp.available)))
        return room
    }

    /// Writes what waits.
    /// - Returns: frames that the device took.
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
            // It has less room than it says.
            guard error.code == EAGAIN || error.code == EINTR else { throw error }
            return 0
        }
    }

    /// Tells of the frames that were silent up to a time, one at least where there had been sound, and of those that the
    /// device has lost.
    mutating func skip(_ gap: PCMGap, _ feed: inout PlaybackFeed<Source>, now: Int64) {
        switch gap {
        case .slept:
            // Where it had not been started, it will be, and that tells.
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
        // The device plays whole periods: behind the last frame there shall be silence, not what its buffer held before.
        let bytesPerFrame = calls.format.bytesPerFrame
        let silence = unsafe UnsafeMutableRawBufferPointer(
            rebasing: bytes[..<(min(room, framesPerBlock) * bytesPerFrame)])
        unsafe silence.initializeMemory(as: UInt8.self, repeating: 0)
        if silence.count > 0 { _ = try? unsafe calls.write(UnsafeRawBufferPointer(silence)) }
        return Int32(milliseconds)
    }
}
