/// A family of readers that is looked for on an audio jack.
public struct ReaderSearchCandidate: Sendable {
    /// How it is looked for.
    enum Test: Sendable {
        /// It tells that it is there when it is given power.
        case power
        /// It has power of its own, and answers a request.
        case request(ReaderRequest)
    }

    /// The name of the family.
    public let family: String
    let means: Result<(dialect: any ReaderDialect, sound: ReaderSound, test: Test), ReaderError>

    /// A family, by what is known of it.
    /// - Parameters:
    ///   - family: the family. One of which too little is known is not looked for, and the report says why.
    ///   - profile: values in the place of those of the family's own profile.
    public init(_ family: ReaderFamily, profile: ReaderProfile? = nil) {
        self.family = family.name
        means = Result { () throws(ReaderError) in
            let dialect = try family.makeDialect(profile)
            guard let sound = try family.makeSound(profile) else {
                throw ReaderError(.unsupported, "\(family.name) readers are not on an audio jack")
            }
            return (dialect, sound, try Self.test(dialect, sound))
        }
    }

    private static func test(_ dialect: any ReaderDialect, _ sound: ReaderSound) throws(ReaderError) -> Test {
        guard !dialect.hasPowerUp else { return .power }
        guard !sound.givesPower, let request = dialect.identification.first, request.isAnswered else {
            throw ReaderError(
                .unsupported, "nothing is known that \(dialect.family) readers would answer at once",
                remedy: "name it in a profile")
        }
        return .request(request)
    }
}
