#if Payments
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The HTTP server of a sandbox: HTTP/1.1, with TLS or without.
struct SandboxServer: Sendable {
    /// The server in a group of services, until the group is shut down or its task is cancelled.
    struct Running: Service {
        let server: SandboxServer
        /// Receives the port when the server listens.
        let isListening: @Sendable (Int) -> Void

        func run() async throws { try await server.run(isListening: isListening) }
    }

    /// The limits of the server.
    struct Limits {
        /// The most connections at once. Further ones wait in the system's queue.
        var connections = 1_000
        /// The most bytes of a header, and of all headers.
        var headerBytes = 16_384
        /// The most headers of a request.
        var headers = 100
        /// The time after which a connection is closed whose request does not come, or not to its end.
        var idle = Duration.seconds(60)
    }

    let responder: SandboxResponder
    /// The name or the number of the address to listen on.
    var address = "127.0.0.1"
    /// The port; 0 lets the system choose.
    var port = 0
    /// The certificate and the versions of TLS; nil without TLS.
    var tls: TLSConfiguration?
    var limits = Limits()

    /// Serves until the task is cancelled.
    /// - Parameter isListening: receives the port when the server listens.
    /// - Throws: an error of the system if the address is not free, or of TLS.
    func run(isListening: @escaping @Sendable (Int) -> Void) async throws {
        let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
            maxHeaderFieldCount: limits.headers)
        var builder = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                idleTimeout: TimeAmount(limits.idle), httpDecoderConfiguration: decoder))
        if let tls { builder = try .tls(builder, tlsConfiguration: tls) }
        let responder = responder
        let service = try builder.buildServer(
            configuration: ServerConfiguration(
                address: .hostname(address, port: port), backlog: 1_024,
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            // Their texts may have a part of a request.
            logger: Logger(label: "jackdaw-pay") { _ in SwiftLogNoOpLogHandler() },
            responder: { request, writer, channel in
                try await responder.respond(to: request, writer, channel)
            },
            onServerRunning: { channel in isListening(channel.localAddress?.port ?? 0) })
        try await service.run()
    }
}
#endif
