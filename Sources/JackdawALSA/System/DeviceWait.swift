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
