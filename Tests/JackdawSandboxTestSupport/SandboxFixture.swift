package import JackdawEMV
package import JackdawPayments
package import JackdawReaders
package import JackdawSandbox
import JackdawSimulator
import JackdawTestSupport

/// A hash that protects nothing: the password itself. For tests only.
package struct PlainTextHashing: PasswordHashing {
    package init() {}

    package func hash(_ password: SecretOctets, salt: [UInt8]) -> String {
        "plain:" + String(decoding: password.octets, as: UTF8.self)
    }

    package func verify(_ password: SecretOctets, _ hash: String) -> Bool { hash == self.hash(password, salt: []) }
}

/// Calculations that protect nothing, for an issuer. A cryptogram is AC and the counter.
package struct PlainIssuerCryptography: IssuerCryptography {
    package init() {}

    package struct Cipher: IssuerCipher {
        package let usesPublishedTestKeys = true

        package func cryptogram(terminalData: [UInt8], profile: [UInt8], counter: UInt16, cardData: [UInt8]) -> [UInt8]?
        {
            [0xAC, 0, 0, 0, 0, 0, UInt8(counter >> 8), UInt8(counter & 0xFF)]
        }

        package func isAuthentic(_ data: [UInt8], for transaction: ChipCardTransaction) -> Bool { true }

        package func commandMAC(
            header: [UInt8], data: [UInt8], in transaction: ChipCardTransaction, number: Int
        ) -> [UInt8]? {
            [UInt8](repeating: 0, count: 8)
        }

        package func newPIN(
            in data: [UInt8], current: SecretOctets?, _ transaction: ChipCardTransaction, number: Int
        ) -> SecretOctets? { nil }

        package func authenticationData(for transaction: ChipCardTransaction, answer: [UInt8]) -> [UInt8]? {
            transaction.cryptogram + answer
        }

        package func newPINData(
            _ pin: SecretOctets, current: SecretOctets?, _ transaction: ChipCardTransaction, number: Int
        ) -> [UInt8]? { nil }
    }

    package func cipher(for keys: ChipCardKeys) throws(ChipCardKeyError) -> Cipher { Cipher() }
    package func applyPrivate(_ key: RSAKeyPair, to block: SecretOctets) -> SecretOctets? { nil }
    package func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? { nil }
    package func sha1(_ bytes: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 20) }
    package func pinBlock(of pin: SecretOctets, key: SecretOctets, account: SecretOctets) -> [UInt8]? { nil }
    package func pin(ofBlock block: [UInt8], key: SecretOctets, account: SecretOctets) -> SecretOctets? { nil }
    package func isPublishedTestKey(_ key: SecretOctets) -> Bool { true }
}

extension MemorySandboxStore {
    /// The books as changes, one a line.
    package var lines: [UInt8] { Array(changes.map(\.encoded).joined(separator: [UInt8(ascii: "\n")])) }

    /// Reads such lines.
    package init(lines: [UInt8]) throws(SandboxStoreError) {
        self.init()
        for line in lines.split(separator: UInt8(ascii: "\n")) { try write(try SandboxChange(encoded: Array(line))) }
    }
}

