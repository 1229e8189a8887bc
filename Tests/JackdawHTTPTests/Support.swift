#if Payments
import JackdawHTTP
import JackdawPayments

extension HTTPBody {
    init(_ text: String) { self.init(copying: Array(text.utf8).span) }

    var octets: [UInt8] {
        withBytes { bytes in
            var octets: [UInt8] = []
            for index in bytes.indices { octets.append(bytes[index]) }
            return octets
        }
    }

    var text: String { String(decoding: octets, as: UTF8.self) }
}

extension CurlClient {
    /// Sends a request that fails.
    /// - Returns: the failure; nil if there is an answer.
    func failure(
        of request: HTTPRequest = HTTPRequest(.post, "/", body: HTTPBody("{}")), limit: Duration = .seconds(60)
    ) async -> HTTPFailure? {
        do throws(HTTPFailure) {
            _ = try await send(request, limit: limit)
            return nil
        } catch {
            return error
        }
    }
}

/// Code and certainty of a failure.
struct Outcome: Equatable, Sendable {
    let code: HTTPFailure.Code
    let isCertainlyNotSent: Bool

    init(_ code: HTTPFailure.Code, certain: Bool) {
        self.code = code
        isCertainlyNotSent = certain
    }
}

extension HTTPFailure {
    var outcome: Outcome { Outcome(code, certain: isCertainlyNotSent) }
}
#endif
