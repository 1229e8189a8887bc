/// Why no settings were found for a sound device.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
public enum BBPOSAutoConfigurationError: String, Error, Sendable, Hashable, CaseIterable {
    /// None work with this one.
    case deviceNotSupported = "PHONE_NOT_SUPPORTED"
    /// The search was broken off.
    case interrupted = "INTERRUPTED"
}
