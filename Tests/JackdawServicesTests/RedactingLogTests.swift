#if Payments
import JackdawTestSupport
import Logging
import Testing

@testable import JackdawServices

/// Log lines before and after the redacting handler. The numbers are those that the schemes publish for tests.
@Suite struct RedactingLogTests {
    private let lines = Shared<[KeptLog.Line]>([])

    private struct WordyError: Error, CustomStringConvertible {
        let description = "the form has 4761739001010010"
    }

    private var line: KeptLog.Line? { lines.with { $0.last } }

    @Test func onlyOpenValuesAreShown() {
        Logger.kept(lines).info(
            "a request",
            metadata: [
                "state": .open("approved"), "count": .open(3), "plain": "till-1", "name": "\(String("A. N. OTHER"))",
                "marked": .attributed("till-1-password", attributes: [LogSensitivity.sensitive]),
                "box": .stringConvertible(4711),
                "list": .array([.open("a"), "b"]), "tree": .dictionary(["open": .open("c"), "other": "d"]),
            ])
        #expect(line?.metadata["state"] == "approved")
        #expect(line?.metadata["count"] == "3")
        for name in ["plain", "name", "marked", "box"] {
            #expect(line?.metadata[name] == RedactingLogHandler.hidden, "\(name)")
        }
        #expect(line?.metadata["list"] == #"["a", "hidden"]"#)
        #expect(line?.metadata["tree"]?.contains(#""open": "c""#) == true)
        #expect(line?.metadata["tree"]?.contains(#""other": "hidden""#) == true)
    }

    @Test func numbersOfCardsAreMaskedEverywhere() {
        Logger.kept(lines).error(
            "a card 4761 7390 0101 0010", error: WordyError(),
            metadata: [
                "number": .open("4761739001010010"), "4761739001010010": .open(1), "track": .open("=2212\u{1B}[2J"),
            ])
        let text = lines.with { "\($0)" }
        #expect(!text.contains("4761739001010010"))
        #expect(!text.contains("4761 7390"))
        #expect(!text.contains("\u{1B}"))
        #expect(line?.message.hasPrefix("a card ") == true)
        #expect(line?.error == "WordyError")
    }

    @Test func metadataOfLoggersAndProvidersIsRedacted() {
        var base = KeptLog(lines)
        base[metadataKey: "base"] = "till-1"
        base.metadataProvider = Logger.MetadataProvider { ["provided": "till-1", "trace": .open("t1")] }
        let handler = RedactingLogHandler(base)
        var logger = Logger(label: "test") { _ in handler }
        logger[metadataKey: "own"] = "till-1"
        logger[metadataKey: "trace"] = .open("t0")
        logger.notice("a line", metadata: ["base": .open("b")])
        #expect(line?.metadata == ["base": "b", "provided": "hidden", "own": "hidden", "trace": "t1"])
        #expect(logger[metadataKey: "own"] == "till-1")
    }

    @Test func levelsAreThoseOfTheOtherHandler() {
        var logger = Logger.kept(lines)
        logger.logLevel = .warning
        logger.info("not written")
        logger.critical("written")
        #expect(lines.with { $0.map(\.message) } == ["written"])
        #expect(logger.logLevel == .warning)
    }
}
#endif
