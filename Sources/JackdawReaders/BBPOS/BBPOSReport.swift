/// What an EMVSwiper tells, by the callbacks of the vendor's SDK as public samples have them.
public enum BBPOSReport: Sendable, CustomStringConvertible {
    /// The reader is there (`onDevicePlugged`, `onUsbConnected`, `onDeviceHere`).
    case connected(BBPOSConnection)
    /// The reader has gone (`onDeviceUnplugged`, `onNoDeviceDetected`, `onPowerDown`).
    case disconnected
    /// It waits for a card (`onWaitingForCard`).
    case waitingForCard
    /// What became of looking for a card (`onReturnCheckCardResult`), with the swipe where there was one.
    case card(BBPOSCheckCardResult, ReaderSwipe?)
    /// Whether the payment with the chip has begun (`onReturnStartEmvResult`).
    case started(Bool)
    /// It asks for something and waits; with data objects for the issuer, which may be card data.
    case request(BBPOSRequest, ReaderBytes?)
    /// What the cardholder is to be shown (`onRequestDisplayText`); nil for nothing (`onRequestClearDisplay`).
    case display(BBPOSDisplayText?)
    /// Data objects of a payment that is done (`onReturnBatchData`).
    case batchData(ReaderBytes)
    /// Data objects of a payment that has to be taken back (`onReturnReversalData`).
    case reversalData(ReaderBytes)
    /// How the payment ended (`onReturnTransactionResult`).
    case transactionEnded(BBPOSTransactionResult)
    /// What the reader says of itself (`onReturnDeviceInfo`), by the SDK's names.
    case deviceInfo([String: String])
    /// Its keys' serial numbers (`onReturnKsn`), by the SDK's names.
    case keySerialNumbers([String: String])
    /// What became of data that were to be encrypted (`onReturnEncryptDataResult`).
    case encrypted(ReaderBytes)
    /// What the chip answers to a command (`Apdu`).
    case exchanged(ReaderBytes)
    /// How far the search for settings is (`AutoConfigProgress`), as the SDK counts it.
    case autoConfigurationProgress(Double)
    /// Settings that the sound device works with (`AutoConfigCompleted`), for
    /// ``BBPOSCall/setAutoConfiguration(_:)``.
    case autoConfigured(String)
    /// No settings were found (`AutoConfigError`).
    case autoConfigurationFailed(BBPOSAutoConfigurationError)
    /// The battery (`onBatteryLow`).
    case battery(BBPOSBattery)
    /// Something failed (`onError`).
    case failed(BBPOSError)

    /// One line without card data.
    public var description: String {
        switch self {
        case .connected(let connection): "connected: \(connection.rawValue)"
        case .disconnected: "disconnected"
        case .waitingForCard: "waiting for a card"
        case .card(let result, let swipe): "card: \(result.rawValue)\(swipe.map { ", \($0)" } ?? "")"
        case .started(let isStarted): isStarted ? "payment started" : "payment not started"
        case .request(let request, _): "asks for \(request.name)"
        case .display(let text): "display: \(text?.rawValue ?? "nothing")"
        case .batchData: "batch data"
        case .reversalData: "reversal data"
        case .transactionEnded(let result): "payment ended: \(result.rawValue)"
        case .deviceInfo(let info): "device information: \(info.count) values"
        case .keySerialNumbers(let numbers): "key serial numbers: \(numbers.count)"
        case .encrypted(let data): "encrypted: \(data)"
        case .exchanged(let data): "the chip's answer: \(data)"
        case .autoConfigurationProgress(let progress): "looking for sound settings: \(progress)"
        case .autoConfigured: "sound settings found"
        case .autoConfigurationFailed(let error): "no sound settings: \(error.rawValue)"
        case .battery(let battery): "battery: \(battery.rawValue)"
        case .failed(let error): "failed: \(error.rawValue)"
        }
    }
}
