/// What a payment with a chip may be begun with beside its times: values of `startEmv`. What is left out is the
/// reader's matter.
public struct BBPOSTransactionSettings: Sendable, Hashable {
    /// `terminalTime`: `yyMMddHHmmss`. Where it is not given, the reader may ask for it.
    public var time: String?
    /// `checkCardMode`: how the payment looks for a card itself.
    public var cardMode: BBPOSCheckCardMode?
    /// `encOnlineMessageTags`: data objects that go encrypted to the issuer.
    public var issuerTags: [UInt32] = []
    /// `encBatchDataTags`: data objects that are told encrypted of a payment that is done.
    public var batchTags: [UInt32] = []
    /// `encReversalDataTags`: data objects that are told encrypted of a payment that has to be taken back.
    public var reversalTags: [UInt32] = []
    /// `randomNumber`.
    public var randomNumber: [UInt8]?
    /// `orderID`.
    public var orderID: String?
    /// `encPinKey`: the working key for PINs, encrypted.
    public var pinKey: ReaderBytes?
    /// `encDataKey`: the working key for data, encrypted.
    public var dataKey: ReaderBytes?
    /// `encMacKey`: the working key for MACs, encrypted.
    public var macKey: ReaderBytes?

    /// Nothing of it.
    public init() {}
}
