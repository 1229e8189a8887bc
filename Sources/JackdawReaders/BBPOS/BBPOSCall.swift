/// What a program calls for, by the names of the vendor's SDK as public samples have them.
///
/// PINs are in none of them: they are entered at the reader. Data that may be of a card tell their number alone.
public enum BBPOSCall: Sendable, Hashable {
    /// `startAudio`: has the audio jack for a link.
    case startAudio
    /// `stopAudio`.
    case stopAudio
    /// `startUsb`: has USB for a link.
    case startUSB
    /// `stopUsb`.
    case stopUSB
    /// `setDetectDeviceChange`: whether it is told that a reader comes or goes.
    case setDetectDeviceChange(Bool)
    /// `isDevicePresent`: tells whether a reader is there.
    case isDevicePresent
    /// `setAutoConfig`: uses settings for the sound device that were found before.
    case setAutoConfiguration(String)
    /// `startAutoConfig`: looks for settings that the sound device works with.
    case startAutoConfiguration
    /// `cancelAutoConfig`.
    case cancelAutoConfiguration
    /// `checkCard`: looks for a card, within so long.
    case checkCard(BBPOSCheckCardMode, within: Duration)
    /// `cancelCheckCard`.
    case cancelCheckCard
    /// `startEmv`: begins a payment with the chip that was found.
    case startEMV(
        BBPOSTransactionTimes, forcesOnline: Bool, BBPOSTransactionSettings = BBPOSTransactionSettings())
    /// `selectApplication`, by its place in the list.
    case selectApplication(Int)
    /// `cancelSelectApplication`.
    case cancelSelectApplication
    /// `setAmount`: in the currency's smallest unit, and its number in ISO 4217.
    case setAmount(Int, cashback: Int, currency: Int, BBPOSTransactionKind)
    /// `cancelSetAmount`.
    case cancelSetAmount
    /// `sendPinEntryResult`: the PIN was entered.
    case pinWasEntered
    /// `bypassPinEntry`.
    case bypassPINEntry
    /// `cancelPinEntry`.
    case cancelPINEntry
    /// `sendVerifyIDResult`.
    case sendIdentity(isRight: Bool)
    /// `sendFinalConfirmResult`.
    case sendConfirmation(Bool)
    /// `sendServerConnectivity`.
    case sendConnectivity(Bool)
    /// `sendOnlineProcessResult`: data objects of the issuer; nil where it could not be asked.
    case sendIssuerAnswer([UInt8]?)
    /// `sendTerminalTime`: `yyMMddHHmmss`.
    case sendTime(String)
    /// `sendReferProcessResult`.
    case sendReferral(isApproved: Bool)
    /// `cancelReferProcess`.
    case cancelReferral
    /// `getDeviceInfo`.
    case getDeviceInfo
    /// `getKsn`.
    case getKeySerialNumbers
    /// `encryptDataWithSettings`: encrypts data of the program.
    case encrypt(ReaderBytes, BBPOSEncryption)
    /// `viposExchangeApdu`: a command for the chip, as it goes to the card.
    case exchange(ReaderBytes)

    /// Whether it answers what the reader asks for.
    /// - Parameter request: what that is.
    /// - Returns: also false for a choice that is not in the list.
    public func answers(_ request: BBPOSRequest) -> Bool {
        switch (self, request) {
        case (.selectApplication(let place), .application(let names)): names.indices.contains(place)
        case (.cancelSelectApplication, .application), (.setAmount, .amount), (.cancelSetAmount, .amount),
            (.pinWasEntered, .pin), (.bypassPINEntry, .pin), (.cancelPINEntry, .pin), (.sendIdentity, .identity),
            (.sendConfirmation, .confirmation), (.sendConnectivity, .connectivity), (.sendIssuerAnswer, .issuer),
            (.sendTime, .time), (.sendReferral, .referral), (.cancelReferral, .referral):
            true
        default: false
        }
    }
}

/// How long the program may take for what a payment asks of it: values of `startEmv`, which has no published defaults.
public struct BBPOSTransactionTimes: Sendable, Hashable {
    /// `checkCardTimeout`, where the payment looks for a card itself.
    public var card: Duration
    /// `selectApplicationTimeout`.
    public var application: Duration
    /// `setAmountTimeout`.
    public var amount: Duration
    /// `pinEntryTimeout`.
    public var pin: Duration
    /// `finalConfirmTimeout`, also for the other questions that are answered with yes or no.
    public var confirmation: Duration
    /// `onlineProcessTimeout`, also for what the issuer says on the telephone.
    public var issuer: Duration

    /// - Parameters:
    ///   - card: for a card that the payment looks for itself.
    ///   - application: for the choice of an application.
    ///   - amount: for the amount.
    ///   - pin: for the PIN.
    ///   - confirmation: for the confirmation and the like.
    ///   - issuer: for the issuer's answer.
    public init(
        card: Duration = .zero, application: Duration, amount: Duration, pin: Duration, confirmation: Duration,
        issuer: Duration
    ) {
        self.card = card
        self.application = application
        self.amount = amount
        self.pin = pin
        self.confirmation = confirmation
        self.issuer = issuer
    }

    /// The longest of them.
    public var longest: Duration { max(card, application, amount, pin, confirmation, issuer) }

    /// How long an answer may take.
    /// - Parameter request: what is asked for.
    /// - Returns: the time from when it is asked.
    public func time(for request: BBPOSRequest) -> Duration {
        switch request {
        case .application: application
        case .amount: amount
        case .pin: pin
        case .identity, .confirmation, .connectivity, .time: confirmation
        case .issuer, .referral: issuer
        }
    }
}
