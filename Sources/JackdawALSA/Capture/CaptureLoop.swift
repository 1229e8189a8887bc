import JackdawSystem

/// Takes sound from a device whenever it has some.
@safe struct CaptureLoop<Calls: PCMCalls>: PCMLoop {
    static var direction: PCMDirection { .capture }

    let calls: Calls
    var recovery = PCMRecovery()
    /// When the last frame that was read had been recorded; before the first one, when recording was to begin.
    private(set) var soundUntil: Int64
    private let bytes: UnsafeMutableRawBufferPointer
    private let framesPerBlock: Int
    private var hasRecorded = false

    /// - Parameters:
    ///   - calls: the device.
    ///   - framesPerBlock: frames that are read at once, at most.
    ///   - now: the time, in nanoseconds of the monotonic clock: what is recorded later than that is told to be lost.
    init(_ calls: Calls, framesPerBlock: Int, now: Int64) {
        self.calls = calls
        soundUntil = now
        self.framesPerBlock = framesPerBlock
        unsafe bytes = .allocate(byteCount: framesPerBlock * calls.format.bytesPerFrame, alignment: 16)
        // Some plug-ins say that they have filled what they have not.
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Overwrites the memory that sound went through, and gives it back with the device.
    func close() {
        unsafe wipe(bytes)
        unsafe bytes.deallocate()
        calls.close()
    }

    func start(_ writer: inout BlockWriter, now: Int64) throws(SystemFailure) {
        try makeReady()
        try calls.start()
    }

    /// Reads whole periods, as many as are there.
    mutating func transfer(_ writer: inout BlockWriter, now: Int64) throws(SystemFailure) -> Bool {
        var available = try calls.available()
        var hasRead = false
        let format = calls.format
        // No more than the buffer holds: a device that always has more would never let go.
        var most = format.bufferFrames
        while available >= format.periodFrames, most > 0 {
            let stamp = timestamp(now) ?? (available, now)
            let wanted = min(available, framesPerBlock)
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<(wanted * format.bytesPerFrame)])
            let frames = min(wanted, try unsafe calls.read(room))
            guard frames > 0 else { return hasRead }
            let time = stamp.time - nanoseconds(Double(stamp.available))
            let filled = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<(frames * format.bytesPerFrame)])
            writer.write(frames: frames, time: time) { unsafe format.encoding.decode(filled, into: &$0) }
            soundUntil = time + nanoseconds(Double(frames))
            recovery.succeed(at: now)
            hasRecorded = true
            hasRead = true
            available -= frames
            most -= frames
        }
        return hasRead
    }

    /// Tells of the frames that were not recorded up to a time: by the clock, and one at least where there had been sound.
    mutating func skip(_ gap: PCMGap, _ writer: inout BlockWriter, now: Int64) {
        let lost = max(hasRecorded ? 1 : 0, frames(now - soundUntil))
        writer.lose(Int64(lost))
        soundUntil += nanoseconds(lost)
    }

    /// What nobody takes any more needs no time.
    func drain(_ writer: inout BlockWriter, now: Int64) -> Int32 { 0 }
}

extension BlockWriter: PCMSound {
    var isOver: Bool { false }
}
