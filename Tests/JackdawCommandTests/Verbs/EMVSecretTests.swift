import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// The verbs of chip cards with all that a card has and a terminal sends: nothing of a card that must be hidden, and no
/// PIN, is in the output or in a message. The card has published test data.
@Suite struct EMVSecretTests {
    private static let number = "4012888888881881"
    private static let pin = "245739FFFFFFFFFF"
    private static let name = "QUENTIN/ROSAMUND"

    private static func text(_ text: String) -> String { hexadecimal(text.utf8) }

    /// An object with a length of one octet.
    private static func object(_ tag: String, _ value: String) -> String {
        tag + hexadecimal([UInt8(hex(value).count)]) + value
    }

    /// Number, tracks, name, expiry, discretionary data, signed static data, and a tag that is not known.
    private static let cardData =
        object("5A", number) + object("57", number + "D29121010000045123")
        + object("9F6B", number + "D29121010000045123")
        + object("56", text("B\(number)^\(name)^29121010000045123")) + object("5F20", text(name))
        + object("5F24", "291231")
        + object("9F1F", text("0000045123")) + object("9F20", "0000045123") + object("93", "C1C2C3C4C5")
        + object("DF01", number)

    /// A script that changes the PIN, and the PIN data of a transaction.
    private static let pinData = object("72", object("86", "8424000208" + pin)) + object("99", pin)

    /// What must not be in any form: digits in hexadecimal and text, in both cases.
    private static let hidden = [
        number, "D2912", "=2912", "^2912", "291231", "0000045123", "QUENTIN", "ROSAMUND", "C1C2C3", pin, "245739",
    ].flatMap { [$0, hexadecimal($0.utf8)] }

    private static func expectNothing(of run: (output: String, messages: String), _ call: [String]) {
        let text = (run.output + run.messages).uppercased()
        #expect(text.contains("401288******1881"), "\(call)")
        for secret in hidden { #expect(!text.contains(secret), "\(call): \(secret)") }
        // The hidden digits of the number, anywhere.
        #expect(!text.replacing("401288******1881", with: "").contains("888888"), "\(call)")
    }

    /// The command, with messages as on a terminal, which are the most that it writes.
    private static func run(_ call: [String]) async throws -> (output: String, messages: String) {
        try await onOwnThread {
            let run = CommandRun(call, on: ConsoleRecorder(isWatched: true))
            return (run.output, run.messages)
        }
    }

    private func check(_ call: [String]) async throws {
        for options in [[], ["--json"]] {
            Self.expectNothing(of: try await Self.run(call + options), call + options)
            // All of it is found if it is shown, except what is a PIN.
            let revealed = try await Self.run(call + options + ["--reveal"])
            #expect(revealed.output.contains(Self.number) && revealed.output.contains(Self.name), "\(call + options)")
            for secret in [Self.pin, "245739"] { #expect(!revealed.output.contains(secret), "\(call + options)") }
            #expect(!revealed.messages.contains(Self.number), "\(call + options)")
        }
    }

    @Test(.timeLimit(.minutes(10))) func noObjectShowsThem() async throws {
        try await check(["emv", "tlv", Self.cardData + Self.pinData])
    }

    /// Commands with a PIN in several classes, a list that asks for number and PIN, commands that are not known,
    /// answers that are not objects, and lines that are masked.
    private static let messages: [String] = {
        let application = object("84", "A0000000031010") + object("A5", object("9F38", "5A089908"))
        let verify = ["0020", "0C20", "0120", "8020", "0024", "8424", "0026", "0028", "002C", "00C2", "80D8"]
        return [
            "00A4040007A0000000031010 00", object("6F", application) + "9000",
            "80A8000012 8310 \(number)\(pin) 00", "770A 82022000 940408010200 9000",
            "00B2010C00", "7081" + hexadecimal([UInt8(hex(cardData).count)]) + cardData + "9000",
            "00B2020C00", "7004 8C025A08 9000", "80AE800008\(number)00", "6985",
        ] + verify.flatMap { ["\($0)008008\(pin)", "63C2"] } + [
            "80FE000008\(number)00", "\(number)9000", "00D6000008\(number)", "9000",
            "00B2030C00", object("70", object("72", object("86", "8424000208" + pin))) + "9000",
        ]
    }()

    @Test(.timeLimit(.minutes(10))) func noDialogueShowsThem() async throws {
        let folder = try TemporaryFolder()
        let lines = Self.messages.enumerated().map { "\($0.offset % 2 == 0 ? ">" : "<") \($0.element)\n" }
        let file = try folder.write(lines.joined().utf8, to: "dialogue.txt")
        defer { withExtendedLifetime(folder) {} }
        try await check(["emv", "trace", file])
    }

    /// A transcript that is not masked, so that the command has all of it.
    @Test(.timeLimit(.minutes(10))) func noCardShowsThem() async throws {
        let messages = [
            "00A404000E315041592E5359532E444446303100", "6A82", "00A404000E325041592E5359532E444446303100",
            "6F20 840E325041592E5359532E4444463031 A50E BF0C0B 6109 4F07A0000000031010 9000",
            "00A4040007A000000003101000", "6F09 8407A0000000031010 9000",
            "80A80000028300 00", "770A 82022000 940408010200 9000",
            "00B2010C00", "7081" + hexadecimal([UInt8(hex(Self.cardData).count)]) + Self.cardData + "9000",
            "00B2020C00", Self.object("70", Self.pinData) + "9000",
            "80CA9F3600", "\(Self.number)9000", "80CA9F1300", "6A88", "80CA9F1700", "9F170103 9000", "80CA9F4F00",
            "6A88",
        ]
        let entries = messages.enumerated().map { index, message in
            let octets = hex(message).map(Optional.some)
            return TranscriptEntry(time: .zero, event: index % 2 == 0 ? .sent(octets) : .received(octets))
        }
        let header = TranscriptHeader(link: "pcsc:0", isMasked: false)
        let folder = try TemporaryFolder()
        let file = try folder.write(Transcript(header: header, entries: entries).text.utf8, to: "card.txt")
        defer { withExtendedLifetime(folder) {} }
        try await check(["emv", "read", "--link", "replay:\(file)"])
    }

    /// An error repeats nothing of what it refuses.
    @Test func noErrorShowsThem() throws {
        let folder = try TemporaryFolder()
        for text in [Self.cardData + "5A08" + Self.number.dropLast(2), Self.number + "Z", Self.pin + "0"] {
            let file = try folder.write("\(text)\n".utf8, to: "wrong.txt")
            for call in [["emv", "tlv", text], ["emv", "trace", file], ["emv", "trace", "--json", file]] {
                let run = CommandRun(call, on: ConsoleRecorder(isWatched: true))
                let shown = (run.output + run.messages).uppercased()
                for secret in Self.hidden { #expect(!shown.contains(secret), "\(call)") }
            }
        }
    }
}
