public import JackdawReaders

/// A reader family that can be simulated, under the name of its driver.
public struct SimulatedFamily: Sendable {
    /// The name of the family.
    public let name: String
    private let make: @Sendable () -> any ReaderModel
    private let makeEncrypting: (@Sendable (any SwipeCipher) -> (any ReaderModel)?)?

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
        return switch make() {
        case is IPSModel: try IPSModel(name, whole)
        case is WireModel: try WireModel(name, whole)
        case let model: model
        }
    }

    /// Creates a model with a key.
    /// - Parameter cipher: encrypts the reader's swipes.
    /// - Returns: the model; nil if the encryption of the family's readers is not published, or does not use such keys.
    public func makeModel(cipher: any SwipeCipher) -> (any ReaderModel)? { makeEncrypting?(cipher) ?? nil }

    /// All simulated families, sorted by name.
    public static let all = [
        SimulatedFamily(name: "bbpos") { WireModel("bbpos") },
        SimulatedFamily(name: "btmag", encrypting: { IDTechModel(family: "btmag", cipher: $0) }) {
            IDTechModel(family: "btmag")
        },
        SimulatedFamily(name: "clovergo") { WireModel("clovergo") },
        SimulatedFamily(name: "edynamo", encrypting: { $0.isDeriving ? EDynamoModel(cipher: $0) : nil }) {
            EDynamoModel()
        },
        SimulatedFamily(name: "epos") { WireModel("epos") },
        SimulatedFamily(name: "flojack") { FloJackModel() }, SimulatedFamily(name: "hijack") { HiJackModel() },
        SimulatedFamily(name: "idtech", encrypting: { IDTechModel(cipher: $0) }) { IDTechModel() },
        SimulatedFamily(name: "ips", encrypting: { IPSModel(cipher: $0) }) { IPSModel() },
        SimulatedFamily(name: "ipsenterprise") { IPSModel(family: "ipsenterprise") },
        SimulatedFamily(name: "jsonpos") { JSONPOSModel() },
        SimulatedFamily(name: "magtek", encrypting: { $0.isDeriving ? MagTekModel(cipher: $0) : nil }) {
            MagTekModel()
        },
        SimulatedFamily(name: "miura") { MiuraModel() },
        SimulatedFamily(name: "neo", encrypting: { NEOModel(cipher: $0) }) { NEOModel() },
        SimulatedFamily(name: "udynamo") { UDynamoModel() },
        SimulatedFamily(name: "unimag", encrypting: { UniMagModel(cipher: $0) }) { UniMagModel() },
    ]

    /// Finds a family by its name; nil if it is not simulated.
    public static func named(_ name: String) -> SimulatedFamily? { all.first { $0.name == name } }

    init(
        name: String, encrypting makeEncrypting: (@Sendable (any SwipeCipher) -> (any ReaderModel)?)? = nil,
        _ make: @escaping @Sendable () -> any ReaderModel
    ) {
        self.name = name
        self.make = make
        self.makeEncrypting = makeEncrypting
    }
}
