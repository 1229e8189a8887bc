/// How far a Clover Go reader is before it is ready.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); what goes over the wire is not published.
public enum CloverGoInitializationEvent: String, Sendable, Hashable, CaseIterable {
    /// Settings are loaded.
    case loadingSettings = "LOADING_TERMINAL_PARAMS"
    /// It is ready.
    case initializationComplete = "INITIALIZATION_COMPLETE"
    /// Firmware is downloaded.
    case downloadingFirmware = "DOWNLOADING_FIRMWARE"
    /// Firmware was downloaded.
    case firmwareDownloadComplete = "FIRMWARE_DOWNLOAD_COMPLETE"
    /// Firmware is written.
    case updatingFirmware = "UPDATING_FIRMWARE"
    /// Firmware was written.
    case firmwareUpdateComplete = "FIRMWARE_UPDATE_COMPLETE"
}
