/// How an EMVSwiper's battery is.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
public enum BBPOSBattery: String, Sendable, Hashable, CaseIterable {
    /// Low.
    case low = "LOW"
    /// Nearly empty.
    case criticallyLow = "CRITICALLY_LOW"
}
