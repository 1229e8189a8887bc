internal import CALSA
import Glibc
import JackdawSystem

/// Where the thread of a stream waits: for its device, and for its owner. It allocates when the device changes only.
@safe final class DeviceWait {
    /// What ended a wait.
    enum Outcome: Equatable {
        /// What the device answered; empty where the time ran out.
        case device(PollDescriptor.Conditions)
        /// The device cannot be waited for.
        case failed(SystemFailure)
    }

    private var entries = UnsafeMutableBufferPointer<pollfd>.allocate(capacity: 1)

    /// - Parameter wakeUp: ends every wait.
    init(_ wakeUp: WakeUp) {
        unsafe entries[0] = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
    }

    deinit { unsafe entries.deallocate() }

    /// Waits for a device.
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

    /// Lets time pass.
    func wait(milliseconds: Int32) { _ = unsafe poll(entries.baseAddress, 1, milliseconds) }

    private func grow(to count: Int) {
        let larger = UnsafeMutableBufferPointer<pollfd>.allocate(capacity: count)
        unsafe larger.initialize(repeating: entries[0])
        unsafe entries.deallocate()
        unsafe entries = larger
    }
}

/// A file descriptor, what is waited for at it, and what came.
package struct PollDescriptor: Sendable, Hashable {
    /// What can be waited for, and what can come (`poll.h`).
    package struct Conditions: OptionSet, Sendable, Hashable {
        /// The bits of `POLLIN` and its relatives.
        package let rawValue: Int16

        /// A set of the system's bits.
        package init(rawValue: Int16) { self.rawValue = rawValue }

        /// There is something to read.
        package static let readable = Conditions(rawValue: Int16(POLLIN))
        /// The other side has failed.
        package static let failed = Conditions(rawValue: Int16(POLLERR))
        /// The other side has gone.
        package static let hungUp = Conditions(rawValue: Int16(POLLHUP))
        /// The descriptor is none.
        package static let invalid = Conditions(rawValue: Int16(POLLNVAL))

        /// Whether nothing more will come.
        var isEnd: Bool { contains(.failed) || hasNoDevice }

        /// Whether there is nothing behind the descriptor any more. A set literal would allocate where nobody optimises.
        var hasNoDevice: Bool { contains(.hungUp) || contains(.invalid) }
    }

    /// The number of the descriptor.
    package let number: Int32
    /// What is waited for.
    package let awaited: Conditions
    /// What came.
    package internal(set) var answer: Conditions = []
}

/// How this module waits and tells the time; tests have a clock of their own.
protocol Waiting: Sendable {
    /// The time now, in nanoseconds of the monotonic clock.
    func now() -> Int64
    /// Waits until something comes at one of the descriptors. The corresponding C function is `poll`.
    /// - Parameters:
    ///   - descriptors: where; gets what came.
    ///   - milliseconds: how long at most.
    /// - Throws: ``SystemFailure``, with `EINTR` where a signal came.
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
