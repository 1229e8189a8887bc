/// Why a Clover Go reader did not become ready.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); what goes over the wire is not published.
public enum CloverGoDeviceError: String, Error, Sendable, Hashable, CaseIterable {
    /// It did not come to its end.
    case initializationFailed = "INITIALIZATION_FAILED"
    /// There are no settings.
    case settingsNotAvailable = "TERMINAL_PARAMS_NOT_AVAILABLE"
    /// Firmware was not downloaded.
    case firmwareDownloadFailed = "FIRMWARE_DOWNLOAD_FAILED"
    /// Firmware was not written.
    case firmwareUpdateFailed = "FIRMWARE_UPDATE_FAILED"
    /// This reader's firmware cannot be changed.
    case firmwareUpdateNotSupported = "FIRMWARE_UPDATE_NOT_SUPPORTED"

    /// The code that the SDK reports all of them with.
    public static let code = 500
}
