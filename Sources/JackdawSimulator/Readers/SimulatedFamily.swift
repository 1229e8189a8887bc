public import JackdawReaders

/// A reader family that can be simulated, under the name of its driver.
public struct SimulatedFamily: Sendable {
    /// The name of the family.
    public let name: String
    /// Whether the readers report swiped cards. Terminals that take payments only, readers of tags and lines for plain
    /// bytes do not.
    package let reportsSwipes: Bool
    /// Whether the readers report a card that they could not read.
    package let reportsUnreadCards: Bool
    /// The manners other than swipes in which a card is presented so that the driver reports it.
    package let notices: Set<Presentation.Manner>
    /// Whether a reader that could not read a card refuses the request to wait for one, and reports no bad swipe.
    package let refusesUnreadCards: Bool
    /// Whether a reader stores each setting in ``SimulatedDevice/settings`` under its number.
    package let storesSettings: Bool
    /// The faults of a reader's first message with which the driver connects it, but with other facts about it.
    package let identityFaults: Set<ReaderFault>
    private let make: @Sendable () -> any ReaderModel
    private let makeEncrypting: (@Sendable (any SwipeCipher) -> (any ReaderModel)?)?
    private let makeProfiled: (@Sendable (ReaderProfile) throws(ReaderError) -> any ReaderModel)?

    /// A model with the family's default values.
    public func makeModel() -> any ReaderModel { make() }

    /// A model with values of a profile. They affect families whose wire is not published, and all of IPS's readers;
    /// other models ignore the profile.
    /// - Parameter profile: values that replace those of the simulated reader; any may be missing.
    /// - Returns: the model.
    /// - Throws: `ReaderError` (`missingValue`, `badProfile`) if a value is invalid.
    public func makeModel(_ profile: ReaderProfile) throws(ReaderError) -> any ReaderModel {
        guard let family = ReaderFamily.named(name) else { return make() }
        let whole = try family.simulatedProfile.with(profile)
        // Throws for values that the driver does not accept.
        _ = try family.makeDialect(whole)
        return try makeProfiled?(whole) ?? make()
    }

    /// Creates a model with a key.
    /// - Parameter cipher: encrypts the reader's swipes.
    /// - Returns: the model; nil if the encryption of the family's readers is not published, or does not use such keys.
    public func makeModel(cipher: any SwipeCipher) -> (any ReaderModel)? { makeEncrypting?(cipher) ?? nil }

    /// - Parameters:
    ///   - name: the name of the family, as in `ReaderFamily`.
    ///   - reportsSwipes: whether the readers report swiped cards. Default: true.
    ///   - reportsUnreadCards: whether the readers report a card that they could not read. Default: true.
    ///   - notices: the manners other than swipes in which a presented card is reported. Default: none.
    ///   - refusesUnreadCards: whether a reader that could not read a card refuses to wait for one. Default: false.
    ///   - storesSettings: whether a reader stores each setting under its number. Default: false.
    ///   - identityFaults: the faults of the first message that change what a reader is known by. Default: none.
    ///   - makeEncrypting: creates a reader with a key. Default: the readers do not encrypt.
    ///   - makeProfiled: creates a reader from a profile with all values. Default: the profile is ignored.
    ///   - make: creates a reader.
    init(
        name: String, reportsSwipes: Bool = true, reportsUnreadCards: Bool = true,
        notices: Set<Presentation.Manner> = [],
        refusesUnreadCards: Bool = false, storesSettings: Bool = false, identityFaults: Set<ReaderFault> = [],
        encrypting makeEncrypting: (@Sendable (any SwipeCipher) -> (any ReaderModel)?)? = nil,
        profiled makeProfiled: (@Sendable (ReaderProfile) throws(ReaderError) -> any ReaderModel)? = nil,
        _ make: @escaping @Sendable () -> any ReaderModel
    ) {
        self.name = name
        self.reportsSwipes = reportsSwipes
        self.reportsUnreadCards = reportsUnreadCards
        self.notices = notices
        self.refusesUnreadCards = refusesUnreadCards
        self.storesSettings = storesSettings
        self.identityFaults = identityFaults
        self.make = make
        self.makeEncrypting = makeEncrypting
        self.makeProfiled = makeProfiled
    }
}
