internal import CALSA
import Glibc
import JackdawSystem

/// The wait of a stream's thread: for its device, and for its owner. It allocates only when the number of the device's
/// descriptors changes.
@safe final class DeviceWait {
    /// The result of a wait.
    enum Outcome: Equatable {
        /// The device's answer; empty after a timeout.
        case device(PollDescriptor.Conditions)
        /// The device cannot be polled.
        case failed(SystemFailure)
    }

    private var entries = UnsafeMutableBufferPointer<pollfd>.allocate(capacity: 1)

    /// - Parameter wakeUp: ends each wait.
    init(_ wakeUp: WakeUp) {
        unsafe entries[0] = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
    }

    deinit { unsafe entries.deallocate() }

    /// Waits until the device is ready, the owner rings, or the time is over.
    func wait(for calls: some PCMCalls, milliseconds: Int32) -> Outcome {
        do throws(SystemFailure) {
            let count = calls.descriptorCount
            if unsafe count + 1 != entries.count { grow(to: count + 1) }
            let device = unsafe UnsafeMutableBufferPointer(rebasing: entries[1...])
            try unsafe calls.fill(device)
            let ready = unsafe poll(entries.baseAddress, nfds_t(entries.count), milliseconds)
            guard ready >= 0 else { return errno == EINTR ? .device([]) : .failed(.last) }
            return .device(ready == 0 ? [] : try unsafe calls.condition(device))
        } catch {
            return .failed(error)
        }
    }

    /// Waits for a time, or until the owner rings.
    func wait(milliseconds: Int32) { _ = unsafe poll(entries.baseAddress, 1, milliseconds) }

    private func grow(to count: Int) {
        let larger = UnsafeMutableBufferPointer<pollfd>.allocate(capacity: count)
        unsafe larger.initialize(repeating: entries[0])
        unsafe entries.deallocate()
        unsafe entries = larger
    }
}

/// A file descriptor with the conditions to wait for, and its answer.
package struct PollDescriptor: Sendable, Hashable {
    /// Conditions to wait for or to return (`poll.h`).
    package struct Conditions: OptionSet, Sendable, Hashable {
        package let rawValue: Int16

        package init(rawValue: Int16) { self.rawValue = rawValue }

        /// Bytes or events can be read.
        package static let readable = Conditions(rawValue: Int16(POLLIN))
        /// The other side has failed.
        package static let failed = Conditions(rawValue: Int16(POLLERR))
        /// The other side has disconnected.
        package static let hungUp = Conditions(rawValue: Int16(POLLHUP))
        /// The descriptor is not open.
        package static let invalid = Conditions(rawValue: Int16(POLLNVAL))

        /// Whether no more events will come.
        var isEnd: Bool { contains(.failed) || hasNoDevice }

        /// Whether the device of the descriptor is gone. A set literal would allocate in unoptimised builds.
        var hasNoDevice: Bool { contains(.hungUp) || contains(.invalid) }
    }

    package let number: Int32
    /// The conditions to wait for.
    package let awaited: Conditions
    /// The conditions that `poll` returned.
    package internal(set) var answer: Conditions = []
}

/// The clock and the wait of this module; tests use a simulated clock.
protocol Waiting: Sendable {
    /// The time now, in nanoseconds of the monotonic clock.
    func now() -> Int64
    /// Waits until one of the descriptors is ready. The corresponding C function is `poll`.
    /// - Parameters:
    ///   - descriptors: the descriptors to poll; their answers are updated.
    ///   - milliseconds: the longest wait.
    /// - Throws: `SystemFailure`, with `EINTR` after a signal.
    func wait(for descriptors: inout [PollDescriptor], milliseconds: Int32) throws(SystemFailure)
}

/// The system's own clock and `poll`.
struct SystemWaiting: Waiting {
    func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    func wait(for descriptors: inout [PollDescriptor], milliseconds: Int32) throws(SystemFailure) {
        var entries = descriptors.map { pollfd(fd: $0.number, events: $0.awaited.rawValue, revents: 0) }
        guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) >= 0 else { throw .last }
        for (place, entry) in entries.enumerated() {
            descriptors[place].answer = PollDescriptor.Conditions(rawValue: entry.revents)
        }
    }
}
