#if Payments
internal import CCurl
public import JackdawPayments
import JackdawSystem
import JackdawTransport

/// A client of one host over HTTP/1.1 by libcurl.
///
/// It speaks TLS 1.2 or newer, follows no redirect, keeps no cookies, and reads no file of passwords. Each exchange has a
/// thread of its own while it runs. Up to four connections are kept for later requests. A request that is not `get` is
/// never sent twice: if a kept connection ends without an answer, the failure is `cut`. An answer that has neither
/// `Content-Length` nor chunks is `cut`, too, because its end may be that of a lost connection.
public final class CurlClient: HTTPClient {
    private let host: HTTPHost
    private let idle = Lock<[CurlHandle]>([])

    /// The most handles that are kept for later requests.
    private static let maxIdle = 4

    /// A client, which connects with its first request.
    public init(_ host: HTTPHost) { self.host = host }

    public func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        let address = try request.address(at: host.address)
        try request.checkHeaders()
        let handle: CurlHandle
        if let kept = idle.withLock({ $0.popLast() }) { handle = kept } else { handle = try CurlHandle() }
        let exchange = Exchange(
            host: host, request: request, address: address, limit: limit, handle: handle)
        let result: Result<HTTPAnswer, HTTPFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(SystemFailure) {
                    try WorkerThread(name: "http") { [weak self] in
                        exchange.run {
                            continuation.resume(returning: $0)
                        } keep: {
                            self?.keep($0)
                        }
                    }.detach()
                } catch {
                    continuation.resume(
                        returning: .failure(
                            HTTPFailure(.system, isCertainlyNotSent: true, message: "No thread can be made.")))
                }
            }
        } onCancel: {
            exchange.cancel()
        }
        return try result.get()
    }

    private func keep(_ handle: CurlHandle) {
        idle.withLock { handles in if handles.count < Self.maxIdle { handles.append(handle) } }
    }
}

/// One request and its answer.
private final class Exchange: Sendable {
    private struct State {
        var isCancelled = false
        /// The request, which may have secrets; nil from the beginning of the exchange on.
        var request: HTTPRequest?
        /// The handle of the exchange; nil after its end.
        var handle: CurlHandle?
    }

    private let host: HTTPHost
    private let address: String
    private let limit: Duration
    private let state: Lock<State>

    init(host: HTTPHost, request: HTTPRequest, address: String, limit: Duration, handle: CurlHandle) {
        self.host = host
        self.address = address
        self.limit = limit
        state = Lock(State(request: request, handle: handle))
    }

