import JackdawPayments
import JackdawSandbox
import JackdawTransport

/// The file of a host's books, which only grows: what is left of it after the host's program was killed. A line that was cut
/// is left out.
final class SoakBooks: Sendable {
    /// The next write's fault.
    enum Fault: Sendable {
        case none
        /// The change is not written, and the host says so.
        case fails
        /// Half of the line is written, and the host is killed.
        case torn
    }

    private struct Contents {
        var changes: [SandboxChange] = []
        /// The octets of a line that was cut.
        var rest: [UInt8] = []
        var fault = Fault.none
        var isTorn = false
    }

    private let contents = Lock(Contents())

    /// Whether a write was cut since the last call, so that the host's program is killed.
    func takeTorn() -> Bool {
        contents.withLock { contents in
            defer { contents.isTorn = false }
            return contents.isTorn
        }
    }

    func plan(_ fault: Fault) { contents.withLock { $0.fault = fault } }

    /// Begins a write, which may fail.
    fileprivate func begin(_ change: SandboxChange) throws(SandboxStoreError) {
        let isWritten = contents.withLock { contents in
            defer { contents.fault = .none }
            switch contents.fault {
            case .none: return true
            case .fails: return false
            case .torn:
                let line = change.encoded
                contents.rest = Array(line.prefix(line.count / 2))
                contents.isTorn = true
                return false
            }
        }
        guard isWritten else { throw SandboxStoreError(.notWritten, "the file cannot be written") }
    }

    fileprivate func append(_ change: SandboxChange) { contents.withLock { $0.changes.append(change) } }

    /// Reads the books, each change from its bytes.
    func read() throws(SandboxStoreError) -> SoakStore {
        let (changes, rest) = contents.withLock { contents in
            defer { contents.rest = [] }
            return (contents.changes, contents.rest)
        }
        // A line that was cut is no change.
        if !rest.isEmpty, (try? SandboxChange(encoded: rest)) != nil {
            throw SandboxStoreError(.contradiction, "half a line is a change")
        }
        var memory = MemorySandboxStore()
        for change in changes { try memory.write(try SandboxChange(encoded: change.encoded)) }
        return SoakStore(memory: memory, file: self)
    }
}

/// The books of a host in memory, each change of which is written to a file first.
struct SoakStore: SandboxStore {
    fileprivate(set) var memory = MemorySandboxStore()
    let file: SoakBooks

    var paymentCount: Int { memory.paymentCount }
    func payment(_ number: Int) -> SandboxPayment? { memory.payment(number) }
    func entry(_ key: SandboxKey) -> SandboxEntry? { memory.entry(key) }
    func passwordHash(ofUser user: String) -> String? { memory.passwordHash(ofUser: user) }

    mutating func write(_ change: SandboxChange) throws(SandboxStoreError) {
        try file.begin(change)
        try memory.write(change)
        file.append(change)
    }
}