/// A sandbox with its ready directory, a simulated issuer, and a client that keeps its token.
package struct SandboxFixture {
    /// 2016-01-28 14:47:07 UTC, the time of the guide's contactless receipt (15:47:07 in Munich).
    package static let start = Duration.seconds(1_453_992_427)

    package static let issuerText = """
        {
          "currency": "0978", "delay": 500, "limits": {"amount": 90000, "refer_above": 40000},
          "keys": [
            {
              "aid": "A000000999", "prefix": "9999990000", "cryptogram": "00112233445566778899AABBCCDDEEFF",
              "integrity": "00112233445566778899AABBCCDDEEFF", "confidentiality": "00112233445566778899AABBCCDDEEFF"
            }
          ],
          "accounts": [{"number": "9999990000000014", "available": 50000000}],
          "rules": [
            {"from": 5195, "to": 5195, "delay": 60000}, {"from": 5196, "to": 5196, "delivery": "silent"},
            {"from": 5197, "to": 5197, "delivery": "lost"}, {"from": 5198, "to": 5198, "delivery": "unreachable"},
            {"from": 5199, "to": 5199, "delivery": "unreadable"}, {"from": 5105, "to": 5105, "decision": "decline"}
          ]
        }
        """

    package var sandbox: Sandbox
    package var now = SandboxFixture.start
    package var token = ""

    package init(
        _ rules: SandboxRules = SandboxRules(), directory: SandboxDirectory = .ready,
        store: any SandboxStore = MemorySandboxStore(), seed: UInt64 = 1
    ) throws {
        let issuer = try SimulatedIssuer(json: Array(Self.issuerText.utf8), PlainIssuerCryptography())
        sandbox = Sandbox(
            directory, issuer: issuer, store: store, hashing: PlainTextHashing(), random: SeededRandom(seed: seed),
            rules: rules)
    }

    /// A fixture whose client is logged in.
    package static func loggedIn(
        _ user: String = "till-1", _ rules: SandboxRules = SandboxRules(),
        store: any SandboxStore = MemorySandboxStore()
    ) throws -> SandboxFixture {
        var fixture = try SandboxFixture(rules, store: store)
        fixture.logIn(user)
        return fixture
    }

    @discardableResult
    package mutating func logIn(_ user: String = "till-1", password: String? = nil) -> Reply {
        let form = """
            grant_type=password&username=\(user)&password=\(password ?? "\(user)-password")\
            &client_id=jackdaw&client_secret=jackdaw-secret
            """
        let reply = send(.post, "oauth2/token", form, token: "")
        token = reply.json["access_token"]?.text ?? ""
        return reply
    }

    // MARK: requests

    /// A reply as tests compare it.
    package struct Reply {
        package let output: SandboxOutput

        /// The status; 0 if no answer comes.
        package var status: Int { answer?.status ?? 0 }
        package var answer: HTTPAnswer? {
            switch output.reply {
            case .answer(let answer, _), .cut(let answer, _, _): answer
            case .silent: nil
            }
        }
        package var due: Duration? {
            switch output.reply {
            case .answer(_, let due), .cut(_, _, let due): due
            case .silent: nil
            }
        }
        package var body: [UInt8] {
            answer?.body.withBytes { span in span.indices.map { span[$0] } } ?? []
        }
        package var json: JSONValue { (try? JSONValue(body, most: 1 << 22)) ?? .null }
        package var error: String { json["error"]?.text ?? "" }
        package var state: String { json["state"]?.text ?? "" }
        package var booked: Double { json["sandbox"]?["booked"]?.number ?? -1 }
        package func header(_ name: String) -> String? { answer?.headers.first { $0.name == name }?.value }
    }

    package mutating func send(
        _ method: HTTPRequest.Method, _ path: String, _ form: String = "", query: [(String, String)] = [],
        headers: [(String, String)] = [], token: String? = nil, client: String = "127.0.0.1"
    ) -> Reply {
        let token = token ?? self.token
        let request = HTTPRequest(
            method, "/v3/\(path)", query: query.map { HTTPField($0.0, $0.1) },
            headers: (token.isEmpty ? [] : [HTTPField("Authorization", "Bearer \(token)")])
                + headers.map { HTTPField($0.0, $0.1) },
            body: HTTPBody(copying: Array(form.utf8).span))
        return Reply(output: sandbox.receive(request, from: client, at: now))
    }

    /// The objects of a chip card's authorisation in the profile `tag-length-value`. The card is of the prefix for
    /// tests.
    package static func card(
        _ amount: UInt64, counter: Int = 1, type: UInt8 = 0x80, account: String = "9999990000000014",
        changes: [JackdawEMV.Tag: String?] = [:]
    ) -> String {
        let digits = "000000000000\(amount)".suffix(12)
        let count = "0000\(String(counter, radix: 16))".suffix(4)
        var values: [JackdawEMV.Tag: String?] = [
            0x9F02: String(digits), 0x9F03: "000000000000", 0x9F1A: "0528", 0x95: "0000000000", 0x5F2A: "0978",
            0x9A: "160128", 0x9C: "00", 0x9F37: "01020304", 0x82: "3C00", 0x9F36: String(count),
            0x9F27: hexadecimal([type]), 0x9F10: "06010A03A00000", 0x9F26: "AC0000000000" + count, 0x5A: account,
            0x84: "A0000009990101", 0x50: hexadecimal("PLAIN".utf8), 0x5F20: hexadecimal("TEST/CARD".utf8),
        ]
        for (tag, value) in changes { values.updateValue(value, forKey: tag) }
        var builder = TagLengthValueBuilder()
        for tag in values.keys.sorted() { if let value = values[tag] ?? nil { builder.append(tag, hex(value)) } }
        return hexadecimal(builder.octets)
    }

    /// The form of a payment.
    package static func form(
        _ uniqueID: String, _ amount: UInt64 = 1000, counter: Int = 1, more: String = "", card: String? = nil
    ) -> String {
        "payment[unique_id]=\(uniqueID)&payment[amount]=\(amount)&payment[currency]=EUR"
            + "&payment[raw_data]=\(card ?? Self.card(amount, counter: counter))"
            + "&payment[pos_data][pos_entry_mode]=05" + (more.isEmpty ? "" : "&\(more)")
    }

    @discardableResult
    package mutating func pay(
        _ uniqueID: String, _ amount: UInt64 = 1000, counter: Int = 1, more: String = "",
        headers: [(String, String)] = []
    ) -> Reply {
        send(.post, "payments.json", Self.form(uniqueID, amount, counter: counter, more: more), headers: headers)
    }

    @discardableResult
    package mutating func act(_ action: String, _ uniqueID: String, _ form: String = "") -> Reply {
        send(.post, "payments/\(uniqueID)/\(action).json", form)
    }

    package mutating func status(_ uniqueID: String) -> Reply { send(.get, "unique_ids/\(uniqueID).json") }

    @discardableResult
    package mutating func close(_ uniqueID: String) -> Reply { send(.post, "unique_ids/\(uniqueID)/reverse.json") }
}
