/// What an EMVSwiper asks the program for in the course of a payment with a chip, and waits for.
///
/// Callbacks of the vendor's SDK, as public samples have them; what goes over the wire is not published.
public enum BBPOSRequest: Sendable, Hashable {
    /// Which application of the card is used (`onRequestSelectApplication`), by its place in the list.
    case application([String])
    /// How much is paid (`onRequestSetAmount`).
    case amount
    /// The PIN (`onRequestPinEntry`), which the cardholder enters at the reader.
    case pin
    /// Whether the cardholder is who the document says (`onRequestVerifyID`).
    case identity
    /// Whether the payment goes on (`onRequestFinalConfirm`).
    case confirmation
    /// Whether the issuer can be asked at all (`onRequestCheckServerConnectivity`).
    case connectivity
    /// What the issuer says (`onRequestOnlineProcess`), who is sent the reader's data objects.
    case issuer
    /// The time (`onRequestTerminalTime`).
    case time
    /// What the issuer said on the telephone (`onRequestReferProcess`).
    case referral

    /// How it is told in logs.
    var name: String {
        switch self {
        case .application: "an application"
        case .amount: "the amount"
        case .pin: "the PIN"
        case .identity: "the cardholder's identity"
        case .confirmation: "the confirmation"
        case .connectivity: "whether the issuer can be asked"
        case .issuer: "the issuer's answer"
        case .time: "the time"
        case .referral: "the referral"
        }
    }
}
