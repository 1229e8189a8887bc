import Glibc
import Synchronization

@testable import JackdawALSA
import JackdawSystem

/// How many frames a device may have brought, and what became of it.
final class PCMMeter: Sendable {
    private let allowed = Atomic(0)
    private let taken = Atomic(0)
    private let closed = Atomic(0)
    private let late = Atomic(false)

    /// Lets so many more frames come.
    func allow(_ frames: Int) { allowed.wrappingAdd(frames, ordering: .sequentiallyConsistent) }

    /// Frames that are there and have not been read.
    var left: Int { allowed.load(ordering: .sequentiallyConsistent) - taken.load(ordering: .sequentiallyConsistent) }

    /// How often the device was given back.
    var closings: Int { closed.load(ordering: .sequentiallyConsistent) }

    /// Waits until the stream's thread has read so many of the frames that may come that fewer are left than this.
    func waitUntilLess(than frames: Int) { while left >= frames { sched_yield() } }

    /// Keeps the stream's thread from a device that runs until that has run out.
    func makeLate() { late.store(true, ordering: .sequentiallyConsistent) }

    fileprivate func takeLateness() -> Bool { late.exchange(false, ordering: .sequentiallyConsistent) }
    fileprivate func take(_ frames: Int) { taken.wrappingAdd(frames, ordering: .sequentiallyConsistent) }
    fileprivate func close() { closed.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}

/// A device of libasound's that brings no more than a test lets it, as the plug-ins of the library itself have no
/// clock; and is left alone for too long when a test wants it to be.
final class MeteredPCM: PCMCalls {
    private let pcm: LibraryPCM
    private let meter: PCMMeter

    init(_ pcm: LibraryPCM, _ meter: PCMMeter) {
        self.pcm = pcm
        self.meter = meter
    }

    var format: StreamFormat { pcm.format }
    func drop() { pcm.drop() }
    func prepare() throws(SystemFailure) { try pcm.prepare() }
    func start() throws(SystemFailure) { try pcm.start() }
    func resume() throws(SystemFailure) { try pcm.resume() }
    func state() -> PCMState { pcm.state() }

    func available() throws(SystemFailure) -> Int {
        // Ends with the error of the library for a device that no one has served.
        if pcm.state() == .running, meter.takeLateness() { while true { _ = try pcm.available() } }
        return min(try pcm.available(), meter.left)
    }

    func timestamp() -> (available: Int, time: Int64)? { pcm.timestamp() }

    func read(_ bytes: UnsafeMutableRawBufferPointer) throws(SystemFailure) -> Int {
        let frames = try unsafe pcm.read(bytes)
        meter.take(frames)
        return frames
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) -> Int { try unsafe pcm.write(bytes) }
    var descriptorCount: Int { pcm.descriptorCount }
    func fill(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(SystemFailure) { try unsafe pcm.fill(entries) }

    func condition(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(SystemFailure) -> PollDescriptor.Conditions {
        try unsafe pcm.condition(entries)
    }

    func close() {
        pcm.close()
        meter.close()
    }
}

/// Opens devices of libasound's under a meter.
struct MeteredOpener: PCMOpener {
    let meter: PCMMeter

    func open(_ configuration: StreamConfiguration, _ direction: PCMDirection) throws(SystemFailure) -> MeteredPCM {
        MeteredPCM(try LibraryOpener().open(configuration, direction), meter)
    }
}
