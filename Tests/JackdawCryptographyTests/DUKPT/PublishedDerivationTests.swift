import JackdawCryptography
import JackdawTestSupport
import Testing

/// The examples that the standards print, and public test suites with them.
@Suite struct PublishedDerivationTests {
    private static let tripleDES = "0123456789ABCDEFFEDCBA9876543210"
    private static let aes = "FEDCBA9876543210F1F1F1F1F1F1F1F1"

    @Test(arguments: [
        (
            "01", "042666B49184CFA368DE9628D0397BC9", "042666B49184CF5C68DE9628D0397B36",
            "448D3F076D8304036A55A3D7E0055A78", "042666B4918430A368DE9628D03984C9", "AD7BFC8B06AD3A08A560B4105CF8D9E5"
        ),
        (
            "02", "C46551CEF9FD24B0AA9AD834130D3BC7", "C46551CEF9FD244FAA9AD834130D3B38",
            "F1BE73B36135C5C26CF937D50ABBE5AF", "C46551CEF9FDDBB0AA9AD834130DC4C7", "C1C0E2D663C50EE9C001E56D3793A479"
        ),
        (
            "08", "27F66D5244FF62E1AA6F6120EDEB4280", "27F66D5244FF621EAA6F6120EDEB427F",
            "C39B2778B058AC376FB18DC906F75CBA", "27F66D5244FF9DE1AA6F6120EDEBBD80", "846E267CB822197406DA2B161191C6E4"
        ),
        (
            "15", "E161D1956A61F6D2F37AFD7F9CC3699A", "E161D1956A61F62DF37AFD7F9CC36965",
            "D9AE3E62F5E3CA2C357E37F500D9F314", "E161D1956A6109D2F37AFD7F9CC3969A", nil
        ),
    ])
    func tripleDESKeys(
        _ counter: String, key: String, pin: String, request: String, mac: String, response: String?
    ) throws {
        let base = try CipherKey(Self.tripleDES, .tripleDES2)
        let number = try KeySerialNumber(hexadecimal: "FFFF9876543210E000" + counter)
        let initial = try TripleDESDerivation.initialKey(from: base, for: number)
        #expect(initial.revealed == "6AC292FAA1315B4D858AB3A3D7D5933A")
        let transaction = try TripleDESDerivation.transactionKey(from: initial, for: number)
        #expect(transaction.revealed == key)
        #expect(try TripleDESDerivation.workingKey(for: .pin, from: transaction).revealed == pin)
        #expect(try TripleDESDerivation.workingKey(for: .dataRequest, from: transaction).revealed == request)
        #expect(try TripleDESDerivation.workingKey(for: .macRequest, from: transaction).revealed == mac)
        guard let response else { return }
        #expect(try TripleDESDerivation.workingKey(for: .dataResponse, from: transaction).revealed == response)
    }

    @Test func tripleDESWorkingKeysHaveThePublishedResults() throws {
        let base = try CipherKey(Self.tripleDES, .tripleDES2)
        let number = try KeySerialNumber(hexadecimal: "FFFF9876543210E00001")
        let pin = try TripleDESDerivation.workingKey(for: .pin, from: base, serialNumber: number)
        #expect(try pin.encrypt(hex("041274EDCBA9876F").span).revealed == "1B9C1845EB993A7A")
        let mac = try TripleDESDerivation.workingKey(for: .macRequest, from: base, serialNumber: number)
        let message = Array("4012345678909D987".utf8)
        #expect(digits(try mac.retailMAC(of: message.span)) == "9CCC78173FC4FB64")
        let data = try TripleDESDerivation.workingKey(for: .dataRequest, from: base, serialNumber: number)
        let padded = message + [UInt8](repeating: 0, count: 7)
        #expect(
            try data.encrypt(padded.span).revealed == "FC0D53B7EA1FDA9EE68AAF2E70D9B9506229BE2AA993F04F")
    }

    @Test(arguments: [
        (1, AESKeyUsage.pin, KeyAlgorithm.aes128, "AF8CB133A78F8DC2D1359F18527593FB"),
        (1, .macGeneration, .aes128, "A2DC23DE6FDE0824A2BC321E08E4B8B7"),
        (1, .macVerification, .aes128, "DBB463945B286C07CD3AD82EE96FD9C9"),
        (1, .mac, .aes128, "85675439D18D7F1158BD8E3EAA3D502B"),
        (1, .dataEncryption, .aes128, "A35C412EFD41FDB98B69797C02DCD08F"),
        (1, .dataDecryption, .aes128, "16292C6EA8F64C5420A0584BFBC577BE"),
        (1, .data, .aes128, "A308E080DD15A1B741F1721BF67DE11C"),
        (1, .keyEncryption, .aes128, "36A724B7BEFA5A25F5E7B5782A4554A2"),
        (1, .pin, .tripleDES2, "630C706D9546E47D4449313F61C4D4AB"),
        (2, .pin, .aes128, "D30BDC73EC9714B000BEC66BDB7B6D09"),
        (2, .dataEncryption, .aes128, "D639514AA33AC43AD9229E433D6D4E5B"),
        (8, .pin, .aes128, "4D9DF3FBEE3448FC3E676D04320A90F5"),
        (8, .dataEncryption, .aes128, "650F34204ABD4E57764D61AC3D266FB1"),
        (8_675_309, .pin, .aes128, "D1DDA386AA4A556AF0119FDCB5D132C6"),
    ])
    func aesKeys(_ counter: UInt32, usage: AESKeyUsage, algorithm: KeyAlgorithm, expected: String) throws {
        let base = try CipherKey(Self.aes, .aes128)
        let key = try AESDerivation.workingKey(
            for: usage, algorithm, fromBase: base, serialNumber: Self.aesNumber(counter))
        #expect(key.revealed == expected)
    }

    @Test(arguments: [
        (1, "4F21B565BAD9835E112B6465635EAE44"), (2, "2F34D68DE10F68D38091A73B9E7C437C"),
        (8, "718EE6CF0B27E53D5F7AF99C4D8146A2"),
    ])
    func aesTransactionKeys(_ counter: UInt32, expected: String) throws {
        let number = try Self.aesNumber(counter)
        let initial = try AESDerivation.initialKey(from: try CipherKey(Self.aes, .aes128), for: number)
        #expect(initial.revealed == "1273671EA26AC29AFA4D1084127652A1")
        #expect(try AESDerivation.transactionKey(from: initial, for: number).revealed == expected)
        #expect(
            try AESDerivation.updateKey(.aes128, from: initial, for: number).revealed
                == "9A9770AEE1ACD1B13473D0463A1883B9")
    }

    @Test func longAESKeys() throws {
        let number = try Self.aesNumber(1)
        let base = try CipherKey(Self.aes + Self.aes, .aes256)
        let initial = try AESDerivation.initialKey(from: base, for: number)
        #expect(initial.revealed == "CE9CE0C101D1138F97FB6CAD4DF045A7083D4EAE2D35A31789D01CCF0949550F")
        let pin = try AESDerivation.workingKey(for: .pin, .aes256, fromBase: base, serialNumber: number)
        #expect(pin.revealed == "8C1AB7BEE973829E30242E0BBBDD4946D540C98FC1B5BDCF94790001A23FD502")
    }

    private static func aesNumber(_ counter: UInt32) throws -> AESKeySerialNumber {
        try AESKeySerialNumber((hex("1234567890123456") + [24, 16, 8, 0].map { UInt8(counter >> $0 & 255) }).span)
    }
}
