import Foundation
import Glibc
import JackdawAudioFile
import Synchronization

/// Plays a recording into ALSA's `file` plug-in through a pipe, as fast as it is taken and less than a second ahead, so
/// that nothing is lost.
final class LiveFeed: Sendable {
    /// The name that opens the sound card which captures this.
    let device: String

    private let path: String
    private let pipe: Int32
    private let credits = DispatchSemaphore(value: periodsAhead)
    private let seconds = Mutex(0.0)
    private let ended = DispatchSemaphore(value: 0)

    /// A stream collects half a second before it wakes its reader, and holds a second for a late one; the plug-in
    /// always reports a full buffer, and the pipe makes it wait.
    private static let periodsAhead = 150

    /// - Throws: ``CorpusError`` where no pipe can be made.
    init() throws {
        path = NSTemporaryDirectory() + "jackdaw-live-" + UUID().uuidString
        guard unsafe mkfifo(path, 0o600) == 0 else { throw CorpusError(description: "\(path): no pipe can be made") }
        // Both ends: the plug-in finds a writer.
        pipe = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard pipe >= 0 else { throw CorpusError(description: "\(path): cannot be opened") }
        device = #"plug:{SLAVE {type file file "/dev/null" format raw infile "\#(path)" slave {pcm null}}}"#
    }

    /// Starts to play; the plug-in has opened its end, and the pipe needs no name any more.
    func play(_ path: String, period: Int) throws {
        // What cannot be read is said here; the thread opens it for itself.
        _ = try AudioFileReader(path: path)
        unsafe unlink(self.path)
        Thread.detachNewThread { [self] in
            try? write(path, period: period)
            var time = timespec()
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            seconds.withLock { $0 = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
            ended.signal()
        }
    }

    /// Whole periods: the plug-in does not look how much it has read.
    private func write(_ path: String, period: Int) throws {
        var reader = try AudioFileReader(path: path)
        var samples = [Int16](repeating: 0, count: period)
        while true {
            var room = samples.mutableSpan
            guard try reader.read(into: &room) == period else { return }
            credits.wait()
            unsafe samples.withUnsafeBytes { _ = unsafe Glibc.write(pipe, $0.baseAddress, $0.count) }
        }
    }

    /// A period has been taken out at the other side.
    func take() { credits.signal() }

    /// Ends the pipe: who reads on gets nothing, and does not wait.
    /// - Returns: seconds of processor time that went into playing.
    func end() -> Double {
        ended.wait()
        close(pipe)
        return seconds.withLock { $0 }
    }
}
