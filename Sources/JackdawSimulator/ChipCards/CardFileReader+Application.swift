import JackdawBytes
import JackdawEMV

// The applications of a card's file.

extension CardFileReader {
    func application(_ object: CardFileObject) throws(VirtualCardError) -> CardApplication {
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
            throw VirtualCardError(.value, at: object.place(of: "profile"), "DDA and CDA need a key in rsa.card")
        }
        let cryptograms = try cryptograms(object, account)
        let lists = try CardLists(control.objects, records)
        let controlInformation = Self.controlInformation(name, control.entry, control.objects)
        try expectAnswer(controlInformation, object.place(of: "control"))
        let usesFormat2 = try object.number("format", 1...2) == 2
        let options = CardApplication.options(profile, records.locator, usesFormat2: usesFormat2)
        try expectAnswer(options, records.place)
        let tap = try TapApplication(object, lists.processing, cryptograms.scheme)
        // The other objects of the answer have 58 octets.
        if tap != nil, let key = keys.card, 58 + records.locator.count + key.publicKey.modulus.count > 256 {
            throw VirtualCardError(.length, at: object.place(of: "tap"), "rsa.card is too long for the answer to a tap")
        }
        var state = ApplicationState()
        state.counter = UInt16(try object.number("counter", 0...65_535) ?? 0)
        state.lastOnline = UInt16(try object.number("last_online", 0...Int(state.counter)) ?? 0)
        state.isBlocked = try object.flag("blocked")
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
    /// - Throws: ``VirtualCardError`` with the place of its parts if it has more than 256 octets.
    func expectAnswer(_ answer: [UInt8], _ place: String) throws(VirtualCardError) {
        guard answer.count <= CardApplication.maxAnswerCount else {
            throw VirtualCardError(
                .length, at: place,
                "the answer has \(answer.count) octets; at most \(CardApplication.maxAnswerCount) are allowed")
        }
    }

    /// The objects of the answer to SELECT, and those of them that directories also have.
    private func control(
        _ object: CardFileObject
    ) throws(VirtualCardError) -> (entry: DataObjectStore, objects: DataObjectStore) {
        var objects = DataObjectStore()
        if object.has("control") {
            let control = try object.object("control")
            for name in control.names { objects[try control.tag(name)] = try control.octets(name, 0...200) }
        }
        var entry = DataObjectStore()
        let label = Array(try object.text("label").utf8)
        guard (1...16).contains(label.count), label.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            throw VirtualCardError(.value, at: object.place(of: "label"), "a label has 1 to 16 ASCII characters")
        }
        entry[0x50] = label
        if object.has("priority") { entry[0x87] = try object.octets("priority", 1...1) }
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

    private func data(_ object: CardFileObject) throws(VirtualCardError) -> DataObjectStore {
        var data = DataObjectStore()
        guard object.has("data") else { return data }
        let objects = try object.object("data")
        for name in objects.names {
            let tag = try objects.tag(name)
            guard tag.count <= 2, ![.transactionCounter, .lastOnlineCounter, .pinTryCounter].contains(tag) else {
                throw VirtualCardError(
                    .value, at: objects.place(of: name), "a tag has one or two octets, and is no counter of the card")
            }
            data[tag] = try objects.octets(name, 0...200)
        }
        return data
    }

    private func limits(_ object: CardFileObject) throws(VirtualCardError) -> CardLimits {
        guard object.has("limits") else { return CardLimits() }
        let limits = try object.object(
            "limits",
            allowed: [
                "online_above", "decline_above", "consecutive_offline", "new_card_online", "issuer_required",
                "issuer_may_fail",
            ])
        let most = 999_999_999_999
        let (isRequired, mayFail) = (try limits.flag("issuer_required"), try limits.flag("issuer_may_fail"))
        guard !isRequired || !mayFail else {
            throw VirtualCardError(
                .value, at: limits.place(of: "issuer_may_fail"), "an issuer that is required must not fail")
        }
        return CardLimits(
            onlineAbove: try limits.number("online_above", 0...most).map(UInt64.init),
            declineAbove: try limits.number("decline_above", 0...most).map(UInt64.init),
            consecutiveOffline: try limits.number("consecutive_offline", 0...65_535),
            isNewCardOnline: try limits.flag("new_card_online"), needsIssuer: isRequired,
            allowsFailedIssuer: mayFail)
    }

    /// The account number of the records, packed with padding F, and its sequence number.
    private func account(_ records: CardFileRecords) throws(VirtualCardError) -> CardFileAccount {
        guard let packed = records.secret(0x5A) else {
            throw VirtualCardError(.member, at: records.place, "no record has the account number, tag 5A")
        }
        let sequence = records.value(0x5F34)?.first ?? 0
        guard let account = CardFileAccount(packed, sequence: sequence, expiry: records.value(0x5F24) ?? []) else {
            throw VirtualCardError(
                .value, at: records.place, "tag 5A must have 8 to 19 digits, 5F34 two, and 5F24 a date YYMMDD")
        }
        return account
    }

    private struct Cryptograms {
        let scheme: CardScheme
        let keyIndex: UInt8
        let macLength: Int
        let cipher: Cryptography.Cipher
    }

