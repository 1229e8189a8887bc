import JackdawBytes
public import JackdawEMV

extension SimulatedIssuer {
    /// Makes an issuer from its file; docs/simulated-issuer.md describes it.
    /// - Parameters:
    ///   - json: a JSON object in UTF-8, at most ``VirtualCard/maxFileSize`` bytes. The caller wipes it.
    ///   - cryptography: ciphers of cards and PIN blocks.
    ///   - allowsOwnKeys: whether keys that are not published for tests are allowed. Default: false, so that no live key is
    ///     used by mistake.
    ///   - seed: the seed of the authorisation codes. Default: 1.
    /// - Throws: ``SimulationFileError`` with the place and the reason.
    public init(
        json: [UInt8], _ cryptography: some IssuerCryptography, allowsOwnKeys: Bool = false, seed: UInt64 = 1
    ) throws(SimulationFileError) {
        let members = [
            "name", "currency", "delay", "pin_key", "unknown_accounts", "checks_counters", "limits", "keys", "accounts",
            "rules",
        ]
        let reader = IssuerFileReader(cryptography: cryptography, allowsOwnKeys: allowsOwnKeys)
        let description = try SimulationFileError.reading(json, allowed: members) {
            (file) throws(VirtualCardError) in try reader.issuer(file)
        }
        self.init(description, cryptography, seed: seed)
    }
}

/// Reads the file of an issuer.
struct IssuerFileReader<Cryptography: IssuerCryptography> {
    let cryptography: Cryptography
    let allowsOwnKeys: Bool

    private static var maxAmount: Int { 999_999_999_999 }

    func issuer(_ file: CardFileObject) throws(VirtualCardError) -> IssuerDescription {
        if file.has("name") { _ = try file.text("name") }
        let limits =
            file.has("limits") ? try file.object("limits", allowed: ["amount", "refer_above"]) : nil
        return IssuerDescription(
            currency: try file.octets("currency", 2...2), delay: try file.milliseconds("delay") ?? .zero,
            pinKey: try pinKey(file),
            acceptsUnknownAccounts: try file.choice("unknown_accounts", ["decline", "approve"]) == "approve",
            checksCounters: try file.flag("checks_counters"),
            maxAmount: try limits?.number("amount", 0...Self.maxAmount).map(UInt64.init),
            referAbove: try limits?.number("refer_above", 0...Self.maxAmount).map(UInt64.init), keys: try keys(file),
            accounts: try accounts(file), rules: try rules(file))
    }

    // MARK: keys of cards and PINs

    private func pinKey(_ file: CardFileObject) throws(VirtualCardError) -> SecretOctets? {
        guard file.has("pin_key") else { return nil }
        let key = try file.secret("pin_key", 16...16)
        guard allowsOwnKeys || cryptography.isPublishedTestKey(key) else {
            throw VirtualCardError(
                .notPublished, at: "pin_key", "this key is not published for tests, and may be a live key")
        }
        return key
    }

    private func keys(_ file: CardFileObject) throws(VirtualCardError) -> [IssuerKeySet] {
        guard file.has("keys") else { return [] }
        let members = ["aid", "prefix", "scheme", "mac_length", "cryptogram", "integrity", "confidentiality"]
        var sets: [IssuerKeySet] = []
        for object in try file.objects("keys", allowed: members) {
            let set = IssuerKeySet(
                application: object.has("aid") ? try object.octets("aid", 0...16) : [],
                accounts: try object.digits("prefix", 0...19) ?? SecretOctets([]), scheme: try scheme(object),
                macLength: try object.number("mac_length", 4...8) ?? 8,
                cryptogram: try object.secret("cryptogram", 16...16),
                integrity: try object.secret("integrity", 16...16),
                confidentiality: try object.secret("confidentiality", 16...16))
            try check(set, at: object.place)
            sets.append(set)
        }
        return sets
    }

    private func scheme(_ object: CardFileObject) throws(VirtualCardError) -> IssuerScheme? {
        guard object.has("scheme") else { return nil }
        let name = try object.choice("scheme", IssuerScheme.allCases.map(\.rawValue))
        return name.flatMap { IssuerScheme(rawValue: $0) }
    }

    /// Checks that keys make a cipher, and that they are published.
    private func check(_ set: IssuerKeySet, at place: String) throws(VirtualCardError) {
        let zero = AccountNumber(digits: SecretOctets(Array("0000000000000000".utf8)), sequenceNumber: 0)
        let cipher: Cryptography.Cipher
        do throws(ChipCardKeyError) {
            cipher = try cryptography.cipher(for: set.keys(for: zero, set.scheme ?? .visa10))
        } catch {
            throw VirtualCardError(.key, at: place, error.message)
        }
        guard allowsOwnKeys || cipher.usesPublishedTestKeys else {
            throw VirtualCardError(
                .notPublished, at: place, "these master keys are not published for tests, and may be live keys")
        }
    }

    // MARK: accounts and their PINs

