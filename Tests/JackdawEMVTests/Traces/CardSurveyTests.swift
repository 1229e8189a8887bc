import JackdawEMV
import JackdawTestSupport
import Testing

@Suite struct CardSurveyTests {
    /// A card that answers known commands, and 6A82 or 6A83 to others.
    private struct Card {
        var answers: [String: String]
        private(set) var commands: [String] = []

        init(_ answers: [String: String]) { self.answers = answers }

        mutating func transmit(_ command: CardCommand) throws -> CardResponse {
            let digits = hexadecimal(command.octets)
            commands.append(digits)
            let missing = command.instruction == 0xB2 ? "6A83" : command.instruction == 0xCA ? "6A88" : "6A82"
            return try CardResponse(hex(answers[digits] ?? missing).span)
        }
    }

    private static let directory = "00A404000E315041592E5359532E444446303100"
    private static let contactlessDirectory = "00A404000E325041592E5359532E444446303100"
    private static let select = "00A4040007A000000003101000"
    private static let application = [
        select: control,
        // Country, currency and date.
        "80A800000983070000097826013100": "80065C00080101009000",
        "00B2010C00": "70165A0847617390010100108C0A9F02069A039F37048A029000",
        "80CA9F3600": "9F360200419000",
    ]
    /// The control information of the application, which asks for country, currency and date.
    private static let control = "6F168407A0000000031010A50B9F38089F1A025F2A029A039000"

    private static var terminal: DataObjectStore {
        var objects = DataObjectStore()
        objects[0x9A] = [0x26, 0x01, 0x31]
        objects[0x5F2A] = [0x09, 0x78]
        return objects
    }

    private func run(_ card: inout Card, asksForCryptogram: Bool = false) throws -> [[UInt8]] {
        var survey = CardSurvey(terminal: Self.terminal, asksForCryptogram: asksForCryptogram)
        var next = survey.start()
        while let command = next { next = survey.receive(try card.transmit(command)) }
        return survey.applications
    }

    @Test func applicationsOfTheDirectoryAreRead() throws {
        var card = Card(
            Self.application.merging([
                Self.directory: "6F15840E315041592E5359532E4444463031A503880101" + "9000",
                "00B2010C00": "700B61094F07A00000000310109000",
            ]) { _, directory in directory })
        #expect(try run(&card) == [hex("A0000000031010")])
        #expect(
            card.commands.prefix(5) == [
                Self.directory, "00B2010C00", "00B2020C00", Self.select, "80A800000983070000097826013100",
            ])
        #expect(!card.commands.contains { $0.hasPrefix("80AE") })
    }

    @Test func applicationsOfTheContactlessDirectoryAreRead() throws {
        var card = Card(
            Self.application.merging([
                Self.contactlessDirectory:
                    "6F20840E325041592E5359532E4444463031A50EBF0C0B61094F07A0000000031010" + "9000"
            ]) { own, _ in own })
        #expect(try run(&card) == [hex("A0000000031010")])
        #expect(card.commands.prefix(3) == [Self.directory, Self.contactlessDirectory, Self.select])
        #expect(card.commands.suffix(4) == ["80CA9F3600", "80CA9F1300", "80CA9F1700", "80CA9F4F00"])
    }

    /// A card without directory is asked for the applications of the known schemes.
    @Test func cardsWithoutDirectoryAreAskedForSchemes() throws {
        var card = Card(Self.application.merging(["00A4040005A00000000300": Self.control]) { own, _ in own })
        #expect(try run(&card) == [hex("A0000000031010")])
        #expect(card.commands.contains("00A4040205A00000000300"))
        #expect(card.commands.filter { $0.hasPrefix("00A4040005") }.count == 13)
    }

    /// A cryptogram is asked for only if the caller wants one: that of a declined transaction.
    @Test func cryptogramsAreAskedForOnDemand() throws {
        var card = Card(Self.application.merging(["00A4040005A00000000300": Self.control]) { own, _ in own })
        _ = try run(&card, asksForCryptogram: true)
        #expect(card.commands.filter { $0.hasPrefix("80AE") } == ["80AE00000F000000000000260131000000000000" + "00"])
    }

    @Test func cardsWithoutApplicationEnd() throws {
        var card = Card([:])
        #expect(try run(&card).isEmpty)
        #expect(card.commands.count == 15)
    }

    /// Whatever a card answers, the survey ends.
    @Test func hostileCardsAreLeft() throws {
        var random = SeededRandom(seed: 15)
        for round in 0..<200 {
            var survey = CardSurvey(asksForCryptogram: round % 2 == 0)
            var next = survey.start()
            var count = 0
            while next != nil {
                count += 1
                let octets = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let objects = TagLengthValueBuilder.encode(
                    [0x84, 0x4F, 0x94, 0x88, 0x9F38][count % 5], count % 3 == 0 ? [0x08, 0x01, 0xFF, 0x00] : octets)
                let status =
                    round % 7 == 0 ? 0x9000 : [0x9000, 0x9000, 0x6A83, 0x6283][Int.random(in: 0...3, using: &random)]
                next = survey.receive(
                    CardResponse(data: objects, status: StatusWord(rawValue: UInt16(status))))
            }
            #expect(count <= 600)
        }
    }
}
