import JackdawBytes

// The fields of certificates and signatures after RSA (EMV Book 2, tables 6, 7, 14, 15, 17 and 22).

extension RecoveredBlock {
    /// The forms of a block, which its second octet names.
    enum Form: UInt8 {
        case issuerCertificate = 0x02
        case staticData = 0x03
        case cardCertificate = 0x04
        case dynamicData = 0x05
    }

    /// The fields of a recovered block.
    /// - Parameters:
    ///   - tag: the object that was recovered.
    ///   - signer: the key that opens it.
    ///   - plain: the recovered octets.
    ///   - form: the form that the object has.
    ///   - key: the whole public key of a certificate, if it is known.
    ///   - isRevealing: whether card data is shown in clear.
    init(
        _ tag: Tag, signer: String, _ plain: [UInt8], _ form: Form, key: RSAPublicKey?, isRevealing: Bool
    ) {
        self.tag = tag
        self.signer = signer
        guard plain.count >= Self.least(form), plain[0] == 0x6A, plain[1] == form.rawValue, plain.last == 0xBC else {
            fields = [Detail("not_signed", "not signed with this key")]
            return
        }
        var reader = FieldReader(plain, isRevealing)
        reader.add("header", "Header", 1)
        reader.add("format", "Format", 1)
        switch form {
        case .issuerCertificate:
            reader.addIssuer()
            reader.addCertificate(ofCard: false, key)
        case .cardCertificate:
            reader.addAccount()
            reader.addCertificate(ofCard: true, key)
        case .staticData:
            reader.add("hash_algorithm", "Hash algorithm", 1)
            reader.add("data_authentication_code", "Data authentication code", 2, isCardData: true)
        case .dynamicData: reader.addDynamicData()
        }
        reader.addEnd()
        fields = reader.fields
    }

    private typealias Detail = ExplainedObject.Detail

    /// The least number of octets of a block.
    private static func least(_ form: Form) -> Int {
        switch form {
        case .issuerCertificate: 36
        case .cardCertificate: 42
        case .staticData: 26
        case .dynamicData: 25
        }
    }
}

/// Takes fields from the start of a block.
///
/// The keys of signers are public. If all but some digits of the account number is known of the data that a hash
/// covers, a search over these digits gives the number: hashes are card data, and so are the card's
/// own fields that they cover.
private struct FieldReader {
    private let plain: [UInt8]
    private let isRevealing: Bool
    private var next = 0
    private(set) var fields: [ExplainedObject.Detail] = []

    init(_ plain: [UInt8], _ isRevealing: Bool) {
        self.plain = plain
        self.isRevealing = isRevealing
    }

    /// Octets before hash and trailer.
    private var left: Int { plain.count - 21 - next }

    private mutating func take(_ count: Int) -> [UInt8] {
        let taken = Array(plain[next..<min(next + count, plain.count)])
        next += taken.count
        return taken
    }

    private mutating func add(_ name: String, _ label: String, value: String) {
        fields.append(ExplainedObject.Detail(name, "\(label): \(value)"))
    }

    /// Adds the next octets; if they are card data, only their number is shown unless card data is revealed.
    mutating func add(_ name: String, _ label: String, _ count: Int, isCardData: Bool = false) {
        add(name, label, take(count), isCardData)
    }

    private mutating func add(_ name: String, _ label: String, _ octets: [UInt8], _ isCardData: Bool) {
        let isShown = isRevealing || !isCardData
        add(name, label, value: isShown ? octets.hexadecimal : "hidden, \(octets.count) octets")
    }

    /// The issuer identifier: 3 to 8 digits, of which the first six are shown.
    mutating func addIssuer() {
        var masked = ""
        for (place, digit) in take(4).hexadecimal.unicodeScalars.enumerated() {
            masked.unicodeScalars.append(isRevealing || place < 6 || digit == "F" ? digit : "*")
        }
        add("issuer_identifier", "Issuer identifier", value: masked)
    }

    mutating func addAccount() {
        let account = take(10)
        let masked = ValueContext(kernel: nil).maskedText(0x5A, account.span) ?? "hidden"
        add("account", "Account number", value: isRevealing ? account.hexadecimal : masked)
    }

    /// The fields that both certificates have.
    /// - Parameters:
    ///   - ofCard: whether the certificate is the card's, and not the issuer's.
    ///   - key: the whole key, if it is known.
    mutating func addCertificate(ofCard: Bool, _ key: RSAPublicKey?) {
        add("expiry", "Expiry (MMYY)", 2, isCardData: ofCard)
        add("serial_number", "Serial number", 3, isCardData: ofCard)
        add("hash_algorithm", "Hash algorithm", 1)
        add("public_key_algorithm", "Public key algorithm", 1)
        let size = Int(plain[next])
        add("public_key_length", "Public key length", value: "\(size)")
        add("public_key_exponent_length", "Public key exponent length", value: "\(plain[next + 1])")
        next += 2
        let part = take(min(size, left))
        let modulus = key?.modulus ?? part
        let label = modulus.count == size ? "Public key" : "Public key, first part"
        add("public_key", label, modulus, ofCard)
        guard let key, !key.hasValidExponent else { return }
        add("public_key_exponent", "Public key exponent", value: "neither 03 nor 010001, and not used")
    }

    mutating func addDynamicData() {
        add("hash_algorithm", "Hash algorithm", 1)
        let count = Int(plain[next])
        next += 1
        add("dynamic_data_length", "Dynamic data length", value: "\(count)")
        guard count > 0, count <= left else { return }
        let end = next + count
        let numberCount = Int(plain[next])
        next += 1
        add("dynamic_number_length", "ICC dynamic number length", value: "\(numberCount)")
        guard next + numberCount <= end else { return }
        add("dynamic_number", "ICC dynamic number", numberCount)
        // With a cryptogram: its information, the cryptogram and the hash of the transaction data.
        guard end - next >= 29 else { return }
        add("cryptogram_information_data", "Cryptogram information data", 1)
        add("cryptogram", "Cryptogram", 8)
        add("transaction_data_hash", "Transaction data hash", 20, isCardData: true)
    }

    mutating func addEnd() {
        next = plain.count - 21
        add("hash", "Hash", 20, isCardData: true)
        add("trailer", "Trailer", 1)
    }
}
