/// Why an EMVSwiper could not do something.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
public enum BBPOSError: String, Error, Sendable, Hashable, CaseIterable {
    /// The reader does not know the command.
    case commandNotAvailable = "CMD_NOT_AVAILABLE"
    /// Nothing came in time.
    case timedOut = "TIMEOUT"
    /// The reader began anew.
    case deviceReset = "DEVICE_RESET"
    /// Of no other kind.
    case unknown = "UNKNOWN"
    /// The reader is doing something else.
    case deviceBusy = "DEVICE_BUSY"
    /// A value is too small or too large.
    case inputOutOfRange = "INPUT_OUT_OF_RANGE"
    /// A value is written wrongly.
    case inputInvalidFormat = "INPUT_INVALID_FORMAT"
    /// A value is zero.
    case inputZeroValues = "INPUT_ZERO_VALUES"
    /// A value is wrong.
    case inputInvalid = "INPUT_INVALID"
    /// No cash can be handed out.
    case cashbackNotSupported = "CASHBACK_NOT_SUPPORTED"
    /// A CRC is wrong.
    case wrongCRC = "CRC_ERROR"
    /// The link failed.
    case communicationError = "COMM_ERROR"
    /// The volume may not be raised.
    case volumeWarningNotAccepted = "VOLUME_WARNING_NOT_ACCEPTED"
    /// Sound did not start.
    case audioNotStarted = "FAIL_TO_START_AUDIO"
    /// There is no link yet.
    case linkNotReady = "COMM_LINK_UNINITIALIZED"
    /// This is not done over this link.
    case invalidFunctionInCurrentMode = "INVALID_FUNCTION_IN_CURRENT_MODE"
    /// There is no reader on USB.
    case usbDeviceNotFound = "USB_DEVICE_NOT_FOUND"
    /// The reader on USB may not be used.
    case usbDevicePermissionDenied = "USB_DEVICE_PERMISSION_DENIED"
}
