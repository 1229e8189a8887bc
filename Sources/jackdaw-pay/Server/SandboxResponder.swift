#if Payments
import HTTPTypes
import HummingbirdCore
import JackdawBytes
import JackdawConsole
import JackdawPayments
import JackdawSandbox
import NIOCore

/// Carries requests of HTTP to a sandbox and its replies back: answers at their time, answers that are cut, silence.
struct SandboxResponder: Sendable {
    /// The reason why a connection is closed by this side.
    enum Ending: Error {
        /// The answer is cut, as a fault asks for.
        case cut
        /// No answer comes, and the client has left or has waited long enough.
        case silence
        /// The body is too long to read its rest.
        case tooLarge
    }

    /// The time after which a connection without an answer is closed.
    static let maxSilence = Duration.seconds(900)
    /// The most bytes of a body that is too large and is still read, so that its client reads the answer.
    static let maxDrained = 1 << 22

    let host: SandboxHost
    let clock: any Clock<Duration>
    /// Carries out a callback.
    let send: @Sendable (SandboxCallback) -> Void

    /// Answers a request of a connection.
    /// - Throws: ``Ending``, or an error of the connection; the server closes it then.
    func respond(
        to request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws {
        var request = request
        let isHead = request.method == .head
        guard let body = try await body(of: &request) else {
            let answer = HTTPAnswer.refusal(413, "too_large", "the maximum is \(host.rules.limits.bodyBytes) bytes")
            try await write(answer, writer, isHead: isHead, closes: true)
            throw Ending.tooLarge
        }
        let message: JackdawPayments.HTTPRequest
        switch read(request, body) {
        case .success(let read): message = read
        case .failure(let refusal): return try await write(refusal.answer, writer, isHead: isHead)
        }
        let output = await host.receive(message, from: channel.remoteAddress?.ipAddress ?? "")
        for case .callback(let callback) in output.effects { send(callback) }
        switch output.reply {
        case .answer(let answer, let due):
            try await wait(until: due, &request)
            try await write(answer, writer, isHead: false)
        case .cut(let answer, let count, let due):
            try await wait(until: due, &request)
            var body = try await writer.writeHead(head(of: answer))
            if count > 0 { try await body.write(buffer(of: answer, count)) }
            throw Ending.cut
        case .silent:
            try await sleep(for: Self.maxSilence, &request)
            throw Ending.silence
        }
    }

    private func wait(until due: Duration, _ request: inout Request) async throws {
        let delay = due - host.now()
        if delay > .zero { try await sleep(for: delay, &request) }
    }

    /// Waits for a time, or until the client has left.
    private func sleep(for time: Duration, _ request: inout Request) async throws {
        try await request.body.consumeWithCancellationOnInboundClose { _ in try await clock.sleep(for: time) }
    }

    /// A request that does not reach the sandbox.
    private struct Refusal: Error {
        let answer: HTTPAnswer
    }

    /// The body in wiped memory; nil if it is longer than the sandbox takes. Buffers of the connection are not wiped.
    private func body(of request: inout Request) async throws -> HTTPBody? {
        let most = host.rules.limits.bodyBytes
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > Self.maxDrained { return nil }
        var collected = ByteBuffer()
        var count = 0
        for try await part in request.body {
            count += part.readableBytes
            guard count <= Self.maxDrained else { return nil }
            if count <= most { collected.writeImmutableBuffer(part) }
        }
        guard count <= most else { return nil }
        // The end of the connection can still be awaited after its body was read.
        request.body = RequestBody(buffer: ByteBuffer())
        var bytes = Array(collected.readableBytesView)
        defer { bytes.wipe() }
        return HTTPBody(copying: bytes.span)
    }

    private func read(_ request: Request, _ body: HTTPBody) -> Result<JackdawPayments.HTTPRequest, Refusal> {
        let target = request.head.path ?? ""
        guard let method = JackdawPayments.HTTPRequest.Method(rawValue: request.method.rawValue) else {
            let path = String(target.prefix { $0 != "?" })
            let allowed = SandboxRoute.allowedMethods(at: path, base: host.rules.basePath)
            guard !allowed.isEmpty else {
                return .failure(Refusal(answer: .refusal(404, "not_found", "there is no such thing here")))
            }
            return .failure(
                Refusal(
                    answer: .refusal(
                        405, "method_not_allowed", "the methods here are \(allowed)",
                        headers: [JackdawPayments.HTTPField("Allow", allowed)])))
        }
        let headers = request.headers.map { JackdawPayments.HTTPField($0.name.rawName, $0.value) }
        guard let message = JackdawPayments.HTTPRequest(method, target: target, headers: headers, body: body) else {
            return .failure(Refusal(answer: .refusal(400, "target", "the path or the query is malformed")))
        }
        return .success(message)
    }

    private func write(
        _ answer: HTTPAnswer, _ writer: consuming ResponseWriter, isHead: Bool, closes: Bool = false
    ) async throws {
        let body = isHead ? ResponseBody() : ResponseBody(byteBuffer: buffer(of: answer, answer.body.count))
        try await writer.write(response: head(of: answer, closes: closes), body: body)
    }

    private func head(of answer: HTTPAnswer, closes: Bool = false) -> HTTPResponse {
        var fields = HTTPFields()
        for field in answer.headers {
            guard let name = HTTPTypes.HTTPField.Name(field.name) else { continue }
            fields.append(HTTPTypes.HTTPField(name: name, value: field.value))
        }
        fields[.date] = WallClock.httpText(host.now())
        fields[.contentLength] = "\(answer.body.count)"
        if closes { fields[.connection] = "close" }
        return HTTPResponse(status: HTTPResponse.Status(code: answer.status), headerFields: fields)
    }

    private func buffer(of answer: HTTPAnswer, _ count: Int) -> ByteBuffer {
        answer.body.withBytes { bytes in
            var buffer = ByteBuffer()
            buffer.reserveCapacity(count)
            for index in 0..<min(count, bytes.count) { buffer.writeInteger(bytes[index]) }
            return buffer
        }
    }
}
#endif
