internal import CLinux
import Glibc

/// Finds the addresses of hosts.
package struct HostLookup: Sendable {
    /// Why there are none.
    package struct Failure: Error, Hashable {
        /// The number of `getaddrinfo`.
        package let code: Int32
        /// The words for it.
        package let message: String

        package init(code: Int32, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// Looks a host up, taking as long as that takes: its name or its address in digits, the port, and whether digits are
    /// all that it may be.
    private let look: @Sendable (String, UInt16, _ isNumeric: Bool) -> Result<[SocketAddress], Failure>

    package init(
        _ look: @escaping @Sendable (String, UInt16, _ isNumeric: Bool) -> Result<[SocketAddress], Failure> = system
    ) {
        self.look = look
    }

    /// The addresses of a host whose address is written in digits; nil where it is a name.
    package func numeric(_ host: String, port: UInt16) -> [SocketAddress]? {
        guard case .success(let addresses) = look(host, port, true), !addresses.isEmpty else { return nil }
        return addresses
    }

    private struct Waiting {
        var continuation: CheckedContinuation<Result<[SocketAddress], Failure>?, Never>?
        var isOver = false
    }

    /// The addresses of a host, the best one first. A name is looked up in a thread of its own, which is left alone when the
    /// task is cancelled.
    /// - Returns: at least one; nil where the task was cancelled.
    package func addresses(of host: String, port: UInt16) async throws(Failure) -> [SocketAddress]? {
        if let numeric = numeric(host, port: port) { return numeric }
        let waiting = SystemLock(Waiting())
        let end = { @Sendable (result: Result<[SocketAddress], Failure>?) in
            let continuation = waiting.withLock { waiting in
                defer { waiting.continuation = nil }
                waiting.isOver = true
                return waiting.continuation
            }
            continuation?.resume(returning: result)
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = waiting.withLock { waiting in
                    if !waiting.isOver { waiting.continuation = continuation }
                    return !waiting.isOver
                }
                guard waits else { return continuation.resume(returning: nil) }
                do throws(SystemFailure) {
                    try WorkerThread(name: "jackdaw-lookup") { [look] in end(look(host, port, false)) }.detach()
                } catch {
                    end(.failure(Failure(code: EAI_SYSTEM, message: error.message)))
                }
            }
        } onCancel: {
            end(nil)
        }
        guard let addresses = try result?.get() else { return nil }
        guard !addresses.isEmpty else { throw Failure(code: EAI_NONAME, message: "no address") }
        return addresses
    }

    /// The system's own way.
    package static func system(
        _ host: String, _ port: UInt16, _ isNumeric: Bool
    ) -> Result<[SocketAddress], Failure> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            let words = code == EAI_SYSTEM ? SystemFailure.last.message : unsafe String(cString: gai_strerror(code))
            return .failure(Failure(code: code, message: words))
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            let size = unsafe Int(entry.pointee.ai_addrlen)
            let bytes = unsafe UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: size)
            addresses.append(SocketAddress(bytes: unsafe Array(bytes)))
            unsafe next = entry.pointee.ai_next
        }
        return .success(addresses)
    }
}
