public import JackdawReaders

/// Families that are simulated, by the names of their drivers.
public struct SimulatedFamily: Sendable {
    /// The name of the family.
    public let name: String
    private let make: @Sendable () -> any ReaderModel

    /// How the family behaves.
    public func makeModel() -> any ReaderModel { make() }

    /// How the family behaves with values of a profile: the wire, where that is not published, and all of IPS's readers. Of other
    /// families nothing that a profile has is the reader's matter.
    /// - Parameter profile: values in the place of those of the simulated reader's own; it may leave out the others.
    /// - Returns: the model.
    /// - Throws: `ReaderError` (`missingValue`, `badProfile`) where a value cannot be.
    public func makeModel(_ profile: ReaderProfile) throws(ReaderError) -> any ReaderModel {
        guard let family = ReaderFamily.named(name) else { return make() }
        let whole = try family.simulatedProfile.with(profile)
        // What the driver would not take no reader is.
        _ = try family.makeDialect(whole)
        return switch make() {
        case is IPSModel: try IPSModel(name, whole)
        case is WireModel: try WireModel(name, whole)
        case let model: model
        }
    }

    /// How the family behaves with a key.
    /// - Parameter cipher: what a reader encrypts swipes with.
    /// - Returns: the model; nil where nobody has published how the family's readers encrypt, or none does it by such keys.
    public func makeModel(cipher: any SwipeCipher) -> (any ReaderModel)? {
        switch name {
        case "btmag": IDTechModel(family: name, cipher: cipher)
        case "edynamo" where cipher.isDeriving: EDynamoModel(cipher: cipher)
        case "idtech": IDTechModel(cipher: cipher)
        case "ips": IPSModel(cipher: cipher)
        case "magtek" where cipher.isDeriving: MagTekModel(cipher: cipher)
        case "neo": NEOModel(cipher: cipher)
        case "unimag": UniMagModel(cipher: cipher)
        default: nil
        }
    }

    /// All of them, by name.
    public static let all = [
        SimulatedFamily(name: "bbpos") { WireModel("bbpos") },
        SimulatedFamily(name: "btmag") { IDTechModel(family: "btmag") },
        SimulatedFamily(name: "clovergo") { WireModel("clovergo") },
        SimulatedFamily(name: "edynamo") { EDynamoModel() },
        SimulatedFamily(name: "epos") { WireModel("epos") },
        SimulatedFamily(name: "flojack") { FloJackModel() }, SimulatedFamily(name: "hijack") { HiJackModel() },
        SimulatedFamily(name: "idtech") { IDTechModel() },
        SimulatedFamily(name: "ips") { IPSModel() },
        SimulatedFamily(name: "ipsenterprise") { IPSModel(family: "ipsenterprise") },
        SimulatedFamily(name: "jsonpos") { JSONPOSModel() },
        SimulatedFamily(name: "magtek") { MagTekModel() }, SimulatedFamily(name: "miura") { MiuraModel() },
        SimulatedFamily(name: "neo") { NEOModel() }, SimulatedFamily(name: "udynamo") { UDynamoModel() },
        SimulatedFamily(name: "unimag") { UniMagModel() },
    ]

    /// The family of a name; nil where it is not simulated.
    public static func named(_ name: String) -> SimulatedFamily? { all.first { $0.name == name } }

    init(name: String, _ make: @escaping @Sendable () -> any ReaderModel) {
        self.name = name
        self.make = make
    }
}
