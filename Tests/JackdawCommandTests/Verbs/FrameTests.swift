import JackdawReaders
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// `jackdaw frame`: frames of readers are explained.
@Suite struct FrameTests {
    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    }

    private static let ping = "5669564F746563683200 18 01 0000 B3CD"

    @Test func aFrameIsExplainedFieldByField() {
        let run = CommandRun("frame", "neo", Self.ping)
        #expect(run.status == 0)
        #expect(
            run.lines == [
                "ID TECH NEO and ViVOpay, protocol 2, to the reader",
                "byte  size  field       value",
                "   0    10  header      ViVOtech2",
                "  10     1  command     18",
                "  11     1  subcommand  01",
                "  12     2  length      0",
                "  14     0  data        0 bytes",
                "  14     2  CRC         right",
            ])
    }

    @Test func digitsAreReadAsPeopleWriteThem() throws {
        let expected = CommandRun("frame", "miura", "010004D0620000B7").lines
        #expect(expected.first == "Miura MPI, to the reader")
        #expect(CommandRun("frame", "miura", "01:00:04:d0:62:00:00:b7").lines == expected)
        #expect(CommandRun("frame", "miura", "01", "00", "04", "D0", "62", "0000", "B7").lines == expected)
        let child = try ChildProcess(["frame", "miura", "-"], input: Array("01 00 04 D0\n620000 B7\n".utf8))
        let lines = String(decoding: child.output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines == expected)
    }

    @Test func anInvalidMessageInAValidFrameIsReported() throws {
        let object = Array(#"{"id":"4",4111111111111111}"#.utf8)
        let run = CommandRun("frame", "jsonpos", Self.digits(try JSONPOSFormat.frame(object)))
        #expect(run.status == 65)
        #expect(run.messages.contains("byte 9"))
        #expect(!run.messages.contains("4111111111111111"))
    }

    @Test func aSwipeOfBTMagIsOneOfIDTECH() throws {
        let swipe = try IDTechSwipeFormat.frame([0x00, 0x3F, 0, 4, 0] + Array(";12?".utf8))
        let digits = Self.digits(swipe)
        #expect(
            CommandRun("frame", "btmag", digits).lines.dropFirst()
                == CommandRun("frame", "idtech", digits).lines.dropFirst())
    }

    @Test func numbersInOtherFieldsAreHidden() throws {
        let number = Array("4111111111111111".utf8)
        let setting = Self.digits(try IDTechCommandFormat.set(.serialNumber, number))
        #expect(CommandRun("frame", "idtech", setting).lines.contains { $0.hasSuffix("16 bytes") })
        let line = try MagTekFormat.swipe([[], Array("0000".utf8), [], [], [], [], [], [], number, []])
        let run = CommandRun("frame", "magtek", Self.digits(line))
        #expect(run.status == 0)
        #expect(run.lines.contains { $0.contains("session") && $0.hasSuffix("411111******1111") })
    }

    @Test func plainAnswersAreExplained() {
        #expect(CommandRun("frame", "miura", "010006 10111213 9000 97").lines.first == "Miura MPI, from the reader")
        let run = CommandRun("frame", "--direction", "answer", "miura", "010004D0620000B7")
        #expect(run.lines.first == "Miura MPI, from the reader")
    }

    @Test func aFrameThatMayGoEitherWayIsExplainedBothWays() {
        // Reset, or "bad parameter" without data.
        let lines = CommandRun("frame", "magtek", "30 32 30 30 0D").lines
        #expect(lines.contains("MagTek iDynamo and other MagneSafe V5 readers, from the reader"))
        #expect(lines.contains("MagTek iDynamo and other MagneSafe V5 readers, to the reader"))
        let command = CommandRun("frame", "--direction", "command", "magtek", "30 32 30 30 0D").lines
        #expect(command.first == "MagTek iDynamo and other MagneSafe V5 readers, to the reader")
        #expect(command.contains { $0.contains("02 reset") })
    }

    @Test func manyBytesMayBeManyOperands() {
        let body = [UInt8](repeating: 1, count: 100)
        let frame = [1, 0x40, 100] + body + [1 ^ 0x40 ^ 100]
        let digits = frame.map { String($0, radix: 16) }.map { $0.count < 2 ? "0\($0)" : $0 }
        #expect(CommandRun(["frame", "--direction", "answer", "miura"] + digits).status == 0)
    }

    @Test func jsonHasOneObjectAField() {
        let run = CommandRun("frame", "--json", "idtech", "06")
        #expect(run.lines == [#"{"direction":"answer","offset":0,"size":1,"field":"answer","value":"06 ACK"}"#])
    }

    /// Digits, the beginning of the message, and the numbers in it: the place of the error and the values.
    private static let wrong: [(String, String, [String])] = [
        ("5669564F746563683200 18 01 0000 B3CE", "no frame of neo: byte 14: ", ["14", "B3", "CE", "B3", "CD"]),
        ("5669564F746563683200 18 01 0000 B3", "no frame of neo: byte 15: ", ["15", "15", "16"]),
        ("5669564F746563683200 18 01 0000 B3CD 00", "no frame of neo: byte 16: ", ["16", "1"]),
        ("5669564F746563683", "an odd number of hexadecimal digits", []), ("56 6x", "character 5 ", ["5"]),
        ("", "there are no bytes", []),
    ]

    @Test(arguments: wrong)
    func anErrorOfAFrameNamesItsPlace(_ digits: String, start: String, values: [String]) {
        let run = CommandRun("frame", "neo", digits)
        #expect(run.status == 65)
        #expect(run.messages.hasPrefix("jackdaw: \(start)"))
        #expect(run.messages.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
        #expect(numbers(in: run.messages) == values)
        #expect(run.output.isEmpty)
    }

    @Test func anUnknownProtocolIsAUsageError() {
        let run = CommandRun("frame", "morse", "00")
        #expect(run.status == 64)
        let known = FrameProtocol.all.map(\.name).joined(separator: ", ")
        #expect(run.messages.contains("Unknown protocol morse; known protocols: \(known)."))
    }

    /// A faulty reader sends the text of a card instead of its own.
    @Test(arguments: [
        // The answer to a request for the firmware version: "B4111111111111111^" and "DOE/JANE^".
        ("idtech", 0x22, "B4111111111111111^", "4111111111111111"), ("idtech", nil, "DOE/JANE^", "DOE"),
        // The value of a setting, such as the serial number.
        ("idtech", 0x4E, "4111111111111111", "34 31 31 31"), ("idtech", 0x4E, "DOE/JANE^2512", "44 4F 45"),
    ])
    func aTextOfTheReaderThatMayBeACardsIsShownOnDemandOnly(
        name: String, function: UInt8?, text: String, card: String
    ) {
        var frame: [UInt8] = [0x02] + Array(text.utf8) + [0x03]
        if let function, function != 0x22 {
            frame = [0x02, function, UInt8(text.utf8.count)] + Array(text.utf8) + [0x03]
        }
        let digits = ([0x06] + frame + [frame.reduce(0, ^)]).map { String(Int($0) + 256, radix: 16).dropFirst() }
        let run = CommandRun(["frame", "--direction", "answer", name] + digits.map(String.init))
        #expect(run.status == 0)
        #expect(!run.output.contains(card), "\(run.output)")
        #expect(run.output.contains("\(text.utf8.count) bytes"))
        let revealed = CommandRun(["frame", "--reveal", "--direction", "answer", name] + digits.map(String.init))
        #expect(revealed.output.contains(card), "\(revealed.output)")
    }

    /// The owner of a MagneSafe reader may set its serial number.
    @Test func aNumberOfAReaderThatMayBeACardsIsShownOnDemandOnly() throws {
        var fields = [[UInt8]](repeating: [], count: 10)
        fields[0] = Array("%E?".utf8)
        fields[1] = Array("0000".utf8)
        fields[7] = Array("4111111111111111".utf8)
        func digits() throws -> String {
            try MagTekFormat.swipe(fields).map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        }
        #expect(try !CommandRun("frame", "magtek", digits()).output.contains("4111111111111111"))
        #expect(try CommandRun("frame", "--reveal", "magtek", digits()).output.contains("4111111111111111"))
        fields[7] = Array("SIM0000001".utf8)
        #expect(try CommandRun("frame", "magtek", digits()).output.contains("SIM0000001"))
    }

    @Test func cardDataIsShownOnDemandOnly() {
        // Plain text in track 1, as a reader without encryption sends it.
        let body = [0x00, 0x3F, 3, 0, 0] + Array("%B4".utf8).map(Int.init)
        let lrc = body.reduce(0) { $0 ^ $1 }
        let sum = body.reduce(0) { ($0 + $1) & 255 }
        let frame = ([2, body.count, 0] + body + [lrc, sum, 3]).map { String($0 + 256, radix: 16).dropFirst() }.joined()
        #expect(CommandRun("frame", "idtech", frame).output.contains("3 bytes"))
        #expect(!CommandRun("frame", "idtech", frame).output.contains("25 42 34"))
        #expect(CommandRun("frame", "--reveal", "idtech", frame).output.contains("25 42 34"))
    }
}
