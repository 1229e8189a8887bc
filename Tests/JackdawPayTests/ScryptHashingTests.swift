#if Payments
import JackdawCryptography
import JackdawEMV
import JackdawSandbox
import JackdawTestSupport
import Testing

@testable import jackdaw_pay

/// Hashes of passwords as text.
struct ScryptHashingTests {
    private static func secret(_ text: String) -> SecretOctets { SecretOctets(Array(text.utf8)) }

    /// The example of the documentation of passlib 1.7, passlib.hash.scrypt, whose password is `password`.
    @Test func hashesOfAnotherProgramAreRead() {
        let hash = "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E"
        #expect(ScryptHashing().verify(Self.secret("password"), hash))
        #expect(!ScryptHashing().verify(Self.secret("passwort"), hash))
    }

    @Test func hashesAreVerified() {
        let salt = Array(0..<16) as [UInt8]
        let hash = ScryptHashing().hash(Self.secret("a"), salt: salt)
        #expect(hash.hasPrefix("$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$"))
        #expect(ScryptHashing().verify(Self.secret("a"), hash))
        #expect(!ScryptHashing().verify(Self.secret("b"), hash))
    }

    /// Counts the verifications.
    private struct CountingHashing: PasswordHashing {
        let count: Shared<Int>

        func hash(_ password: SecretOctets, salt: [UInt8]) -> String { PayFixture.hashing.hash(password, salt: salt) }

        func verify(_ password: SecretOctets, _ hash: String) -> Bool {
            count.with { $0 += 1 }
            return PayFixture.hashing.verify(password, hash)
        }
    }

    @Test func resultsInAdvanceAreUsedOnce() async {
        let count = Shared(0)
        let hashing = HashingInAdvance(CountingHashing(count: count))
        let hash = hashing.hash(Self.secret("a"), salt: [1, 2, 3])
        await hashing.prepare(Self.secret("a"), hash)
        await hashing.prepare(Self.secret("b"), hash)
        #expect(count.with { $0 } == 2)
        #expect(hashing.verify(Self.secret("a"), hash))
        #expect(!hashing.verify(Self.secret("b"), hash))
        #expect(count.with { $0 } == 2)
        #expect(hashing.verify(Self.secret("a"), hash))
        #expect(count.with { $0 } == 3)
    }

    @Test func loginsAreVerifiedOnceAndTheirNumberIsLimited() async throws {
        let count = Shared(0)
        let hashing = HashingInAdvance(CountingHashing(count: count))
        try await RunningServer.run(try PayFixture.machine(hashing: hashing), hashing: hashing) { server in
            let right = try await server.send("POST", "oauth2/token", PayFixture.logIn())
            #expect(right.status == 200)
            for failed in 1...5 {
                let wrong = try await server.send("POST", "oauth2/token", PayFixture.logIn(password: "wrong"))
                #expect(wrong.status == 400)
                #expect(count.with { $0 } == 1 + failed)
            }
            let refused = try await server.send("POST", "oauth2/token", PayFixture.logIn())
            #expect(refused.status == 429)
            #expect(count.with { $0 } == 6)
        }
    }

    @Test(arguments: [
        "", "!", "$scrypt$", "$scrypt$ln=14,r=8$AAAA$AAAA", "$scrypt$ln=99,r=8,p=1$AAAA$AAAA",
        "$scrypt$ln=1,r=1,p=1$AA=A$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
        "$scrypt$ln=1,r=1,p=1$AAAA$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iC",
    ])
    func otherTextsAreNoHashes(text: String) {
        #expect(!ScryptHashing.isHash(text))
        #expect(!ScryptHashing().verify(Self.secret("a"), text))
    }
}
#endif
