/// Keeps a capture device going.
typealias CaptureEngine<Opener: PCMOpener> = StreamEngine<Opener, CaptureLoop<Opener.Calls>>

extension StreamEngine where Loop == CaptureLoop<Opener.Calls> {
    /// - Parameters:
    ///   - calls: the open device.
    ///   - opener: opens it again, as it was.
    ///   - configuration: how.
    ///   - ring: gets the sound.
    init(_ calls: Opener.Calls, _ opener: Opener, _ configuration: StreamConfiguration, ring: BlockRing) {
        self.init(calls, opener, configuration, framesPerBlock: ring.framesPerBlock, sound: BlockWriter(ring))
    }
}
