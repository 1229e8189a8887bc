import JackdawBytes
import JackdawEMV

// The applications of a card's file.

extension CardFileReader {
    func application(_ object: DescriptionObject) throws(SimulationFileError) -> CardApplication {
        let name = try object.octets("aid", 5...16)
        let profile = try object.octets("profile", 2...2)
        let control = try self.control(object)
        var records = try CardFileRecords(object)
        let account = try account(records)
        let keys = try rsaKeys(object)
        let certificates = CardCertificates(
            cryptography: cryptography, keys: keys, account: account, profile: profile,
            place: object.place(of: "records"))
        try certificates.add(to: &records)
        let functions = ApplicationInterchangeProfile(profile) ?? []
        if !functions.isDisjoint(with: [.ddaSupported, .cdaSupported]), keys.card == nil {
            throw SimulationFileError(.value, at: object.place(of: "profile"), "DDA and CDA need a key in rsa.card")
        }
        let cryptograms = try cryptograms(object, account)
        let lists = try CardLists(control.objects, records)
        let controlInformation = Self.controlInformation(name, control.entry, control.objects)
        try expectAnswer(controlInformation, object.place(of: "control"))
        let usesFormat2 = try object.optionalNumber("format", 1...2) == 2
        let options = CardApplication.options(profile, records.locator, usesFormat2: usesFormat2)
        try expectAnswer(options, records.place)
        let tap = try TapApplication(object, lists.processing, cryptograms.scheme)
        // Locator and signature come with 58 octets: the other objects, and the tags and lengths of all.
        if tap != nil, let key = keys.card,
            58 + records.locator.count + key.publicKey.modulus.count > CardApplication.maxAnswerCount
        {
            throw SimulationFileError(
                .length, at: object.place(of: "tap"), "rsa.card is too long for the answer to a tap")
        }
        var state = ApplicationState()
        state.counter = UInt16(try object.optionalNumber("counter", 0...65_535) ?? 0)
        state.lastOnline = UInt16(try object.optionalNumber("last_online", 0...Int(state.counter)) ?? 0)
        state.isBlocked = try object.optionalFlag("blocked")
        state.data = try data(object)
        return CardApplication(
            name: name, controlInformation: controlInformation,
            directoryEntry: Self.directoryEntry(name, control.entry), profile: profile, locator: records.locator,
            options: options, records: try records.encoded(), usesFormat2: usesFormat2,
            processingList: lists.processing, firstList: lists.first, secondList: lists.second,
            dynamicCount: lists.dynamicCount, scheme: cryptograms.scheme, keyIndex: cryptograms.keyIndex,
            cipher: cryptograms.cipher, signatureKey: keys.card, pinKey: keys.pin ?? keys.card,
            limits: try limits(object), macLength: cryptograms.macLength, currency: records.value(0x9F42),
            country: records.value(0x5F28), made: records.madeTags, tap: tap, initialState: state)
    }

    /// Checks the length of an answer that follows from the file.
    /// - Throws: ``SimulationFileError`` with the place of its parts if it has more than 256 octets.
    func expectAnswer(_ answer: [UInt8], _ place: String) throws(SimulationFileError) {
        guard answer.count <= CardApplication.maxAnswerCount else {
            throw SimulationFileError(
                .length, at: place,
                "the answer has \(answer.count) octets; at most \(CardApplication.maxAnswerCount) are allowed")
        }
    }

    /// The objects of the answer to SELECT, and those of them that directories also have.
    private func control(
        _ object: DescriptionObject
    ) throws(SimulationFileError) -> (entry: DataObjectStore, objects: DataObjectStore) {
        var objects = DataObjectStore()
        if let control = try object.optionalObject("control") {
            for name in control.names { objects[try control.tag(named: name)] = try control.octets(name, 0...200) }
        }
        var entry = DataObjectStore()
        entry[0x50] = try object.characters("label", 1...16)
        entry[0x87] = try object.optionalOctets("priority", 1...1)
        for tag in entry.tags { objects.set(tag, entry.secret(tag)) }
        return (entry, objects)
    }

