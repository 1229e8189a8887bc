import JackdawTestSupport
import Testing

@testable import jackdaw_cli

@Suite struct ConsoleTests {
    @Test func resultsComeBeforeTheMessagesThatFollowThem() {
        let recorder = ConsoleRecorder()
        recorder.console.result("first")
        #expect(recorder.output.isEmpty)
        recorder.console.message("then")
        #expect(recorder.output == "first\n")
        #expect(recorder.messages == "jackdaw: then\n")
    }

    @Test func controlCharactersAreEscaped() {
        let recorder = ConsoleRecorder()
        recorder.console.result("a\u{1B}]0;title\u{7}")
        recorder.console.message("b\u{9B}2J")
        recorder.console.conclude("c\u{1B}c\nd", isResult: false)
        recorder.console.flush()
        #expect(recorder.output == "a\\u{1b}]0;title\\u{7}\n")
        #expect(recorder.messages == "jackdaw: b\\u{9b}2J\nc\\u{1b}c\nd\n")
    }

    @Test func messagesHideNumbersAndKeysUnlessTheyAreRevealed() {
        let recorder = ConsoleRecorder()
        recorder.console.message("4111111111111111.wav")
        recorder.console.revealedMessage("4111111111111111")
        #expect(recorder.messages == "jackdaw: 411111******1111.wav\njackdaw: 4111111111111111\n")
    }

    @Test func dataIsWrittenOutOnATerminalAlone() {
        for showsResults in [false, true] {
            let recorder = ConsoleRecorder(isWatched: true, showsResults: showsResults)
            recorder.console.result(Array("a\n\t\u{1B}[2J\u{7F}".utf8).span)
            recorder.console.message("done")
            #expect(recorder.output == (showsResults ? "a\n\t\\x1b[2J\\x7f" : "a\n\t\u{1B}[2J\u{7F}"))
            #expect(recorder.messages == (showsResults ? "\njackdaw: done\n" : "jackdaw: done\n"))
        }
    }

    @Test func progressShowsOnATerminalAloneAndGivesWay() {
        for isWatched in [false, true] {
            let recorder = ConsoleRecorder(isWatched: isWatched)
            var progress = Progress(recorder.console, after: .zero)
            progress.update("file.wav", fraction: 0.256)
            #expect(recorder.messages.contains("file.wav, 26 %") == isWatched)
            recorder.console.message("done")
            #expect(recorder.messages.hasSuffix(isWatched ? "\r\u{1B}[Kjackdaw: done\n" : "jackdaw: done\n"))
        }
    }

    @Test func progressWaits() {
        let recorder = ConsoleRecorder(isWatched: true)
        var progress = Progress(recorder.console, after: .seconds(3_600))
        progress.update("file.wav", fraction: nil)
        #expect(recorder.messages.isEmpty)
    }

    @Test func outputThatCannotBeWrittenIsAnInputOutputError() throws {
        let recorder = ConsoleRecorder(isFull: true)
        let folder = try TemporaryFolder()
        #expect(CommandRun(["synth", "--json", "-o", folder("a.wav")], on: recorder).status == 74)
    }
}

@Suite struct OperandsTests {
    @Test(arguments: [0, 1, 2, 63, 64, 65, 5_000])
    func manyFilesAreOneArgumentAndUnpackedAgain(count: Int) {
        let files = (0..<count).map { "file \($0).wav" }
        let packed = Operands.pack(["decode", "--track", "2"] + files + ["--json", "-", "--", "-x"])
        #expect(packed.count <= 72)
        let unpacked = Operands.unpack(packed)
        #expect(unpacked == ["decode", "--track", "2"] + files + ["--json", "-", "--", "-x"])
        #expect(packed.prefix(3) == ["decode", "--track", "2"])
    }

    @Test func randomCommandLinesAreUnchanged() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            let arguments = (0..<Int.random(in: 0...300, using: &random)).map { index in
                Int.random(in: 0..<80, using: &random) == 0 ? "-o\(index)" : "f\(index)"
            }
            #expect(Operands.unpack(Operands.pack(arguments)) == arguments)
        }
    }
}