    private func accounts(_ file: CardFileObject) throws(VirtualCardError) -> [IssuerAccount] {
        guard file.has("accounts") else { return [] }
        var accounts: [IssuerAccount] = []
        let members = ["number", "status", "pin", "tries", "available"]
        for object in try file.objects("accounts", allowed: members) {
            guard let number = try object.digits("number", 8...19) else {
                throw VirtualCardError(.member, at: object.place, "it lacks a member \"number\"")
            }
            guard !accounts.contains(where: { $0.number == number }) else {
                throw VirtualCardError(.value, at: object.place(of: "number"), "another account has this number")
            }
            let status = try object.choice("status", IssuerAccount.Status.allCases.map(\.rawValue))
            let tries = try object.number("tries", 1...15) ?? 3
            accounts.append(
                IssuerAccount(
                    number: number, status: status.flatMap { IssuerAccount.Status(rawValue: $0) } ?? .good,
                    pin: try object.digits("pin", 4...12), tryLimit: tries, triesLeft: tries,
                    available: try object.number("available", 0...Self.maxAmount).map(UInt64.init)))
        }
        return accounts
    }

    // MARK: rules and their scripts

    private func rules(_ file: CardFileObject) throws(VirtualCardError) -> [IssuerRule] {
        guard file.has("rules") else { return [] }
        var rules: [IssuerRule] = []
        let members = [
            "message", "account", "from", "to", "results", "times", "decision", "code", "delivery", "delay",
            "authentication", "answer", "scripts",
        ]
        for object in try file.objects("rules", allowed: members) {
            let message = try object.choice("message", IssuerRule.Message.allCases.map(\.rawValue))
            let verdict = try object.choice("decision", ["approve", "decline", "refer"])
            let delivery = try object.choice("delivery", IssuerRule.Delivery.allCases.map(\.rawValue))
            let data = try object.choice("authentication", IssuerRule.Authentication.allCases.map(\.rawValue))
            rules.append(
                IssuerRule(
                    message: message.flatMap { IssuerRule.Message(rawValue: $0) } ?? .authorisation,
                    account: try object.digits("account", 1...19), amounts: try amounts(object),
                    results: object.has("results")
                        ? TerminalVerificationResults(try object.octets("results", 5...5)) : nil,
                    times: try object.number("times", 1...1_000_000),
                    verdict: verdict.map { $0 == "approve" ? .approved : $0 == "decline" ? .declined : .referred },
                    code: try code(object),
                    delivery: delivery.flatMap { IssuerRule.Delivery(rawValue: $0) } ?? .replies,
                    delay: try object.milliseconds("delay"),
                    authentication: data.flatMap { IssuerRule.Authentication(rawValue: $0) } ?? .right,
                    answer: object.has("answer") ? try object.octets("answer", 2...12) : nil,
                    scripts: try scripts(object)))
        }
        return rules
    }

    private func amounts(_ object: CardFileObject) throws(VirtualCardError) -> ClosedRange<UInt64>? {
        guard object.has("from") || object.has("to") else { return nil }
        let from = try object.number("from", 0...Self.maxAmount) ?? 0
        let to = try object.number("to", from...Self.maxAmount) ?? Self.maxAmount
        return UInt64(from)...UInt64(to)
    }

    private func code(_ object: CardFileObject) throws(VirtualCardError) -> [UInt8]? {
        guard object.has("code") else { return nil }
        let code = Array(try object.text("code").utf8)
        guard code.count == 2, code.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw VirtualCardError(.value, at: object.place(of: "code"), "a response code has two characters")
        }
        return code
    }

    private func scripts(_ object: CardFileObject) throws(VirtualCardError) -> [IssuerScriptPlan] {
        guard object.has("scripts") else { return [] }
        var scripts: [IssuerScriptPlan] = []
        for script in try object.objects("scripts", allowed: ["template", "identifier", "commands"]) {
            var commands: [IssuerScriptPlan.Command] = []
            for command in try script.objects("commands", allowed: ["command", "pin", "tag", "value"]) {
                commands.append(try self.command(command))
            }
            scripts.append(
                IssuerScriptPlan(
                    isBeforeCryptogram: try script.choice("template", ["71", "72"]) != "72",
                    identifier: script.has("identifier") ? try script.octets("identifier", 4...4) : nil,
                    commands: commands))
        }
        return scripts
    }

    private func command(_ object: CardFileObject) throws(VirtualCardError) -> IssuerScriptPlan.Command {
        let names = [
            "block_application", "unblock_application", "block_card", "unblock_pin", "change_pin", "put_data", "send",
        ]
        switch try object.choice("command", names) {
        case "block_application": return .applicationBlock
        case "unblock_application": return .applicationUnblock
        case "block_card": return .cardBlock
        case "unblock_pin": return .pinUnblock
        case "change_pin":
            guard let pin = try object.digits("pin", 4...12) else {
                throw VirtualCardError(.member, at: object.place, "it lacks a member \"pin\"")
            }
            return .pinChange(pin)
        case "put_data":
            let name = try object.text("tag")
            guard name.utf8.count == 4, let number = UInt32(name, radix: 16), let tag = Tag(rawValue: number),
                tag.count == 2
            else {
                throw VirtualCardError(.value, at: object.place(of: "tag"), "it must be a tag of two octets")
            }
            return .putData(tag, try object.octets("value", 0...200))
        case "send": return .whole(try object.secret("value", 4...124))
        default: throw VirtualCardError(.member, at: object.place, "it lacks a member \"command\"")
        }
    }
}