    private static func controlInformation(
        _ name: [UInt8], _ entry: DataObjectStore, _ objects: DataObjectStore
    ) -> [UInt8] {
        var builder = TagLengthValueBuilder()
        builder.append(0x6F) { control in
            control.append(0x84, name)
            control.append(0xA5) { proprietary in
                for tag in entry.tags { proprietary.append(tag, entry[tag] ?? []) }
                for tag in objects.tags where !entry.contains(tag) { proprietary.append(tag, objects[tag] ?? []) }
            }
        }
        return builder.octets
    }

    private static func directoryEntry(_ name: [UInt8], _ entry: DataObjectStore) -> [UInt8] {
        var builder = TagLengthValueBuilder()
        builder.append(0x61) { template in
            template.append(0x4F, name)
            for tag in entry.tags { template.append(tag, entry[tag] ?? []) }
        }
        return builder.octets
    }

    private func data(_ object: DescriptionObject) throws(SimulationFileError) -> DataObjectStore {
        var data = DataObjectStore()
        guard let objects = try object.optionalObject("data") else { return data }
        for name in objects.names {
            let tag = try objects.tag(named: name)
            guard tag.count <= 2, ![.transactionCounter, .lastOnlineCounter, .pinTryCounter].contains(tag) else {
                throw SimulationFileError(
                    .value, at: objects.place(of: name), "a tag has one or two octets, and is no counter of the card")
            }
            data[tag] = try objects.octets(name, 0...200)
        }
        return data
    }

    private func limits(_ object: DescriptionObject) throws(SimulationFileError) -> CardLimits {
        let members = [
            "online_above", "decline_above", "consecutive_offline", "new_card_online", "issuer_required",
            "issuer_may_fail",
        ]
        guard let limits = try object.optionalObject("limits", allowed: members) else { return CardLimits() }
        let isRequired = try limits.optionalFlag("issuer_required")
        let mayFail = try limits.optionalFlag("issuer_may_fail")
        guard !isRequired || !mayFail else {
            throw SimulationFileError(
                .value, at: limits.place(of: "issuer_may_fail"), "an issuer that is required must not fail")
        }
        return CardLimits(
            onlineAbove: try limits.optionalAmount("online_above"),
            declineAbove: try limits.optionalAmount("decline_above"),
            consecutiveOffline: try limits.optionalNumber("consecutive_offline", 0...65_535),
            isNewCardOnline: try limits.optionalFlag("new_card_online"), needsIssuer: isRequired,
            allowsFailedIssuer: mayFail)
    }

    /// The account number of the records, packed with padding F, and its sequence number.
    private func account(_ records: CardFileRecords) throws(SimulationFileError) -> CardFileAccount {
        guard let packed = records.secret(0x5A) else {
            throw SimulationFileError(.member, at: records.place, "no record has the account number, tag 5A")
        }
        let expiry = records.value(0x5F24) ?? []
        guard let number = AccountNumber(packed: packed, sequence: records.value(0x5F34)),
            CardDate(expiry.span) != nil
        else {
            throw SimulationFileError(
                .value, at: records.place, "tag 5A must have 8 to 19 digits, 5F34 two, and 5F24 a date YYMMDD")
        }
        return CardFileAccount(number: number, packed: packed, expiry: [expiry[1], expiry[0]])
    }

    private struct Cryptograms {
        let scheme: CryptogramScheme
        let keyIndex: UInt8
        let macLength: Int
        let cipher: Cryptography.Cipher
    }

