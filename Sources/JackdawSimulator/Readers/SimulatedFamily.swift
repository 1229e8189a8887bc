/// Families that are simulated, by the names of their drivers.
public struct SimulatedFamily: Sendable {
    /// The name of the family.
    public let name: String
    private let make: @Sendable () -> any ReaderModel

    /// How the family behaves.
    public func makeModel() -> any ReaderModel { make() }

    /// All of them, by name.
    public static let all = [
        SimulatedFamily(name: "bbpos") { WireModel("bbpos") },
        SimulatedFamily(name: "clovergo") { WireModel("clovergo") },
        SimulatedFamily(name: "edynamo") { EDynamoModel() },
        SimulatedFamily(name: "epos") { WireModel("epos") },
        SimulatedFamily(name: "flojack") { FloJackModel() }, SimulatedFamily(name: "hijack") { HiJackModel() },
        SimulatedFamily(name: "idtech") { IDTechModel() },
        SimulatedFamily(name: "ips") { IPSModel() },
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
