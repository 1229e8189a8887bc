/// How a card comes to Clover Go.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); what goes over the wire is not published.
public enum CloverGoPaymentMode: String, Sendable, Hashable, CaseIterable {
    /// Its number is keyed in.
    case keyed = "KEYED"
    /// By a reader.
    case reader = "READER"
}
