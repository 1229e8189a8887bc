import JackdawReaders
import JackdawTestSupport
import Testing

/// Packets of Datecs printers, with the examples of the manual.
@Suite struct DatecsFormatTests {
    private static let commands = ["01 02 0005 11 22 33 44 55", "01 03 0000", "01 04 0000"].map(hex)
    private static let answers = [
        "81 00 0000", "81 01 0000", "81 00 0004 11 22 33 44", "81 00 0005 3F F8 01 49 27", "90 20 0002 0D 00",
    ].map(hex)

    /// Without a check no packet is taken after garbage.
    @Test func framesAreCutHoweverTheyCome() {
        verify(DatecsFormat(.command), frames: Self.commands, garbage: [], isChecked: false)
        verify(DatecsFormat(.answer), frames: Self.answers, garbage: [], isChecked: false)
    }

    @Test func publishedPacketsAreMade() throws {
        #expect(try DatecsFormat.command(.send, [0x11, 0x22, 0x33, 0x44, 0x55]) == Self.commands[0])
        #expect(try DatecsFormat.command(.receive) == Self.commands[1])
        #expect(try DatecsFormat.command(.status) == Self.commands[2])
        #expect(try DatecsFormat.answer([]) == Self.answers[0])
        #expect(try DatecsFormat.answer(.error) == Self.answers[1])
        #expect(try DatecsFormat.answer(.noPaper, [13, 0], from: .cardReader) == Self.answers[4])
        expectFault(.length, at: 2, "2049", "2048") {
            try DatecsFormat.command(.send, [UInt8](repeating: 0, count: 2049))
        }
    }

    @Test func aPacketAfterGarbageIsTakenOnlyAfterAPause() {
        let packet = Self.answers[2]
        #expect(cut([0] + packet, with: DatecsFormat(.answer), step: 3).frames.isEmpty)
        #expect(cut([[0], packet], with: DatecsFormat(.answer), step: 3).frames == [packet])
    }

    @Test func theStatusOfThePrinterIsRead() throws {
        let status = try DatecsPrinterStatus(Array(Self.answers[3].dropFirst(4)).span)
        #expect(status.freeMemory == 0x3FF8)
        #expect(status.isBatteryLow && !status.isHeadHot && !status.hasNoPaper)
        #expect(status.voltage == 7.3)
        #expect(status.temperature == 39)
        expectFault(.length, at: 4, "4", "5") {
            _ = try DatecsPrinterStatus([1, 2, 3, 4].span)
        }
    }

    @Test func fieldsAreNamedAndPossibleCardDataIsHidden() {
        let answer = DatecsFormat(.answer).fields(of: Self.answers[4])
        #expect(answer.map(\.value) == ["10 card reader", "no paper", "2", "2 bytes"])
        let command = DatecsFormat(.command).fields(of: Self.commands[2])
        #expect(command.map(\.value) == ["01 printer", "04 get status", "0"])
        #expect(DatecsFormat(.answer).fields(of: Self.answers[0])[1].value == "ready")
    }

    @Test func packetsOfTheOtherDirectionAreRefused() {
        for answer in Self.answers { #expect(throws: FrameFault.self) { try DatecsFormat(.command).check(answer) } }
        for command in Self.commands { #expect(throws: FrameFault.self) { try DatecsFormat(.answer).check(command) } }
        expectFault(.length, at: 2, "2049", "2048") {
            try DatecsFormat(.command).check(hex("01 02 0801"))
        }
    }
}
