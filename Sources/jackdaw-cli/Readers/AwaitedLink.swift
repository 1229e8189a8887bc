import JackdawSystem
import JackdawTransport

/// A link at which somebody is: a terminal does not tell when it is opened, and what is sent before that is lost.
struct AwaitedLink: Transport {
    private let base: any Transport
    /// What came first.
    private let first: SystemLock<[UInt8]>

    /// Waits for the first bytes.
    /// - Parameter base: the link; closed where none come.
    init?(_ base: any Transport) async {
        self.base = base
        var bytes: [UInt8] = []
        let isMore = (try? await base.receive { span in bytes = span.indices.map { span[$0] } }) ?? false
        first = SystemLock(bytes)
        if !isMore {
            await base.close()
            return nil
        }
    }

    var link: LinkName { base.link }

    var executor: (any TaskExecutor)? { base.executor }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        var bytes = first.withLock { first in
            defer { first = [] }
            return first
        }
        guard !bytes.isEmpty else { return try await base.receive(take) }
        take(bytes.span)
        bytes.removeWiping()
        return true
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }

    func endSending() async throws(LinkError) { try await base.endSending() }

    func close() async { await base.close() }
}
