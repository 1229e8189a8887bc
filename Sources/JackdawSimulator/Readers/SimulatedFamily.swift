public import JackdawReaders

/// A reader family that can be simulated, under the name of its driver.
public struct SimulatedFamily: Sendable {
    /// The name of the family.
    public let name: String
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
    ///   - name: the name of the family, as in ``ReaderFamily``.
    ///   - makeEncrypting: creates a reader with a key. Default: the readers do not encrypt.
    ///   - makeProfiled: creates a reader from a profile with all values. Default: the profile is ignored.
    ///   - make: creates a reader.
    init(
        name: String, encrypting makeEncrypting: (@Sendable (any SwipeCipher) -> (any ReaderModel)?)? = nil,
        profiled makeProfiled: (@Sendable (ReaderProfile) throws(ReaderError) -> any ReaderModel)? = nil,
        _ make: @escaping @Sendable () -> any ReaderModel
    ) {
        self.name = name
        self.make = make
        self.makeEncrypting = makeEncrypting
        self.makeProfiled = makeProfiled
    }
}
