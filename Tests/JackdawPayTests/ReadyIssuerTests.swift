#if Payments
import Foundation
import JackdawSimulator
import Testing

@testable import jackdaw_pay

struct ReadyIssuerTests {
    @Test func theReadyIssuerIsThatOfTheFile() throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/")
        let file = try String(contentsOfFile: "\(root)/issuers/test.json", encoding: .utf8)
        #expect(SimulatedIssuer.readyText == file.trimmingCharacters(in: .newlines))
    }
}
#endif