    private func cryptograms(
        _ object: DescriptionObject, _ account: CardFileAccount
    ) throws(SimulationFileError) -> Cryptograms {
        let file = try object.object(
            "cryptograms", allowed: ["scheme", "key_index", "mac_length", "issuer_keys", "card_keys"])
        let scheme = try file.choice("scheme", among: CryptogramScheme.ofCards)
        guard file.has("issuer_keys") != file.has("card_keys") else {
            throw SimulationFileError(.member, at: file.place, "it must have either issuer_keys or card_keys")
        }
        let areIssuerKeys = file.has("issuer_keys")
        let keys = try file.object(
            areIssuerKeys ? "issuer_keys" : "card_keys", allowed: ["cryptogram", "integrity", "confidentiality"])
        let cipher: Cryptography.Cipher
        do throws(ChipCardKeyError) {
            let keys = ChipCardKeys(
                scheme: scheme.rawValue, areIssuerKeys: areIssuerKeys, cryptogram: try secret(keys, "cryptogram"),
                integrity: try secret(keys, "integrity"), confidentiality: try secret(keys, "confidentiality"),
                account: account.number.digits, sequenceNumber: account.number.sequenceNumber)
            cipher = try cryptography.cipher(for: keys)
        } catch {
            throw SimulationFileError(.key, at: keys.place, error.message)
        }
        guard allowsOwnKeys || cipher.usesPublishedTestKeys else {
            throw SimulationFileError(
                .notPublished, at: keys.place, "these master keys are not published for tests, and may be live keys")
        }
        return Cryptograms(
            scheme: scheme, keyIndex: try file.optionalOctets("key_index", 1...1)?.first ?? 1,
            macLength: try file.optionalNumber("mac_length", 4...8) ?? 8, cipher: cipher)
    }

    /// A master key. Its error is that of keys, whose place is the object that has them.
    private func secret(_ keys: DescriptionObject, _ name: String) throws(ChipCardKeyError) -> SecretOctets {
        do throws(SimulationFileError) { return try keys.secret(name, 16...16) } catch {
            throw ChipCardKeyError("\(name): \(error.message)")
        }
    }

    /// The RSA keys of an application: its member `rsa`.
    func rsaKeys(_ object: DescriptionObject) throws(SimulationFileError) -> CardFileKeys {
        let members = ["index", "authority", "issuer", "card", "pin"]
        guard let file = try object.optionalObject("rsa", allowed: members) else { return CardFileKeys() }
        var keys = CardFileKeys()
        keys.index = try file.optionalOctets("index", 1...1)?.first
        keys.authority = try keyPair(file, "authority", sizes: 64...248)
        keys.issuer = try keyPair(file, "issuer", sizes: 64...247)
        // An answer to GENERATE AC has at most 256 octets, of which the signature is one part.
        keys.card = try keyPair(file, "card", sizes: 64...208)
        keys.pin = try keyPair(file, "pin", sizes: 64...208)
        return keys
    }

    private func keyPair(
        _ file: DescriptionObject, _ name: String, sizes: ClosedRange<Int>
    ) throws(SimulationFileError) -> RSAKeyPair? {
        let members = ["modulus", "exponent", "private_exponent"]
        guard let key = try file.optionalObject(name, allowed: members) else { return nil }
        let modulus = try key.octets("modulus", sizes)
        let exponent = try key.optionalOctets("exponent", 1...3) ?? [3]
        // The lengths of certificates, signatures and blocks are those of the numbers (Book 2, 5 and 6).
        for (name, number) in [("modulus", modulus), ("exponent", exponent)] where number.first == 0 {
            throw SimulationFileError(.key, at: key.place(of: name), "it must not begin with 00")
        }
        let pair = RSAKeyPair(
            publicKey: RSAPublicKey(modulus: modulus, exponent: exponent),
            privateExponent: try key.secret("private_exponent", 1...modulus.count))
        // Both parts of a key undo each other.
        let block = [0] + [UInt8](repeating: 0x5A, count: modulus.count - 1)
        guard let signed = cryptography.applyPrivate(pair, to: SecretOctets(block)),
            cryptography.recover(signed.octets, with: pair.publicKey) == block
        else {
            throw SimulationFileError(.key, at: key.place, "the private exponent does not belong to the public key")
        }
        return pair
    }
}

/// The RSA keys of an application's file.
struct CardFileKeys {
    /// The index of the certification authority's key (8F).
    var index: UInt8?
    var authority: RSAKeyPair?
    var issuer: RSAKeyPair?
    var card: RSAKeyPair?
    /// The key for PINs, if it is not the card's.
    var pin: RSAKeyPair?
}

/// The account of an application's file.
struct CardFileAccount {
    let number: AccountNumber
    /// As in tag 5A.
    let packed: SecretOctets
    /// The month and the year (`MMYY`) of the card's expiry, for certificates.
    let expiry: [UInt8]
}
