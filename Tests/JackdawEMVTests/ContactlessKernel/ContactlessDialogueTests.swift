import JackdawEMV
import JackdawTestSupport
import Testing

/// The three contactless dialogues of MohamedHassanNasr/emv with its printed outcomes. Its settings are copied from the
/// configurations that the rows name.
@Suite(.enabled(if: ThirdPartyVectors.has("contactless_outcomes"), Comment(rawValue: ThirdPartyVectors.comment)))
struct ContactlessDialogueTests {
    private struct Input: Decodable, Sendable {
        let name: String
        let transaction: String
        let random: String
        let date: String
    }

    private struct Output: Decodable, Sendable {
        let outcome: String
        let cvm: String
        let receipt: String
        let alternate_interface: String
    }

    private typealias Row = VectorRow<Input, Output>

    @Test(arguments: ["mock-msc-offline", "mock-msc-online", "mock-visa-offline"])
    func theDialogueHasItsOutcome(name: String) throws {
        let rows = try ThirdPartyVectors.rows("contactless_outcomes", as: Row.self)
        let row = try #require(rows.first { $0.input.name == name })
        var card = ScriptedCard(row.id, try #require(row.exchanges))
        let (candidate, objects) = try select(&card)
        let (configuration, profile) = try reader(name)
        var run = try ContactlessRun(
            ContactlessKernel(
                configuration, profile, try transaction(row.input), kernel: candidate.kernel, application: objects,
                PlainPrimitives()))
        let outcome = try run.finish(random: hex(row.input.random)) { try card.send($0) }
        #expect(card.isDone)
        #expect(outcome.disposition.printed == row.output.outcome)
        #expect(outcome.verification?.printed == row.output.cvm)
        #expect(outcome.isReceiptRequired == (row.output.receipt == "Yes"))
        #expect((outcome.alternativeInterface == nil) == (row.output.alternate_interface == "N/A"))
        #expect(outcome.reason == nil)
        #expect(run.authentications.allSatisfy { $0.failure == nil })
        #expect(outcome.dataRecord?.contains(0x9F26) == true)
        #expect((outcome.online != nil) == (outcome.disposition == .onlineRequest))
    }

    /// Selects the application of the dialogue from its directory.
    private func select(_ card: inout ScriptedCard) throws -> (ApplicationCandidate, DataObjectStore) {
        let applications = try ["A0000000041010", "A0000000031010"].map {
            try SupportedApplication(hex($0), allowsPartialName: true)
        }
        var selection = ApplicationSelection(applications, on: .contactless)
        var step = selection.start()
        while true {
            switch step {
            case .send(let command, let identifier):
                step = selection.receive(try #require(try card.send(command)), to: identifier)
            case .choose(_, let identifier): step = selection.choose(0, to: identifier)
            case .selected(let candidate, let objects): return (candidate, objects)
            case .failed(let failure): throw failure
            case .ignored: throw ApplicationSelection.Failure.notAccepted
            }
        }
    }

    private func transaction(_ input: Input) throws -> KernelTransaction {
        var objects = DataObjectStore()
        try objects.add(hex(input.transaction).span)
        let amount = try #require(objects[0x9F02]).reduce(0) { 100 * $0 + UInt64($1 >> 4) * 10 + UInt64($1 & 0x0F) }
        let type = TransactionType(rawValue: try #require(objects[0x9C]?.first))
        let date = CardDate(hex(input.date).span)
        return KernelTransaction(
            amount: amount, currency: try #require(objects[0x5F2A]), type: type, date: try #require(date))
    }

    /// The settings of the configurations, for the application and a purchase.
    private func reader(_ name: String) throws -> (KernelConfiguration, ContactlessProfile) {
        var profile = ContactlessProfile()
        guard name != "mock-visa-offline" else {
            var configuration = KernelConfiguration(
                type: TerminalType(rawValue: 0x21), capabilities: try #require(TerminalCapabilities(hex("A048C8"))),
                additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("6000C03000"))),
                country: hex("0840"), applicationVersion: hex("0002"))
            configuration.keys = AuthenticationKeys([SchemeKeys.visa92])
            profile.limits.qualifiers = TerminalTransactionQualifiers(hex("24004000"))
            profile.limits.transactionLimit = 20_000
            profile.limits.contactlessFloorLimit = 8000
            profile.limits.verificationLimit = 8000
            return (configuration, profile)
        }
        // The kernel of the dialogue has magnetic stripe mode, and a log of torn transactions without room.
        profile.refused = []
        profile.mastercard.skipsMagneticStripeRecord = true
        profile.mastercard.allowsOnDeviceVerification = true
        profile.mastercard.requiredMethods = [.encipheredPINOnline, .signature]
        profile.mastercard.ordinaryMethods = .noCVM
        let isOffline = name == "mock-msc-offline"
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: isOffline ? 0x26 : 0x22), capabilities: .cda,
            additionalCapabilities: try #require(
                AdditionalTerminalCapabilities(hex(isOffline ? "6000F00001" : "0000000000"))),
            country: hex("0056"), applicationVersion: hex("0002"))
        if isOffline {
            profile.mastercard.floorLimit = 900_000
            profile.mastercard.transactionLimit = 900_000
            profile.mastercard.verificationLimit = 900_000
            configuration.keys = AuthenticationKeys([SchemeKeys.mastercardF3])
            configuration.actionCodes = ActionCodes(
                denial: try #require(TerminalVerificationResults(hex("DC50000000"))), online: [],
                default: try #require(TerminalVerificationResults(hex("0400800000"))))
        } else {
            profile.mastercard.floorLimit = 10_000
            profile.mastercard.transactionLimit = 30_000
            profile.mastercard.verificationLimit = 1000
            // That kernel sends the method of the CVM Results without bit 7: 02 instead of 42.
            profile.mastercard.sendsMethodAlone = true
            configuration.keys = AuthenticationKeys([SchemeKeys.mastercardFA])
            // It asks for an ARQC whenever the card has a code for online (its step TAA 12); no code has a bit of the
            // TVR. Here, the acquirer's code has the bit "online CVM captured".
            configuration.actionCodes.online = .onlineCVMCaptured
        }
        return (configuration, profile)
    }
}

extension ApplicationSelection.Failure: Error {}

extension ContactlessOutcome.Disposition {
    /// The outcome, as MohamedHassanNasr/emv prints it.
    fileprivate var printed: String {
        switch self {
        case .approved: "Approved"
        case .declined: "Declined"
        case .onlineRequest: "Online Request"
        case .tryAnotherInterface: "Try Another Interface"
        case .selectNext: "Select Next"
        case .endApplication: "End Application"
        case .tryAgain: "Try Again"
        }
    }
}

extension ContactlessOutcome.Verification {
    /// The verification, as MohamedHassanNasr/emv prints it.
    fileprivate var printed: String {
        switch self {
        case .notRequired: "NO CVM"
        case .signature: "Signature"
        case .onlinePIN: "Online PIN"
        case .onDevice: "Confirm Code Verified"
        }
    }
}