    /// Ends the exchange, or prevents it if it has not begun. Returns at once.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.handle?.wake()
        }
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Runs the exchange on this thread.
    /// - Parameters:
    ///   - report: receives the result, once.
    ///   - keep: receives the handle for later requests, if it has a connection in order; before `report`.
    func run(report: (Result<HTTPAnswer, HTTPFailure>) -> Void, keep: (CurlHandle) -> Void) {
        // The request has been released, and its secrets wiped, before the caller has the answer.
        guard let answer = answer(report: { report(.failure($0)) }, keep: keep) else { return }
        report(.success(answer))
    }

    /// Runs the exchange to its end.
    /// - Returns: the answer; nil if a failure was reported.
    private func answer(report: (HTTPFailure) -> Void, keep: (CurlHandle) -> Void) -> HTTPAnswer? {
        let taken = state.withLock { state in
            defer { state.request = nil }
            return (state.request, state.handle)
        }
        guard case (let request?, let handle?) = taken else { preconditionFailure("an exchange runs once") }
        let receiver = TransferReceiver(
            AnswerReader(maxHeaderBytes: host.maxHeaderBytes, maxBodyBytes: host.maxBodyBytes),
            mayRepeat: request.method == .get, isCancelled: { self.isCancelled })
        // libcurl uses body and receiver until the handle is reset.
        return withExtendedLifetime(receiver) {
            request.body.withBytes { body in
                let result = transfer(handle, request, body, receiver)
                state.withLock { $0.handle = nil }
                switch result {
                case .success(let answer):
                    handle.reset()
                    keep(handle)
                    return answer
                case .failure(let failure):
                    // The end of a transfer waits for a name that is being resolved.
                    report(failure)
                    handle.reset()
                    return nil
                }
            }
        }
    }

    private func transfer(
        _ handle: CurlHandle, _ request: HTTPRequest, _ body: Span<UInt8>, _ receiver: TransferReceiver
    ) -> Result<HTTPAnswer, HTTPFailure> {
        Result { () throws(HTTPFailure) in
            try prepare(handle, request, body, receiver)
            let result = handle.run { self.isCancelled }
            guard let result, !(isCancelled && result != CURLE_OK) else {
                throw .cancelled(hasBegun: receiver.hasBegun)
            }
            guard result == CURLE_OK else {
                throw HTTPFailure(
                    result, hasBegun: receiver.hasBegun, isTooLarge: receiver.reader.isTooLarge,
                    text: handle.failureText, usesProxy: host.mayUseProxy)
            }
            let status = handle.status
            // libcurl takes the end of a connection for the end of a head or a body, in TLS too.
            guard receiver.reader.isHeadComplete, receiver.reader.hasLength(status: status) else {
                throw HTTPFailure(.cut, message: "The connection ended before the end of an answer was certain.")
            }
            return receiver.reader.answer(status: status)
        }
    }

    private func prepare(
        _ handle: CurlHandle, _ request: HTTPRequest, _ body: Span<UInt8>, _ receiver: TransferReceiver
    ) throws(HTTPFailure) {
        handle.reset()
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_URL, address)
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try handle.set(CURLOPT_PROTOCOLS_STR, host.isPlain ? "http" : "https")
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try handle.set(CURLOPT_TIMEOUT_MS, limit.wholeMilliseconds)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, min(limit, host.connectLimit).wholeMilliseconds)
        try handle.set(CURLOPT_MAXFILESIZE_LARGE, size: max(1, host.maxBodyBytes))
        try prepareTrust(handle)
        try prepareProxy(handle)
        try handle.set(receiver: receiver)
        switch request.method {
        case .get where body.isEmpty: try handle.set(CURLOPT_HTTPGET, 1)
        case .delete where body.isEmpty: try handle.set(CURLOPT_HTTPGET, 1)
        default:
            try unsafe body.withUnsafeBufferPointer { (bytes) throws(HTTPFailure) in
                try unsafe handle.set(body: bytes)
            }
        }
        try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        try handle.setHeaders(of: request)
    }

    private func prepareTrust(_ handle: CurlHandle) throws(HTTPFailure) {
        try handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        if case .file(let path) = host.authorities {
            try handle.set(CURLOPT_CAINFO, path)
            // Otherwise the system's folder would be trusted, too.
            try handle.set(CURLOPT_CAPATH, nil)
        }
        if !host.pins.isEmpty {
            try handle.set(CURLOPT_PINNEDPUBLICKEY, host.pins.map { "sha256//" + $0.hash }.joined(separator: ";"))
        }
    }

    private func prepareProxy(_ handle: CurlHandle) throws(HTTPFailure) {
        // A proxy would receive the request unencrypted, over a network.
        guard host.mayUseProxy else { return try handle.set(CURLOPT_PROXY, "") }
        switch host.proxy {
        case .none: try handle.set(CURLOPT_PROXY, "")
        case .named(let address):
            try handle.set(CURLOPT_PROXY, address)
            try handle.set(CURLOPT_NOPROXY, "")
            try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        case .environment: try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        }
    }
}

extension Duration {
    /// Milliseconds, rounded up; 1 to about 24 days. For libcurl 0 is no limit.
    fileprivate var wholeMilliseconds: Int {
        let limited = Swift.min(Swift.max(self, .milliseconds(1)), .seconds(2_000_000))
        let (seconds, rest) = limited.components
        return Int(seconds) * 1_000 + Int((rest + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
#endif
