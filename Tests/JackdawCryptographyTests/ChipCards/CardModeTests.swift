import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Virtual cards with published keys and with other ones, for test cards and for live ones.
@Suite struct CardModeTests {
    private func error(_ body: () throws -> VirtualCard) -> (SimulationFileError.Code, String)? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? SimulationFileError).map { ($0.code, $0.place) }
        }
    }

    @Test(arguments: ChipCardFile.allCases, [false, true])
    func publishedKeysAreRefusedForLiveCards(_ file: ChipCardFile, _ allowsOwnKeys: Bool) throws {
        let found = try #require(error { try file.card(allowsOwnKeys: allowsOwnKeys, mode: .live) })
        #expect(found == (.key, "applications[0].cryptograms.issuer_keys"))
    }

    @Test func ownKeysAreAcceptedForLiveCardsIfAllowed() throws {
        let keys = ["2315208C9110AD402315208C9110AD40": "0011223344556677FFEEDDCCBBAA9988"]
        let found = try #require(error { try ChipCardFile.visa.card(keys, mode: .live) })
        #expect(found == (.notPublished, "applications[0].cryptograms.issuer_keys"))
        #expect(error { try ChipCardFile.visa.card(keys, allowsOwnKeys: true, mode: .live) } == nil)
    }

    @Test func aCipherTakesOnlyKeysOfItsMode() throws {
        func keys(_ digits: String) -> ChipCardKeys {
            let key = SecretOctets(hex(digits))
            return ChipCardKeys(
                scheme: "visa-10", areIssuerKeys: false, cryptogram: key, integrity: key, confidentiality: key,
                account: SecretOctets(Array("4761739001010010".utf8)), sequenceNumber: 1)
        }
        let published = keys("2315208C9110AD402315208C9110AD40")
        #expect(try LibCryptoPrimitives(mode: .test).cipher(for: published).usesPublishedTestKeys)
        #expect(throws: ChipCardKeyError.self) { try LibCryptoPrimitives(mode: .live).cipher(for: published) }
        let own = keys("0011223344556677FFEEDDCCBBAA9988")
        #expect(try !LibCryptoPrimitives(mode: .live).cipher(for: own).usesPublishedTestKeys)
    }
}
