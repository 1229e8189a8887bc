import JackdawBytes
public import JackdawEMV
import JackdawReaders

/// The parts of a virtual card that its file describes.
struct CardDescription {
    let answerToReset: [UInt8]
    let usesT0: Bool
    let directories: [CardDirectory]
    let applications: [CardApplication]
    /// The digits of the PIN in ASCII; nil if the card has none.
    let pin: SecretOctets?
    let tryLimit: UInt8
    let triesLeft: UInt8
    let isBlocked: Bool
    /// The number of answers after which the chip is mute; nil if it is not.
    let muteAfter: Int?
    /// Track 2 of the stripe as in tag 57; nil without a stripe.
    let stripe: SecretOctets?
    /// The device between card and terminal; nil without one.
    let wedge: CardWedge?
}

extension VirtualCard {
    /// The largest size of the file of a card, an issuer or a payer, in bytes.
    public static let maxFileSize = DescriptionObject.maxFileSize

    /// Makes a card from its file; docs/virtual-card.md describes it.
    /// - Parameters:
    ///   - json: a JSON object in UTF-8. The caller wipes it.
    ///   - cryptography: RSA, ciphers and hashes.
    ///   - allowsOwnKeys: whether master keys that are not published for tests are allowed. Default: false, so that no
    ///     live key is used by mistake.
    ///   - seed: the seed of the random octets. Default: 1.
    ///   - base: returns the bytes of the file with a name, which the file names as its base; nil if there is none.
    ///     Default: there is none.
    /// - Throws: ``SimulationFileError`` with the place and the reason.
    public init(
        json: [UInt8], _ cryptography: some ChipCardCryptography, allowsOwnKeys: Bool = false, seed: UInt64 = 1,
        base: (String) -> [UInt8]? = { _ in nil }
    ) throws(SimulationFileError) {
        let file = try DerivedFile(DescriptionObject.content(of: json), base)
        try self.init(file: file.value, cryptography, allowsOwnKeys: allowsOwnKeys, seed: seed)
    }

    /// Makes a card from its file, with the changes to its bases.
    init(
        file: JSONValue, _ cryptography: some ChipCardCryptography, allowsOwnKeys: Bool, seed: UInt64
    ) throws(SimulationFileError) {
        let file = try DescriptionObject(
            file: file,
            allowed: [
                "atr", "directories", "language", "pin", "applications", "blocked", "mute_after", "stripe", "wedge",
                "ends",
            ])
        let reader = CardFileReader(cryptography: cryptography, allowsOwnKeys: allowsOwnKeys)
        self.init(try reader.card(file), cryptography, seed: seed)
    }
}

/// Reads the file of a card.
struct CardFileReader<Cryptography: ChipCardCryptography> {
    let cryptography: Cryptography
    let allowsOwnKeys: Bool

    func card(_ file: DescriptionObject) throws(SimulationFileError) -> CardDescription {
        let answerToReset = try file.octets("atr", 2...AnswerToReset.maxCount)
        let reset: AnswerToReset
        do throws(DataObjectError) {
            reset = try AnswerToReset(answerToReset.span)
        } catch {
            throw SimulationFileError(.value, at: "atr", error.message)
        }
        var applications: [CardApplication] = []
        let members = [
            "aid", "label", "priority", "control", "profile", "format", "records", "data", "counter", "last_online",
            "blocked", "cryptograms", "limits", "rsa", "tap",
        ]
        for object in try file.objects("applications", allowed: members) {
            let application = try application(object)
            guard !applications.contains(where: { $0.name == application.name }) else {
                throw SimulationFileError(.value, at: object.place(of: "aid"), "another application has this name")
            }
            applications.append(application)
        }
        guard (1...16).contains(applications.count) else {
            throw SimulationFileError(.value, at: "applications", "there must be 1 to 16 applications")
        }
        let (pin, tries, left) = try pin(file)
        return CardDescription(
            answerToReset: answerToReset, usesT0: reset.firstProtocol == 0,
            directories: try directories(file, applications), applications: applications, pin: pin, tryLimit: tries,
            triesLeft: left, isBlocked: try file.optionalFlag("blocked"),
            muteAfter: try file.optionalNumber("mute_after", 0...1_000),
            stripe: file.has("stripe") ? try file.secret("stripe", 8...19) : nil, wedge: try CardWedge(ofFile: file))
    }

    private func pin(_ file: DescriptionObject) throws(SimulationFileError) -> (SecretOctets?, UInt8, UInt8) {
        guard let object = try file.optionalObject("pin", allowed: ["digits", "tries", "tries_left"]) else {
            return (nil, 0, 0)
        }
        let tries = try object.optionalNumber("tries", 1...15) ?? 3
        let left = try object.optionalNumber("tries_left", 0...tries) ?? tries
        return (try object.digits("digits", 4...12), UInt8(tries), UInt8(left))
    }

    private func directories(
        _ file: DescriptionObject, _ applications: [CardApplication]
    ) throws(SimulationFileError) -> [CardDirectory] {
        let names = file.has("directories") ? try file.texts("directories") : ["PSE", "PPSE"]
        var language: [UInt8]?
        if let text = try file.optionalText("language").map({ Array($0.utf8) }) {
            guard (2...8).contains(text.count), text.count.isMultiple(of: 2),
                text.allSatisfy({ (0x61...0x7A).contains($0) })
            else {
                throw SimulationFileError(.value, at: "language", "it must be one to four languages, such as \"ende\"")
            }
            language = text
        }
        var directories: [CardDirectory] = []
        for (index, name) in names.enumerated() {
            switch name {
            case "PSE": directories.append(Self.contactDirectory(applications, language))
            case "PPSE":
                let directory = Self.contactlessDirectory(applications)
                try expectAnswer(directory.controlInformation, "directories")
                directories.append(directory)
            default:
                throw SimulationFileError(.value, at: "directories[\(index)]", "a directory is \"PSE\" or \"PPSE\"")
            }
        }
        return directories
    }

    /// The PSE: file 1 has an entry of each application in a record of its own (Book 1, 12.2).
    private static func contactDirectory(_ applications: [CardApplication], _ language: [UInt8]?) -> CardDirectory {
        let name = Array("1PAY.SYS.DDF01".utf8)
        var control = TagLengthValueBuilder()
        control.append(0x6F) { control in
            control.append(0x84, name)
            control.append(0xA5) { proprietary in
                proprietary.append(0x88, [1])
                if let language { proprietary.append(0x5F2D, language) }
            }
        }
        let records = applications.map { TagLengthValueBuilder.encode(0x70, $0.directoryEntry) }
        return CardDirectory(name: name, controlInformation: control.octets, records: records)
    }

    /// The PPSE, whose answer to SELECT has all entries (Book B, 3.3).
    private static func contactlessDirectory(_ applications: [CardApplication]) -> CardDirectory {
        let name = Array("2PAY.SYS.DDF01".utf8)
        var control = TagLengthValueBuilder()
        control.append(0x6F) { control in
            control.append(0x84, name)
            control.append(0xA5) { proprietary in
                proprietary.append(0xBF0C, applications.flatMap(\.directoryEntry))
            }
        }
        return CardDirectory(name: name, controlInformation: control.octets, records: [])
    }
}
