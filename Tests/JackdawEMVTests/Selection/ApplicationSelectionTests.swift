import JackdawBytes
@testable import JackdawEMV
import JackdawTestSupport
import Testing

@Suite struct ApplicationSelectionTests {
    private static let visa = hex("A0000000031010")
    private static let mastercard = hex("A0000000041010")

    private static func applications() throws -> [SupportedApplication] {
        [
            try SupportedApplication(visa, allowsPartialName: true),
            try SupportedApplication(mastercard, allowsPartialName: false),
        ]
    }

    /// Answers commands from a table until the selection asks for something else.
    private static func run(
        _ selection: inout ApplicationSelection, from first: ApplicationSelection.Step, _ card: [String: String]
    ) throws -> ApplicationSelection.Step {
        var step = first
        while case .send(let command, let identifier) = step {
            let answer = card[command.octets.hexadecimal] ?? "6A82"
            step = selection.receive(try CardResponse(hex(answer).span), to: identifier)
        }
        return step
    }

    /// Chooses a candidate in the step that asks for it.
    private static func choose(
        _ index: Int, in step: ApplicationSelection.Step, of selection: inout ApplicationSelection
    ) throws -> ApplicationSelection.Step {
        let identifier: Int? = if case .choose(_, let identifier) = step { identifier } else { nil }
        return selection.choose(index, to: try #require(identifier))
    }

    /// Whether a step asks for a choice, and whether it requires the cardholder's.
    private static func choice(_ step: ApplicationSelection.Step) -> Bool? {
        if case .choose(let isRequired, _) = step { isRequired } else { nil }
    }

    private static func information(_ name: [UInt8], _ proprietary: String) -> String {
        var builder = TagLengthValueBuilder()
        builder.append(0x6F) {
            $0.append(0x84, name)
            $0.append(0xA5, hex(proprietary))
        }
        return builder.octets.hexadecimal + "9000"
    }

    private static let contactless = [
        "00A404000E325041592E5359532E444446303100": "6F2E840E325041592E5359532E4444463031A51CBF0C19"
            + "610C4F07A000000003101087010261094F07A0000000041010" + "9000"
    ]

    @Test func oneApplicationIsSelectedWithoutAChoice() throws {
        let card = [
            "00A4040007A000000003101000": Self.information(Self.visa, "5004564953419F38039F1A02")
        ]
        var selection = ApplicationSelection(try Self.applications(), on: .contact)
        let step = try Self.run(&selection, from: selection.start(), card)
        #expect(Self.choice(step) == false)
        #expect(selection.candidates.map { $0.displayName } == ["VISA"])
        let next = try Self.choose(0, in: step, of: &selection)
        guard case .selected(let chosen, let objects) = try Self.run(&selection, from: next, card) else {
            Issue.record("no application is selected")
            return
        }
        #expect(chosen.name == Self.visa && objects[0x9F38] == hex("9F1A02"))
    }

    @Test func applicationsThatCannotBeSelectedLeaveTheList() throws {
        var card = [
            "00A4040007A000000003101000": Self.information(Self.visa, "870102"),
            "00A4040007A000000004101000": Self.information(Self.mastercard, "870101"),
        ]
        var selection = ApplicationSelection(try Self.applications(), on: .contact)
        var step = try Self.run(&selection, from: selection.start(), card)
        #expect(Self.choice(step) == true)
        #expect(selection.candidates.map { $0.priority } == [1, 2])
        card["00A4040007A000000004101000"] = "6283"
        // The choice stays required although one candidate is left.
        step = try Self.run(&selection, from: Self.choose(0, in: step, of: &selection), card)
        #expect(Self.choice(step) == true)
        #expect(selection.candidates.map { $0.name } == [Self.visa])
        guard case .choose(_, let identifier) = step else { return }
        #expect(selection.choose(7, to: identifier) == .ignored(identifier: identifier, .invalid))
        card["00A4040007A000000003101000"] = "6985"
        step = try Self.run(&selection, from: Self.choose(0, in: step, of: &selection), card)
        #expect(step == .failed(.notAccepted))
        #expect(selection.choose(0, to: identifier) == .ignored(identifier: identifier, .late))
        let last = identifier + 1
        let answer = CardResponse(status: .success)
        #expect(selection.receive(answer, to: last) == .ignored(identifier: last, .late))
    }

    /// An answer counts for the step that has its identifier, and for no other.
    @Test func lateAndRepeatedAnswersAreIgnored() throws {
        let application = try CardResponse(hex(Self.information(Self.visa, "50024142")).span)
        let notFound = CardResponse(status: .fileNotFound)
        var selection = ApplicationSelection(try Self.applications(), on: .contact)
        #expect(selection.receive(notFound, to: 0) == .ignored(identifier: 0, .unknown))
        #expect(selection.receive(notFound, to: 1) == .ignored(identifier: 1, .unknown))
        guard case .send(_, 1) = selection.start(), case .send(_, 2) = selection.receive(notFound, to: 1) else {
            Issue.record("identifiers do not count from 1")
            return
        }
        // The answer to the directory comes again: the application of the second command is not in it.
        #expect(selection.receive(notFound, to: 1) == .ignored(identifier: 1, .late))
        #expect(selection.receive(notFound, to: 3) == .ignored(identifier: 3, .unknown))
        #expect(selection.choose(0, to: 2) == .ignored(identifier: 2, .invalid))
        guard case .send(let command, 3) = selection.receive(application, to: 2) else {
            Issue.record("the second answer did not count")
            return
        }
        #expect(command.octets == hex("00A4040007A000000004101000"))
        #expect(selection.receive(notFound, to: 3) == .choose(isRequired: false, identifier: 4))
        #expect(selection.receive(notFound, to: 4) == .ignored(identifier: 4, .invalid))
        #expect(selection.choose(1, to: 4) == .ignored(identifier: 4, .invalid))
        guard case .send(_, 5) = selection.choose(0, to: 4) else {
            Issue.record("the choice did not count")
            return
        }
        // A choice that comes again does not choose the next candidate.
        #expect(selection.choose(0, to: 4) == .ignored(identifier: 4, .late))
        // After a reset of the card, an answer from before it is late.
        guard case .send(_, 6) = selection.start() else {
            Issue.record("identifiers begin again")
            return
        }
        #expect(selection.receive(application, to: 5) == .ignored(identifier: 5, .late))
    }

    @Test func contactlessCardsAreReadByTheirDirectory() throws {
        var selection = ApplicationSelection(try Self.applications(), on: .contactless)
        let step = try Self.run(&selection, from: selection.start(), Self.contactless)
        #expect(Self.choice(step) == false)
        #expect(selection.candidates.map { $0.name } == [Self.visa, Self.mastercard])
        #expect(selection.candidates.map { $0.kernel } == [3, 2])
        var other = ApplicationSelection(try Self.applications(), on: .contactless)
        #expect(try Self.run(&other, from: other.start(), [:]) == .failed(.notAccepted))
    }

    /// EMV Book B sections 3.3.2.5, 3.3.3.3 and 3.3.3.6.
    @Test func contactlessApplicationsAreSelected() throws {
        let applications = [
            try SupportedApplication(hex("A0000000041010"), allowsPartialName: false, appendsExtendedSelection: true),
            try SupportedApplication(hex("A000000003"), allowsPartialName: false),
        ]
        var directory = TagLengthValueBuilder()
        directory.append(0x6F) { information in
            information.append(0x84, Array("2PAY.SYS.DDF01".utf8))
            information.append(0xA5) { proprietary in
                proprietary.append(0xBF0C) { entries in
                    // The kernel identifier of the first entry is too short.
                    entries.append(0x61, hex("4F07A0000000041010 8701 01 9F2A0181"))
                    entries.append(0x61, hex("4F07A0000000041010 8701 02 9F2904AABBCCDD"))
                    entries.append(0x61, hex("4F07A0000000031010 8701 03"))
                }
            }
        }
        var card = ["00A404000E325041592E5359532E444446303100": directory.octets.hexadecimal + "9000"]
        card["00A404000BA0000000041010AABBCCDD00"] = "6A82"
        card["00A4040007A000000003101000"] = Self.information(Self.visa, "500456495341")
        for hasKernel1 in [false, true] {
            var settings = ApplicationSelection.Settings()
            settings.hasKernel1 = hasKernel1
            var selection = ApplicationSelection(applications, on: .contactless, settings: settings)
            var step = try Self.run(&selection, from: selection.start(), card)
            #expect(Self.choice(step) == false)
            #expect(selection.candidates.map { $0.priority } == [2, 3])
            // The first application is not found, and the next one has no list that asks for tag 9F66.
            step = try Self.run(&selection, from: Self.choose(0, in: step, of: &selection), card)
            #expect(Self.choice(step) == false)
            step = try Self.run(&selection, from: Self.choose(0, in: step, of: &selection), card)
            if case .selected(let chosen, _) = step {
                #expect(hasKernel1 && chosen.kernel == 1)
            } else {
                #expect(!hasKernel1 && step == .failed(.notAccepted))
            }
        }
        card["00A4040007A000000003101000"] = Self.information(Self.visa, "9F38039F6604")
        var selection = ApplicationSelection(applications, on: .contactless)
        let list = try Self.run(&selection, from: selection.start(), card)
        let next = try Self.choose(1, in: list, of: &selection)
        guard case .selected(let chosen, _) = try Self.run(&selection, from: next, card) else {
            Issue.record("no application is selected")
            return
        }
        #expect(chosen.kernel == 3)
    }

    /// A name of SELECT has at most 16 octets (EMV Book 1 section 11.3.2).
    @Test(arguments: [(9, 16), (10, 7), (250, 7)])
    func extendedSelectionsThatAreTooLongAreIgnored(_ count: Int, _ selected: Int) throws {
        let name = hex("A0000000041010")
        let applications = [
            try SupportedApplication(name, allowsPartialName: false, appendsExtendedSelection: true)
        ]
        var directory = TagLengthValueBuilder()
        directory.append(0x6F) { information in
            information.append(0x84, Array("2PAY.SYS.DDF01".utf8))
            information.append(0xA5) { proprietary in
                proprietary.append(0xBF0C) { entries in
                    entries.append(0x61) { entry in
                        entry.append(0x4F, name)
                        entry.append(0x9F29, [UInt8](repeating: 0xAA, count: count))
                    }
                }
            }
        }
        var selection = ApplicationSelection(applications, on: .contactless)
        _ = selection.start()
        let list = selection.receive(CardResponse(data: directory.octets, status: .success), to: 1)
        guard case .send(let command, _) = try Self.choose(0, in: list, of: &selection) else {
            Issue.record("no command")
            return
        }
        #expect(command.data.count == selected)
    }

    @Test func blockedCardsFail() throws {
        var selection = ApplicationSelection(try Self.applications(), on: .contact)
        let card = ["00A404000E315041592E5359532E444446303100": "6A81"]
        #expect(try Self.run(&selection, from: selection.start(), card) == .failed(.cardBlocked))
    }

    @Test func directoriesCanBeLeftOut() throws {
        var settings = ApplicationSelection.Settings()
        settings.usesDirectory = false
        var selection = ApplicationSelection(try Self.applications(), on: .contact, settings: settings)
        guard case .send(let command, _) = selection.start() else {
            Issue.record("no command")
            return
        }
        #expect(command.octets == hex("00A4040007A000000003101000"))
    }

    /// A card that answers anything, for ever: the selection ends after a bounded number of commands.
    @Test func hostileCardsAreBounded() throws {
        var random = SeededRandom(seed: 12)
        let answers = [
            Self.information(hex("A000000003101001"), "50024142"), Self.information(Self.visa, "8701"), "9000", "6283",
            "6F1E840E315041592E5359532E4444463031A50C8801015F2D02656E9F1101019000", "6A83", "6A82",
            "700E610C4F07A00000000310108701029000", "70FF9000", "7061", "6F009000",
        ]
        for round in 0..<2_000 {
            var selection = ApplicationSelection(try Self.applications(), on: round % 2 == 0 ? .contact : .contactless)
            var step = selection.start()
            var sent = 0
            let fixed = round % 3 == 0 ? answers.randomElement(using: &random) : nil
            while sent < 2_000 {
                if case .send(_, let identifier) = step {
                    sent += 1
                    let answer = fixed ?? answers.randomElement(using: &random) ?? ""
                    step = selection.receive(try CardResponse(hex(answer).span), to: identifier)
                } else if case .choose(_, let identifier) = step {
                    step = selection.choose(0, to: identifier)
                } else {
                    break
                }
            }
            #expect(sent < 2_000)
        }
    }
}
