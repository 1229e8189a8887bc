import ArgumentParser
import Foundation
import Testing

@testable import jackdaw_benchmark

@Suite struct ForeignDecoderTests {
    private let recording = Recording(path: "/tmp/a b.wav", cell: "clean", track: 2, text: ";9999991234567890=3001?")

    @Test(arguments: [
        ("track 2: ;123=45? lrc ok", ";123=45?"), ("%B1^A/B^30?", "%B1^A/B^30?"), ("no start", ""), (";no end", ""),
        ("? ;1?2?", ";1?"),
    ])
    func aLineHasAMessageBetweenSentinels(line: String, message: String) {
        #expect(ForeignDecoder.message(in: line[...]) ?? "" == message)
    }

    @Test func theFileReplacesBraces() throws {
        let right = try ForeignDecoder("/bin/echo {} ;9999991234567890=3001?").trial(recording, reveals: false)
        #expect(right.readBy != nil && right.wrong.isEmpty)
        let wrong = try ForeignDecoder("/bin/echo ;9999991234567891=3001?").trial(recording, reveals: false)
        #expect(wrong.isMissed && wrong.wrong == [";999999******7891=****?"])
        #expect(try ForeignDecoder("/bin/false").trial(recording, reveals: false).isMissed)
    }

    @Test func aMissingDecoderIsAnError() {
        #expect(throws: CorpusError.self) { try ForeignDecoder("/nowhere/decoder").trial(recording, reveals: false) }
        #expect(throws: ValidationError.self) { try ForeignDecoder(" ") }
    }
}
