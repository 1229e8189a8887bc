import JackdawReaders
import Testing

@Suite struct JSONValueTests {
    @Test(arguments: [
        ("[1", JSONValue.Fault.Code.syntax), ("", .syntax), (String(repeating: " ", count: 40) + "1", .size),
        (String(repeating: "[", count: 17) + String(repeating: "]", count: 17), .depth),
    ])
    func bytesThatAreNoJSONAreRefused(text: String, code: JSONValue.Fault.Code) {
        let error = #expect(throws: JSONValue.Fault.self) { try JSONValue(Array(text.utf8), most: 40) }
        #expect(error?.code == code)
    }

    @Test func valuesWithinTheLimitsAreParsed() throws {
        let text = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        #expect(throws: Never.self) { try JSONValue(Array(text.utf8), most: 32) }
        #expect(try JSONValue(Array("\"a\"".utf8), most: 3) == .text("a"))
    }
}
