import Dispatch
import JackdawEMV
import JackdawSandbox
import JackdawTransport

/// A hash function of passwords that a server may ask in advance, so that other requests do not wait for it: a few
/// verifications run at once, each on a thread of its own, and the sandbox finds their results.
final class HashingInAdvance: PasswordHashing {
    /// A verification that the sandbox has not asked for yet.
    private struct Result {
        let password: SecretOctets
        let hash: String
        let isRight: Bool
    }

    /// The most results that wait. The sandbox does not ask for all: a fault may come before.
    private static let mostResults = 64

    private let hashing: any PasswordHashing
    private let queues: [DispatchQueue]
    private let state = Lock((next: 0, results: [Result]()))

    /// - Parameters:
    ///   - hashing: the hash function.
    ///   - count: the most verifications at once, 1 or more. Default: 2.
    init(_ hashing: any PasswordHashing, count: Int = 2) {
        self.hashing = hashing
        queues = (0..<max(1, count)).map { DispatchQueue(label: "password \($0)") }
    }

    func hash(_ password: SecretOctets, salt: [UInt8]) -> String {
        hashing.hash(password, salt: salt)
    }

    /// The result of a verification in advance, which is used once; without one it is done now.
    func verify(_ password: SecretOctets, _ hash: String) -> Bool {
        let known = state.withLock { state in
            let place = state.results.firstIndex { $0.hash == hash && $0.password == password }
            return place.map { state.results.remove(at: $0).isRight }
        }
        return known ?? hashing.verify(password, hash)
    }

    /// Verifies a password, so that its next ``verify(_:_:)`` takes no time.
    func prepare(_ password: SecretOctets, _ hash: String) async {
        let queue = state.withLock { state in
            state.next = (state.next + 1) % queues.count
            return queues[state.next]
        }
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                let isRight = hashing.verify(password, hash)
                state.withLock { state in
                    if state.results.count >= Self.mostResults { state.results.removeFirst() }
                    state.results.append(Result(password: password, hash: hash, isRight: isRight))
                }
                continuation.resume()
            }
        }
    }
}