    private func cryptograms(
        _ object: CardFileObject, _ account: CardFileAccount
    ) throws(VirtualCardError) -> Cryptograms {
        let file = try object.object(
            "cryptograms", allowed: ["scheme", "key_index", "mac_length", "issuer_keys", "card_keys"])
        guard let scheme = CardScheme(rawValue: try file.text("scheme")) else {
            let known = CardScheme.allCases.map(\.rawValue).joined(separator: ", ")
            throw VirtualCardError(.value, at: file.place(of: "scheme"), "it must be one of \(known)")
        }
        guard file.has("issuer_keys") != file.has("card_keys") else {
            throw VirtualCardError(.member, at: file.place, "it must have either issuer_keys or card_keys")
        }
        let areIssuerKeys = file.has("issuer_keys")
        let keys = try file.object(
            areIssuerKeys ? "issuer_keys" : "card_keys", allowed: ["cryptogram", "integrity", "confidentiality"])
        let cipher: Cryptography.Cipher
        do throws(ChipCardKeyError) {
            let keys = ChipCardKeys(
                scheme: scheme.rawValue, areIssuerKeys: areIssuerKeys, cryptogram: try secret(keys, "cryptogram"),
                integrity: try secret(keys, "integrity"), confidentiality: try secret(keys, "confidentiality"),
                account: account.digits, sequenceNumber: account.sequenceNumber)
            cipher = try cryptography.cipher(for: keys)
        } catch {
            throw VirtualCardError(.key, at: keys.place, error.message)
        }
        guard allowsOwnKeys || cipher.usesPublishedTestKeys else {
            throw VirtualCardError(
                .notPublished, at: keys.place, "these master keys are not published for tests, and may be live keys")
        }
        return Cryptograms(
            scheme: scheme, keyIndex: file.has("key_index") ? try file.octets("key_index", 1...1)[0] : 1,
            macLength: try file.number("mac_length", 4...8) ?? 8, cipher: cipher)
    }

    /// A master key. Its error is that of keys, whose place is the object that has them.
    private func secret(_ keys: CardFileObject, _ name: String) throws(ChipCardKeyError) -> SecretOctets {
        do throws(VirtualCardError) { return try keys.secret(name, 16...16) } catch {
            throw ChipCardKeyError("\(name): \(error.message)")
        }
    }

    private func rsaKeys(_ object: CardFileObject) throws(VirtualCardError) -> CardFileKeys {
        guard object.has("rsa") else { return CardFileKeys() }
        let file = try object.object("rsa", allowed: ["index", "authority", "issuer", "card", "pin"])
        var keys = CardFileKeys()
        if file.has("index") { keys.index = try file.octets("index", 1...1)[0] }
        keys.authority = try keyPair(file, "authority", sizes: 64...248)
        keys.issuer = try keyPair(file, "issuer", sizes: 64...247)
        // An answer to GENERATE AC has at most 256 octets, of which the signature is one part.
        keys.card = try keyPair(file, "card", sizes: 64...208)
        keys.pin = try keyPair(file, "pin", sizes: 64...208)
        return keys
    }

    private func keyPair(
        _ file: CardFileObject, _ name: String, sizes: ClosedRange<Int>
    ) throws(VirtualCardError) -> RSAKeyPair? {
        guard file.has(name) else { return nil }
        let key = try file.object(name, allowed: ["modulus", "exponent", "private_exponent"])
        let modulus = try key.octets("modulus", sizes)
        let exponent = key.has("exponent") ? try key.octets("exponent", 1...3) : [3]
        // The lengths of certificates, signatures and blocks are those of the numbers (Book 2, 5 and 6).
        for (name, number) in [("modulus", modulus), ("exponent", exponent)] where number.first == 0 {
            throw VirtualCardError(.key, at: key.place(of: name), "it must not begin with 00")
        }
        let pair = RSAKeyPair(
            publicKey: RSAPublicKey(modulus: modulus, exponent: exponent),
            privateExponent: try key.secret("private_exponent", 1...modulus.count))
        // Both parts of a key undo each other.
        let block = [0] + [UInt8](repeating: 0x5A, count: modulus.count - 1)
        guard let signed = cryptography.applyPrivate(pair, to: SecretOctets(block)),
            cryptography.recover(signed.octets, with: pair.publicKey) == block
        else {
            throw VirtualCardError(.key, at: key.place, "the private exponent does not belong to the public key")
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
    /// As in tag 5A.
    let packed: SecretOctets
    /// The digits in ASCII.
    let digits: SecretOctets
    /// The sequence number (tag 5F34), 0 to 99.
    let sequenceNumber: UInt8
    /// The month and the year (`MMYY`) of the card's expiry, for certificates.
    let expiry: [UInt8]

    /// - Parameters:
    ///   - packed: the account number as in tag 5A.
    ///   - sequence: the sequence number as in tag 5F34.
    ///   - expiry: the expiration date as in tag 5F24.
    init?(_ packed: SecretOctets, sequence: UInt8, expiry: [UInt8]) {
        guard sequence >> 4 < 10, sequence & 0x0F < 10, CardDate(expiry.span) != nil else { return nil }
        let digits = packed.withOctets { octets in
            let isPadded = octets.count > 0 && octets[octets.count - 1] & 0x0F == 0x0F
            return SecretOctets(count: 2 * octets.count - (isPadded ? 1 : 0)) { digits in
                for index in digits.indices { digits[index] = 0x30 + octets.digit(index) }
            }
        }
        let isNumber = digits.withOctets { digits in
            (8...19).contains(digits.count) && digits.indices.allSatisfy { (0x30...0x39).contains(digits[$0]) }
        }
        guard isNumber else { return nil }
        self.packed = packed
        self.digits = digits
        sequenceNumber = sequence >> 4 * 10 + sequence & 0x0F
        self.expiry = [expiry[1], expiry[0]]
    }
}

extension Span<UInt8> {
    /// The packed digit at a place, 0 to 15: each octet has two.
    func digit(_ index: Int) -> UInt8 { index.isMultiple(of: 2) ? self[index / 2] >> 4 : self[index / 2] & 0x0F }
}
