import JackdawEMV

/// One application of a virtual card, as its file describes it.
struct CardApplication: Sendable {
    /// The name (AID), 5 to 16 octets.
    var name: [UInt8]
    /// The answer to SELECT, encoded.
    var controlInformation: [UInt8]
    /// The entry of the directories (template 61), encoded.
    var directoryEntry: [UInt8]
    /// The application interchange profile (82), two octets.
    var profile: [UInt8]
    /// The application file locator (94).
    var locator: [UInt8]
    /// The answer to GET PROCESSING OPTIONS: the profile and the file locator, encoded.
    var options: [UInt8]
    /// The records with their templates, encoded.
    var records: [RecordPlace: SecretOctets]
    /// Whether answers with processing options and cryptograms have format 2 (template 77); false for format 1 (80).
    var usesFormat2: Bool
    /// The PDOL; nil if the card has none.
    var processingList: DataObjectList?
    /// The CDOL1, for the first GENERATE AC.
    var firstList: DataObjectList
    /// The CDOL2, for the second one.
    var secondList: DataObjectList
    /// The number of octets that the DDOL asks for.
    var dynamicCount: Int
    /// One of ``CryptogramScheme/ofCards``.
    var scheme: CryptogramScheme
    /// The derivation key index of the issuer application data.
    var keyIndex: UInt8
    let cipher: any ChipCardCipher
    /// The key for signatures; nil if the card has none.
    var signatureKey: RSAKeyPair?
    /// The key with which PINs are enciphered; nil if the card has none.
    var pinKey: RSAKeyPair?
    var limits: CardLimits
    /// The number of octets of a command's authentication code, 4 to 8.
    var macLength: Int
    /// The currency of the card's limits (9F42); nil if the limits are for any currency.
    var currency: [UInt8]?
    /// The country of the issuer (5F28).
    var country: [UInt8]?
    /// The objects of the records that the file does not have: they were made when the card was loaded.
    var made: [Tag]
    /// The answers of a Visa-style card that is tapped; nil if the application has a GENERATE AC.
    var tap: TapApplication?
    /// The state of a new card.
    var initialState: ApplicationState

    /// The place of a record.
    struct RecordPlace: Sendable, Hashable, Comparable {
        /// The short file identifier (SFI), 1 to 30.
        let file: Int
        /// The number of the record in the file, 1 to 255.
        let number: Int

        static func < (left: RecordPlace, right: RecordPlace) -> Bool {
            (left.file, left.number) < (right.file, right.number)
        }
    }

    /// The most octets of an answer's data: Le has one octet (EMV Book 3, 6.3.2).
    static let maxAnswerCount = 256

    /// The answer to GET PROCESSING OPTIONS.
    static func options(_ profile: [UInt8], _ locator: [UInt8], usesFormat2: Bool) -> [UInt8] {
        guard usesFormat2 else { return TagLengthValueBuilder.encode(0x80, profile + locator) }
        var builder = TagLengthValueBuilder()
        builder.append(0x77) { options in
            options.append(ApplicationInterchangeProfile.tag, profile)
            options.append(0x94, locator)
        }
        return builder.octets
    }

    func supports(_ function: ApplicationInterchangeProfile) -> Bool {
        ApplicationInterchangeProfile(profile)?.isSuperset(of: function) ?? false
    }
}

/// The state of an application that outlasts a session.
struct ApplicationState: Sendable {
    /// The application transaction counter (9F36).
    var counter: UInt16 = 0
    /// The counter at the last transaction that went online (9F13).
    var lastOnline: UInt16 = 0
    var isBlocked = false
    /// Whether the cardholder has confirmed the next payment on the device.
    var isConfirmed = false
    /// The objects of GET DATA that PUT DATA can change.
    var data = DataObjectStore()
    /// The commands of the issuer in the last transaction that had some, until a later one was online.
    var scripts = ScriptRecord()

    /// The results of the issuer's commands in a transaction.
    struct ScriptRecord: Sendable, Hashable {
        /// The number of commands that were carried out, at most 15.
        var count: UInt8 = 0
        var hasFailed = false
    }
}
