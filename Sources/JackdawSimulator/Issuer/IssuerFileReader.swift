import JackdawBytes
public import JackdawEMV

extension SimulatedIssuer {
    /// Makes an issuer from its file; docs/simulated-issuer.md describes it.
    /// - Parameters:
    ///   - json: a JSON object in UTF-8, at most ``VirtualCard/maxFileSize`` bytes. The caller wipes it.
    ///   - cryptography: ciphers of cards and PIN blocks.
    ///   - allowsOwnKeys: whether keys that are not published for tests are allowed. Default: false, so that no
    ///     live key is used by mistake.
    ///   - seed: the seed of the authorisation codes. Default: 1.
    /// - Throws: ``SimulationFileError`` with the place and the reason.
    public init(
        json: [UInt8], _ cryptography: some IssuerCryptography, allowsOwnKeys: Bool = false, seed: UInt64 = 1
    ) throws(SimulationFileError) {
        try self.init(
            file: DescriptionObject(json: json, allowed: Self.members), cryptography, allowsOwnKeys: allowsOwnKeys,
            seed: seed)
    }

    static let members = [
        "currency", "delay", "pin_key", "unknown_accounts", "checks_counters", "limits", "keys", "accounts", "rules",
    ]

    init(
        file: DescriptionObject, _ cryptography: some IssuerCryptography, allowsOwnKeys: Bool, seed: UInt64
    ) throws(SimulationFileError) {
        let reader = IssuerFileReader(cryptography: cryptography, allowsOwnKeys: allowsOwnKeys)
        self.init(try reader.issuer(file), cryptography, seed: seed)
    }
}

/// Reads the file of an issuer.
struct IssuerFileReader<Cryptography: IssuerCryptography> {
    let cryptography: Cryptography
    let allowsOwnKeys: Bool

    func issuer(_ file: DescriptionObject) throws(SimulationFileError) -> IssuerDescription {
        let limits = try file.optionalObject("limits", allowed: ["amount", "refer_above"])
        return IssuerDescription(
            currency: try file.octets("currency", 2...2), delay: try file.optionalTime("delay") ?? .zero,
            pinKey: try pinKey(file),
            acceptsUnknownAccounts: try file.optionalChoice("unknown_accounts", among: UnknownAccounts.allCases)
                == .approve,
            checksCounters: try file.optionalFlag("checks_counters"), maxAmount: try limits?.optionalAmount("amount"),
            referAbove: try limits?.optionalAmount("refer_above"), keys: try keys(file), accounts: try accounts(file),
            rules: try rules(file))
    }

    // MARK: keys of cards and PINs

    private func pinKey(_ file: DescriptionObject) throws(SimulationFileError) -> SecretOctets? {
        guard file.has("pin_key") else { return nil }
        let key = try file.secret("pin_key", 16...16)
        guard allowsOwnKeys || cryptography.isPublishedTestKey(key) else {
            throw SimulationFileError(
                .notPublished, at: file.place(of: "pin_key"),
                "this key is not published for tests, and may be a live key")
        }
        return key
    }

    private func keys(_ file: DescriptionObject) throws(SimulationFileError) -> [IssuerKeySet] {
        let members = ["aid", "prefix", "scheme", "mac_length", "cryptogram", "integrity", "confidentiality"]
        var sets: [IssuerKeySet] = []
        for object in try file.optionalObjects("keys", allowed: members) {
            let set = IssuerKeySet(
                application: try object.optionalOctets("aid", 0...16) ?? [],
                accounts: try object.optionalDigits("prefix", 0...19) ?? SecretOctets([]),
                scheme: try object.optionalChoice("scheme"),
                macLength: try object.optionalNumber("mac_length", 4...8) ?? 8,
                cryptogram: try object.secret("cryptogram", 16...16),
                integrity: try object.secret("integrity", 16...16),
                confidentiality: try object.secret("confidentiality", 16...16))
            try check(set, at: object.place)
            sets.append(set)
        }
        return sets
    }

    /// Checks that keys make a cipher, and that they are published.
    private func check(_ set: IssuerKeySet, at place: String) throws(SimulationFileError) {
        let zeros = SecretOctets([UInt8](repeating: UInt8(ascii: "0"), count: 16))
        let cipher: Cryptography.Cipher
        do throws(ChipCardKeyError) {
            cipher = try cryptography.cipher(for: set.keys(set.scheme ?? .visa10, account: zeros, sequenceNumber: 0))
        } catch {
            throw SimulationFileError(.key, at: place, error.message)
        }
        guard allowsOwnKeys || cipher.usesPublishedTestKeys else {
            throw SimulationFileError(
                .notPublished, at: place, "these master keys are not published for tests, and may be live keys")
        }
    }

    // MARK: accounts and their PINs

    /// The answer to accounts that are not listed. The raw value is the name in the file.
    private enum UnknownAccounts: String, CaseIterable {
        case decline, approve
    }

