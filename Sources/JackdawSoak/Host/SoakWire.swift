import Accept
import JackdawCards
import JackdawPayments

/// The wire of a simulated till: that of Accept; or the same with the reversals of version 3, which the host answers with
/// "not found" if it does not know the payment, so that the desk must ask for its state.
struct SoakWire: HostWire {
    /// Whether a reversal takes whatever has the identifier, and closes it if nothing has.
    let closesIdentifiers: Bool

    private let accept = AcceptWire()

    init(closesIdentifiers: Bool) { self.closesIdentifiers = closesIdentifiers }

    func encode(_ request: HostRequest) throws(HostFailure) -> HTTPRequest {
        var encoded = try accept.encode(request)
        if request.operation == .reverse, !closesIdentifiers {
            encoded.path = "\(accept.basePath)/payments/\(request.attempt)/reverse.json"
        }
        return encoded
    }

    func decode(_ answer: HTTPAnswer, to request: HostRequest) throws(HostFailure) -> HostReply {
        // Only a payment that was never booked is not found: the sandbox forgets none.
        if request.operation == .reverse, !closesIdentifiers, answer.status == 404 { return .notFound }
        return try accept.decode(answer, to: request)
    }

    /// The credentials of the sandbox's ready user.
    static var credentials: AcceptCredentials {
        func secret(_ text: String) -> SecretText { SecretText(copying: Array(text.utf8).span) }
        return AcceptCredentials(
            name: secret("till-1"), password: secret("till-1-password"), client: "jackdaw",
            clientSecret: secret("jackdaw-secret"))
    }
}
