import JackdawEMV
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawReaders

/// Selections and transactions over scripted links, without a reader. The card has test data, and no authentication.
@Suite struct ContactSessionTests {
    private struct Terminal: ContactTerminal {
        var choice: Int? = 0
        /// Whether the cardholder does not choose until the task is cancelled.
        var isUndecided = false
        var pin = PINEntry.bypassed
        /// Nil does not answer until the task is cancelled.
        var host: HostAnswer? = .unreachable
        let candidates = Shared<[[String]]>([])
        let steps = Shared(0)

        func chooseApplication(_ candidates: [ApplicationCandidate]) async -> Int? {
            self.candidates.with { $0.append(candidates.map(\.displayName)) }
            if isUndecided { try? await Shared(0).until { _ in false } }
            return choice
        }

        func enterPIN(_ request: PINRequest) async -> PINEntry { pin }

        func authorise(_ request: OnlineRequest) async -> HostAnswer {
            if let host { return host }
            try? await Shared(0).until { _ in false }
            return .unknown
        }

        func observe(_ step: KernelStep) async { steps.with { $0 += 1 } }
    }

    private struct NoPrimitives: AuthenticationPrimitives {
        func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? { nil }
        func sha1(_ bytes: [UInt8]) -> [UInt8] { [] }
    }

    // MARK: the card

    /// Answers the commands of a transaction; over T=0, SELECT and GENERATE AC offer their data with 61xx.
    /// - Parameters:
    ///   - command: the command.
    ///   - profile: the AIP.
    ///   - records: the objects of the record beside number, expiry and CDOLs.
    /// - Returns: the answer.
    private static func answer(_ command: [UInt8], profile: String = "0000", records: String = "") -> [UInt8] {
        switch command[1] {
        case 0xA8: return hex("8006 \(profile) 08010100 9000")
        case 0xB2:
            let objects = hex("5A084761739001010010 5F2403491231 8C039F3704 8D028A02 \(records)")
            return [0x70, UInt8(objects.count)] + objects + hex("9000")
        case 0xAE:
            // The type of the cryptogram that was asked for.
            return hex("800B") + [command[2] & 0xC0] + hex("0001 1122334455667788 9000")
        case 0x20: return hex("9000")
        case 0xCA: return hex("9F170103 9000")
        default: return hex("6D00")
        }
    }

    private static func link(removedAt end: Int = .max, profile: String = "0000", records: String = "")
        -> ScriptedCardLink
    {
        ScriptedCardLink { number, command in
            number >= end ? .removal : .answer(answer(command, profile: profile, records: records))
        }
    }