    private func accounts(_ file: DescriptionObject) throws(SimulationFileError) -> [IssuerAccount] {
        var accounts: [IssuerAccount] = []
        let members = ["number", "status", "pin", "tries", "available"]
        for object in try file.optionalObjects("accounts", allowed: members) {
            let number = try object.accountNumber("number")
            guard !accounts.contains(where: { $0.number == number }) else {
                throw SimulationFileError(.value, at: object.place(of: "number"), "another account has this number")
            }
            let tries = try object.optionalNumber("tries", 1...15) ?? 3
            accounts.append(
                IssuerAccount(
                    number: number, status: try object.optionalChoice("status") ?? .good,
                    pin: try object.optionalDigits("pin", 4...12), tryLimit: tries, triesLeft: tries,
                    available: try object.optionalAmount("available")))
        }
        return accounts
    }

    // MARK: rules and their scripts

    private func rules(_ file: DescriptionObject) throws(SimulationFileError) -> [IssuerRule] {
        var rules: [IssuerRule] = []
        let conditions = ["message", "account", "from", "to", "results", "times", "delivery", "delay"]
        // The content of the reply, which only an authorisation has.
        let content = ["decision", "code", "authentication", "answer", "scripts"]
        for object in try file.optionalObjects("rules", allowed: conditions + content) {
            let message: IssuerRule.Message = try object.optionalChoice("message") ?? .authorisation
            if message != .authorisation { try object.allow(conditions) }
            rules.append(
                IssuerRule(
                    message: message, account: try object.optionalDigits("account", 1...19),
                    amounts: try amounts(object),
                    results: try object.optionalOctets("results", 5...5).flatMap { TerminalVerificationResults($0) },
                    times: try object.optionalNumber("times", 1...1_000_000),
                    verdict: try object.optionalChoice("decision", among: IssuerRule.Decision.allCases)?.verdict,
                    code: try code(object), delivery: try object.optionalChoice("delivery") ?? .replies,
                    delay: try object.optionalTime("delay"),
                    authentication: try object.optionalChoice("authentication") ?? .right,
                    answer: try object.optionalOctets("answer", 2...12), scripts: try scripts(object)))
        }
        return rules
    }

    private func amounts(_ object: DescriptionObject) throws(SimulationFileError) -> ClosedRange<UInt64>? {
        guard object.has("from") || object.has("to") else { return nil }
        let from = try object.optionalAmount("from") ?? 0
        let to = try object.optionalAmount("to", from: from) ?? Amount.maxNumeric
        return from...to
    }

    private func code(_ object: DescriptionObject) throws(SimulationFileError) -> [UInt8]? {
        guard object.has("code") else { return nil }
        guard object.has("decision") else {
            throw SimulationFileError(.member, at: object.place, "a code needs a decision")
        }
        return try object.characters("code", 2...2)
    }

    private func scripts(_ object: DescriptionObject) throws(SimulationFileError) -> [IssuerScriptPlan] {
        var scripts: [IssuerScriptPlan] = []
        for script in try object.optionalObjects("scripts", allowed: ["template", "identifier", "commands"]) {
            var commands: [IssuerScriptPlan.Command] = []
            for command in try script.objects("commands", allowed: ["command", "pin", "tag", "value"]) {
                commands.append(try self.command(command))
            }
            scripts.append(
                IssuerScriptPlan(
                    template: try script.optionalChoice("template") ?? .beforeCryptogram,
                    identifier: try script.optionalOctets("identifier", 4...4), commands: commands))
        }
        return scripts
    }

    /// A command in the file. The raw value is its name.
    private enum CommandName: String, CaseIterable {
        case blockApplication = "block_application"
        case unblockApplication = "unblock_application"
        case blockCard = "block_card"
        case unblockPIN = "unblock_pin"
        case changePIN = "change_pin"
        case putData = "put_data"
        case send

        /// The members that the command has.
        var members: [String] {
            switch self {
            case .blockApplication, .unblockApplication, .blockCard, .unblockPIN: ["command"]
            case .changePIN: ["command", "pin"]
            case .putData: ["command", "tag", "value"]
            case .send: ["command", "value"]
            }
        }
    }

    private func command(_ object: DescriptionObject) throws(SimulationFileError) -> IssuerScriptPlan.Command {
        let name: CommandName = try object.choice("command")
        try object.allow(name.members)
        switch name {
        case .blockApplication: return .protected(.applicationBlock)
        case .unblockApplication: return .protected(.applicationUnblock)
        case .blockCard: return .protected(.cardBlock)
        case .unblockPIN: return .protected(.pinUnblock)
        case .changePIN: return .protected(.pinChange(try object.digits("pin", 4...12)))
        case .putData:
            let tag = try object.tag("tag")
            guard tag.count == 2 else {
                throw SimulationFileError(.value, at: object.place(of: "tag"), "it must be a tag of two octets")
            }
            return .protected(.putData(tag, try object.octets("value", 0...200)))
        case .send: return .whole(try object.secret("value", 4...124))
        }
    }
}
