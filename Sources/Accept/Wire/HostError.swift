import JackdawPayments
import JackdawReaders

/// An answer of the host with a status of an error.
///
/// Its body is that of RFC 6749, 5.2, as in the sandbox; no source shows that of the host.
struct HostError {
    let status: Int
    /// The code for programs; empty if the body has none.
    let code: String
    private let description: String
    private let wantsLogin: Bool

    /// The most bytes of a body.
    private static let maxBytes = 1 << 16

    init(_ answer: HTTPAnswer) {
        status = answer.status
        wantsLogin = Self.wantsLogin(answer)
        guard let json = try? JSONValue(answer.body, most: Self.maxBytes), let code = json["error"]?.text,
            (1...64).contains(code.utf8.count), code.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            (code, description) = ("", "")
            return
        }
        self.code = code
        description = json["error_description"]?.text ?? ""
    }

    /// The codes of requests that the host refuses whenever they come, because of their content alone.
    private static let permanent: [Int: Set<String>] = [
        400: [
            "form_size", "form_encoding", "form_name", "form_conflict", "compatibility_level", "query",
        ],
        413: ["too_large"],
        415: ["content_type"],
        422: ["invalid", "amount_lower_limit", "amount_upper_limit"],
    ]

    /// The reply to a request, if the error is one.
    func reply(to request: HostRequest, _ reversals: AcceptWire.Reversals) throws(HostFailure) -> HostReply {
        if Self.permanent[status]?.contains(code) ?? false {
            // A limit of the merchant is a decision about the money, and no error of the request.
            let isLimit = code.hasPrefix("amount_") && request.operation == .authorise
            return isLimit ? .declined(HostDecline(reason: reason)) : .refused(reason)
        }
        switch (status, request.operation) {
        case (401, _) where wantsLogin:
            throw HostFailure(.notLoggedIn, isCertainlyNotSent: true, message: "The host wants a login.")
        // The payment in the path. An identifier's routes exist for each identifier, so 404 says nothing there.
        case (404, .capture), (404, .refund), (404, .complete), (404, .sign):
            guard code == "not_found" else { break }
            return .notFound
        // A payment that is not known or was declined: its state says which.
        case (404, .reverse) where reversals == .ofPayments && code == "not_found": return .notFound
        case (422, .reverse) where reversals == .ofPayments && code == "not_approved": return .notFound
        // The state of the payment: a repetition has no other answer, and no money moves.
        case (422, .reverse), (422, .complete), (422, .sign):
            guard !code.isEmpty, code != "fault" else { break }
            return .refused(reason)
        // The identifier was reversed before, and stays closed.
        case (409, .advise) where code == "closed": return .refused(reason)
        case (409, _), (422, _):
            throw HostFailure(.conflict, isCertainlyNotSent: false, message: "The host refuses: \(name).")
        case (429, _), (500..., _):
            throw HostFailure(.hostError, isCertainlyNotSent: false, message: "The host has an error: \(name).")
        default: break
        }
        throw PaymentView.unreadable("The host's answer is of no use: \(name).")
    }

    /// Whether the host has refused a request because of the token, and not processed it: 401 with the challenge that
    /// each host must send with it (RFC 9110, 11.6.1; RFC 6750, 3). Without the challenge another server may have
    /// answered.
    static func wantsLogin(_ answer: HTTPAnswer) -> Bool {
        answer.status == 401
            && answer.headers.contains { field in
                field.name.lowercased() == "www-authenticate" && field.value.lowercased().hasPrefix("bearer")
            }
    }

    /// Status and code, for people.
    var name: String { code.isEmpty ? "\(status)" : "\(status), \(ReasonText(code).text)" }

    /// Code and text of the host, for people.
    var reason: ReasonText { ReasonText(description.isEmpty ? code : "\(code): \(description)") }
}
