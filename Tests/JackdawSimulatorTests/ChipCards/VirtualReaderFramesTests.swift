import JackdawEMV
import JackdawTestSupport
import Testing

@testable import JackdawSimulator

/// The protocol of vsmartcard's vpcd.
@Suite struct VirtualReaderFramesTests {
    private func messages(_ pieces: [[UInt8]]) -> [VirtualReaderFrames.Message] {
        var frames = VirtualReaderFrames()
        var found: [VirtualReaderFrames.Message] = []
        for piece in pieces { frames.receive(piece.span) { found.append($0) } }
        return found
    }

    private let dialogue = hex("000101" + "000104" + "0000" + "000500A4040000" + "000102" + "000109" + "000100")

    private let expected: [VirtualReaderFrames.Message] = [
        .powerOn, .answerToReset, .command(SecretOctets(hex("00A4040000"))), .reset, .unknown(9), .powerOff,
    ]

    @Test func messagesAreTheSameInPiecesOfAnySize() {
        #expect(messages([dialogue]) == expected)
        for size in 1...dialogue.count {
            let pieces = stride(from: 0, to: dialogue.count, by: size).map {
                Array(dialogue[$0..<min($0 + size, dialogue.count)])
            }
            #expect(messages(pieces) == expected, "\(size)")
        }
    }

    @Test func theLongestMessageIsTaken() {
        let long = [0xFF, 0xFF] + [UInt8](repeating: 0xA5, count: 65_535)
        #expect(messages([long, dialogue]).count == expected.count + 1)
        #expect(messages([Array(long.dropLast())]).isEmpty)
    }

    @Test func anAnswerHasItsLengthBeforeIt() {
        #expect(VirtualReaderFrames.frame(hex("9000")) == hex("00029000"))
        #expect(VirtualReaderFrames.frame([UInt8](repeating: 1, count: 258)).starts(with: hex("010201")))
    }

    @Test func randomOctetsAreTakenWithoutATrap() {
        var random = SeededRandom(seed: 28)
        var frames = VirtualReaderFrames()
        var count = 0
        for _ in 0..<2_000 {
            let piece = (0..<Int.random(in: 0...64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random) & (Bool.random(using: &random) ? 0x01 : 0xFF)
            }
            frames.receive(piece.span) { _ in count += 1 }
        }
        #expect(count > 0)
    }
}
