import JackdawEMV
import JackdawTestSupport

/// An RSA key with public exponent 3, made for tests alone.
struct TestKey {
    let publicKey: RSAPublicKey
    private let privateKey: RSAPublicKey

    init(modulus: String, privateExponent: String) {
        publicKey = RSAPublicKey(modulus: hex(modulus), exponent: [0x03])
        privateKey = RSAPublicKey(modulus: hex(modulus), exponent: hex(privateExponent))
    }

    /// Signs a block as EMV Book 2, annex A2.1: header, fields, hash over fields and further data, trailer.
    func sign(_ fields: [UInt8], over more: [UInt8]) -> [UInt8] {
        let primitives = PlainPrimitives()
        let block = [0x6A] + fields + primitives.sha1(fields + more) + [0xBC]
        return primitives.recover(block, with: privateKey) ?? []
    }

    /// Number of octets of the modulus.
    var count: Int { publicKey.modulus.count }

    static let authority = TestKey(
        modulus: """
            B0B976241C0D9C4DB250EC1369C626F1CCB9F743208E048DE8015D9B17390D2498C4E2CCB0691A38CFD603207EF96594
            572DDD2696D8AAECD0AF429F54689766E6BC25F854C0EADE7202339873334EC7A18EEC8EDC86F235A902A671138BAEC7
            """,
        privateExponent: """
            75D0F96D680912DE76E09D62468419F6887BFA2CC05EADB3F000E9120F7B5E1865D897332046117B3539576AFF50EE61
            C927E7C568C96FFA82F026B8718A4AAE47630935872A3C74C11F36A83F1DC6235F3AA595A5683DBA15BCF4E8A63CD4FB
            """)

    static let issuer = TestKey(
        modulus: """
            B829FFB6CD1A8E15C797D59F2C115E7594EB5F4A3D4C4552D6B94AD22AFF1A12B7D83EB0233D44430710DEC397917ED6
            54B3AEAD8A67228FB1351B63ED6E23F4EDED687F0A2FC0F8E7F68965F8FFBA1B
            """,
        privateExponent: """
            7AC6AA79DE11B40E850FE3BF72B63EF90DF23F86D3882E3739D0DC8C1CAA1161CFE57F20177E2D80E30DEE3262B761A6
            7AEB244836F3F02AFC3FBC5DFCAB3F71B90363B3DE6E248742881189ED4FDE9B
            """)

    static let card = TestKey(
        modulus: """
            C66A0F2BA151D02D14B40EC1571F7E8CF8B41EB70157605FE422E6CA6B67083298911BB132C10B58561870207D021A48
            1F8FC65140EB998DA457CEA1B08283B9
            """,
        privateExponent: """
            8446B4C7C0E135736322B480E4BFA9B35078147A00E4EAEA98174486F244B0208D8242713E6DFB129FEB42F556D940B8
            316A8579449F70A9FD76DEF6AA35E7AB
            """)
}

/// The certificates and signatures of a test card of RID A000000999 (EMV Book 2, sections 5 and 6).
enum TestChain {
    static let provider = "A000000999"
    static let authority = CertificationAuthorityKey(
        provider: hex(provider), index: 0x77, key: TestKey.authority.publicKey)

    /// The account number of the card.
    static let account = "9999990000000014"

    /// The objects with the public keys (8F, 90, 92, 9F32, 9F46, 9F47, 9F48) by the static data that the card's
    /// certificate covers: the AIP if the tag list asks for it. Signing takes long in an unoptimised test.
    private static let known: [[UInt8]: DataObjectStore] = {
        let profiles = ["", "1980", "1981", "1B80", "0980"].map { hex($0) }
        return Dictionary(uniqueKeysWithValues: profiles.map { ($0, objects(signing: $0)) })
    }()

    /// The objects with the public keys of a card. Both certificates are valid until December 2049.
    /// - Parameter staticData: the static data to be authenticated.
    /// - Returns: the objects.
    static func objects(_ staticData: [UInt8]) -> DataObjectStore {
        known[staticData] ?? objects(signing: staticData)
    }

    private static func objects(signing staticData: [UInt8]) -> DataObjectStore {
        var store = DataObjectStore()
        store[0x8F] = [authority.index]
        store[0x9F32] = [0x03]
        store[0x9F47] = [0x03]
        (store[0x90], store[0x92]) = issuer
        let card = certificate(
            of: .card, by: .issuer, [0x04] + hex(account) + [0xFF, 0xFF, 0x12, 0x49, 0x00, 0x00, 0x01], staticData)
        (store[0x9F46], store[0x9F48]) = card
        return store
    }

    private static let issuer = certificate(
        of: .issuer, by: .authority, [0x02] + hex(account).prefix(3) + [0xFF, 0x12, 0x49, 0x00, 0x00, 0x01], [])

    /// A certificate, and the part of the key that it has no room for.
    private static func certificate(
        of key: TestKey, by signer: TestKey, _ head: [UInt8], _ more: [UInt8]
    ) -> (certificate: [UInt8], remainder: [UInt8]) {
        let fields = head + [0x01, 0x01, UInt8(key.count), 0x01]
        let room = signer.count - 22 - fields.count
        let remainder = Array(key.publicKey.modulus.dropFirst(room))
        let certificate = signer.sign(fields + key.publicKey.modulus.prefix(room), over: remainder + [0x03] + more)
        return (certificate, remainder)
    }

    /// Signed Static Application Data (93) with the code DAC0.
    static func staticSignature(_ staticData: [UInt8]) -> [UInt8] {
        let fields: [UInt8] = [0x03, 0x01, 0xDA, 0xC0]
        return TestKey.issuer.sign(fields + padding(TestKey.issuer, fields), over: staticData)
    }

    /// Signed Dynamic Application Data (9F4B).
    /// - Parameters:
    ///   - dynamicData: the ICC Dynamic Data.
    ///   - terminalData: the terminal's data that the signature covers.
    /// - Returns: the signed block.
    static func dynamicSignature(_ dynamicData: [UInt8], over terminalData: [UInt8]) -> [UInt8] {
        let fields: [UInt8] = [0x05, 0x01, UInt8(dynamicData.count)] + dynamicData
        return TestKey.card.sign(fields + padding(TestKey.card, fields), over: terminalData)
    }

    private static func padding(_ key: TestKey, _ fields: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0xBB, count: key.count - 22 - fields.count)
    }
}
