#if Payments
import JackdawBytes
import JackdawPayments
import JackdawSandbox
import JackdawTransport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends the callbacks of a sandbox, each once.
final class CallbackSender: Sendable {
    /// The most callbacks at once. Further ones are dropped.
    static let most = 64
    /// The time for connecting and for the answer.
    static let limit = Duration.seconds(10)

    private let reach: CallbackReach
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Duration
    private let report: @Sendable (SandboxEvent) -> Void
    private let tls: NIOSSLContext
    private let count = Lock(0)

    /// - Parameters:
    ///   - reach: the addresses to which callbacks are sent.
    ///   - authorities: files in PEM of authorities that are trusted beside those of the system.
    ///   - clock: measures the time for the answer.
    ///   - now: the time since 1970-01-01 00:00 UTC.
    ///   - report: receives the end of each callback.
    /// - Throws: an error of TLS if a file cannot be read.
    init(
        _ reach: CallbackReach, authorities: [String] = [], clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Duration, report: @escaping @Sendable (SandboxEvent) -> Void
    ) throws {
        self.reach = reach
        self.clock = clock
        self.now = now
        self.report = report
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.additionalTrustRoots = authorities.map { .file($0) }
        tls = try NIOSSLContext(configuration: configuration)
    }

    /// Sends a callback at its time, and reports its end. Returns at once.
    func send(_ callback: SandboxCallback) {
        guard let address = CallbackAddress(callback.url), let host = address.destination(reach) else {
            return report(.callback(.refused, at: now()))
        }
        let hasRoom = count.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
        guard hasRoom else { return report(.callback(.dropped, at: now())) }
        Task { [self] in
            let delay = callback.due - now()
            if delay > .zero { try? await clock.sleep(for: delay) }
            let ending = await post(callback.body, to: address, host)
            count.withLock { $0 -= 1 }
            report(.callback(ending, at: now()))
        }
    }

    private func post(
        _ body: HTTPBody, to address: CallbackAddress, _ host: String
    ) async -> SandboxEvent.CallbackEnding {
        await withTaskGroup(of: SandboxEvent.CallbackEnding.self) { group in
            group.addTask { [self] in
                do { return try await exchange(body, address, host) } catch { return .failed }
            }
            group.addTask { [clock] in
                try? await clock.sleep(for: Self.limit)
                return .failed
            }
            let ending = await group.next() ?? .failed
            group.cancelAll()
            return ending
        }
    }

    private func exchange(
        _ body: HTTPBody, _ address: CallbackAddress, _ host: String
    ) async throws -> SandboxEvent.CallbackEnding {
        let tls = tls
        let isNumeric = (try? SocketAddress(ipAddress: address.host, port: 0)) != nil
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: host, port: Int(address.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if address.isSecure {
                        // A numeric address is compared with the certificate without a name for SNI.
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: isNumeric ? nil : address.host))
                    }
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: address.target)
        head.headers = [
            "Host": address.authority, "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": "\(body.count)", "Connection": "close",
        ]
        let content = body.withBytes { bytes in
            var buffer = ByteBuffer()
            for index in bytes.indices { buffer.writeInteger(bytes[index]) }
            return buffer
        }
        return try await channel.executeThenClose { [head] inbound, outbound in
            try await outbound.write(.head(head))
            try await outbound.write(.body(.byteBuffer(content)))
            try await outbound.write(.end(nil))
            for try await part in inbound {
                if case .head(let answer) = part { return .answered(Int(answer.status.code)) }
            }
            return .failed
        }
    }
}
#endif