    private func kernel() throws -> ContactKernel<NoPrimitives> {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
            additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
            country: hex("0528"), applicationVersion: hex("0096"))
        configuration.limits = RiskLimits(floorLimit: 0)
        let transaction = KernelTransaction(
            amount: 1_000, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 1, day: 15)))
        return try ContactKernel(configuration, transaction, application: DataObjectStore(), NoPrimitives())
    }

    private static func approval() throws -> HostAnswer {
        .answered(HostResponse(isApproved: true, responseCode: try #require(AuthorisationResponseCode(hex("3030")))))
    }

    private func session(_ link: ScriptedCardLink, _ terminal: Terminal, clock: any Clock<Duration> = ManualClock())
        -> ContactSession
    {
        ContactSession(CardChannel(link, clock: clock), terminal, clock: clock) { Array(repeating: 0x5A, count: $0) }
    }

    private func termination(_ outcome: KernelOutcome) -> KernelTermination.Code? {
        guard case .terminated(let reason) = outcome.disposition else { return nil }
        return reason.code
    }

    // MARK: selection

    private static let applications = [hex("A0000000031010"), hex("A0000000041010")]

    /// A card without a directory, with two applications, over T=0.
    private static func selectable() -> ScriptedCardLink {
        ScriptedCardLink { number, command in
            if command[1] == 0xC0 {
                let name = applications[(number - 2) / 2 % 2]
                return .answer(hex("6F09 8407") + name + hex("9000"))
            }
            return .answer(applications.contains(Array(command[5..<12])) ? hex("610B") : hex("6A82"))
        }
    }

    private func selection() throws -> ApplicationSelection {
        ApplicationSelection(
            try Self.applications.map { try SupportedApplication($0, allowsPartialName: false) }, on: .contact)
    }

    @Test func theChosenApplicationIsSelected() async throws {
        let terminal = Terminal(choice: 0)
        let step = try await session(Self.selectable(), terminal).select(try selection())
        guard case .selected(let candidate, let objects) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(candidate.name == Self.applications[0])
        #expect(objects[0x84] == Self.applications[0])
        #expect(terminal.candidates.with { $0 } == [["A0000000031010", "A0000000041010"]])
    }

    @Test(arguments: [nil, 2, -1])
    func withoutAChoiceTheSelectionIsCancelled(choice: Int?) async throws {
        let error = await #expect(throws: LinkError.self) {
            try await session(Self.selectable(), Terminal(choice: choice)).select(try selection())
        }
        #expect(error?.code == .cancelled)
    }

    @Test func aCardWithoutTheApplicationsFails() async throws {
        let link = ScriptedCardLink { _, _ in .answer(hex("6A82")) }
        #expect(try await session(link, Terminal()).select(try selection()) == .failed(.notAccepted))
        let lost = ScriptedCardLink { number, _ in number == 1 ? .removal : .answer(hex("6A82")) }
        let error = await #expect(throws: LinkError.self) {
            try await session(lost, Terminal()).select(try selection())
        }
        #expect(error?.code == .disconnected)
    }

    @Test func aChoiceWithoutAnAnswerEndsAtTheLimit() async throws {
        let clock = ManualClock()
        let session = session(Self.selectable(), Terminal(isUndecided: true), clock: clock)
        let selection = try selection()
        let selecting = Task { try await session.select(selection) }
        // The choice's limit is longer than the card's.
        while clock.nextDeadline?.offset != .seconds(60) { await Task.yield() }
        clock.advance(by: .seconds(60))
        let error = await #expect(throws: LinkError.self) { try await selecting.value }
        #expect(error?.code == .timedOut)
    }

    @Test func aCancelledTaskEndsTheChoice() async throws {
        let clock = ManualClock()
        let session = session(Self.selectable(), Terminal(isUndecided: true), clock: clock)
        let selection = try selection()
        let selecting = Task { try await session.select(selection) }
        while clock.nextDeadline?.offset != .seconds(60) { await Task.yield() }
        selecting.cancel()
        let error = await #expect(throws: LinkError.self) { try await selecting.value }
        #expect(error?.code == .cancelled)
    }

    /// A card that offers twelve applications and selects none.
    @Test func theNumberOfChoicesHasALimit() async throws {
        let names = (0..<12).map { hex("A00000000310") + [UInt8($0)] }
        let link = ScriptedCardLink { number, command in
            // After the directory's name, each application is asked for once.
            guard (1...names.count).contains(number) else { return .answer(hex("6A82")) }
            return .answer(hex("6F09 8407") + names[number - 1] + hex("9000"))
        }
        let terminal = Terminal()
        let selection = ApplicationSelection(
            try names.map { try SupportedApplication($0, allowsPartialName: false) }, on: .contact)
        let error = await #expect(throws: LinkError.self) { try await session(link, terminal).select(selection) }
        #expect(error?.code == .badAnswer)
        #expect(terminal.candidates.with { $0.count } == 10)
    }

    // MARK: transactions

    @Test func aKernelThatWasStartedIsRefused() async throws {
        let link = Self.link()
        var kernel = try kernel()
        _ = kernel.start()
        let started = kernel
        let error = await #expect(throws: ContactSessionError.self) {
            try await session(link, Terminal()).run(started)
        }
        #expect(error?.code == .kernelStarted)
        #expect(link.commands.isEmpty)
    }

    @Test func theHostApprovesAndTheCardToo() async throws {
        let link = Self.link()
        let terminal = Terminal(host: try Self.approval())
        let outcome = try await session(link, terminal).run(try kernel())
        #expect(outcome.disposition == .approved)
        #expect(!outcome.isReversalRequired)
        #expect(link.commands.map { $0[1] } == [0xA8, 0xB2, 0xAE, 0xAE])
        // The unpredictable number, in CDOL1.
        #expect(link.commands[2] == hex("80AE8000 04 5A5A5A5A 00"))
        #expect(link.commands[3] == hex("80AE4000 02 3030 00"))
        #expect(terminal.steps.with { $0 } > 5)
    }

    @Test(arguments: 0..<4)
    func aCardThatIsRemovedEndsTheTransaction(command: Int) async throws {
        let link = Self.link(removedAt: command)
        let outcome = try await session(link, Terminal(host: try Self.approval())).run(try kernel())
        #expect(termination(outcome) == .cardLost)
        #expect(outcome.isReversalRequired == (command == 3))
        #expect(link.commands.count == command + 1)
    }

    @Test func aSilentCardIsLostAtTheLimit() async throws {
        let clock = ManualClock()
        let session = session(ScriptedCardLink { _, _ in .silence }, Terminal(), clock: clock)
        let kernel = try kernel()
        let running = Task { try await session.run(kernel) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(30))
        #expect(termination(try await running.value) == .cardLost)
    }

    @Test func aSilentHostMeansAReversal() async throws {
        let clock = ManualClock()
        let link = Self.link()
        let session = session(link, Terminal(host: nil), clock: clock)
        let kernel = try kernel()
        let running = Task { try await session.run(kernel) }
        // The host's limit is longer than the card's.
        while clock.nextDeadline?.offset != .seconds(60) { await Task.yield() }
        clock.advance(by: .seconds(60))
        let outcome = try await running.value
        #expect(outcome.disposition == .declined)
        #expect(outcome.isReversalRequired)
        #expect(link.commands.last?[2] == 0x00)
    }

    @Test func aCancelledTaskEndsTheTransaction() async throws {
        let clock = ManualClock()
        let session = session(Self.link(), Terminal(host: nil), clock: clock)
        let kernel = try kernel()
        let running = Task { try await session.run(kernel) }
        while clock.nextDeadline?.offset != .seconds(60) { await Task.yield() }
        running.cancel()
        let outcome = try await running.value
        #expect(termination(outcome) == .cancelled)
        #expect(outcome.isReversalRequired)
    }

    /// A CVM list whose only rule is a PIN in clear for the card (Book 3, annex C3).
    @Test func thePINGoesToTheCard() async throws {
        let link = Self.link(profile: "1000", records: "8E0A 00000000 00000000 0100")
        let terminal = Terminal(
            pin: .digits(SecretOctets([1, 2, 3, 4])), host: try Self.approval())
        let outcome = try await session(link, terminal).run(try kernel())
        #expect(outcome.disposition == .approved)
        #expect(link.commands.contains(hex("00200080 08 241234FFFFFFFFFF")))
    }

    @Test(arguments: [PINEntry.digits(SecretOctets([1, 2, 3])), .cancelled, .enciphered])
    func invalidPINsCancelTheTransaction(pin: PINEntry) async throws {
        let link = Self.link(profile: "1000", records: "8E0A 00000000 00000000 0100")
        let outcome = try await session(link, Terminal(pin: pin)).run(try kernel())
        #expect(termination(outcome) == .cancelled)
        #expect(!link.commands.contains { $0[1] == 0x20 })
    }
}
