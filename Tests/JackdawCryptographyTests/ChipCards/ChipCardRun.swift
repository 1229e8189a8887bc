import Foundation
import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The cards of the folder `cards`.
enum ChipCardFile: String, CaseIterable {
    case visa = "visa-dda"
    case mChip = "m-chip-cda"

    /// The text of the file.
    var text: String {
        get throws {
            let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
            return try String(contentsOfFile: "\(root)/cards/\(rawValue).json", encoding: .utf8)
        }
    }

    /// The card, with changes of its text.
    func card(
        _ changes: [String: String] = [:], allowsOwnKeys: Bool = false, mode: CardMode = .test
    ) throws -> VirtualCard {
        var text = try text
        for (old, new) in changes {
            #expect(text.contains(old), "\(old)")
            text = text.replacingOccurrences(of: old, with: new)
        }
        return try VirtualCard(json: Array(text.utf8), LibCryptoPrimitives(mode: mode), allowsOwnKeys: allowsOwnKeys)
    }

    /// The PIN of the card.
    var pin: [UInt8] { self == .visa ? [1, 2, 3, 4] : [4, 3, 1, 5] }

    var name: [UInt8] { hex(self == .visa ? "A0000000031010" : "A0000000041010") }

    /// The key of the card's certification authority.
    var authority: CertificationAuthorityKey {
        get throws {
            let file = try #require(try JSONSerialization.jsonObject(with: Data(try text.utf8)) as? [String: Any])
            let application = try #require((file["applications"] as? [[String: Any]])?.first)
            let rsa = try #require(application["rsa"] as? [String: Any])
            let authority = try #require(rsa["authority"] as? [String: String])
            return CertificationAuthorityKey(
                provider: Array(name.prefix(5)), index: hex(try #require(rsa["index"] as? String))[0],
                key: RSAPublicKey(modulus: hex(authority["modulus"] ?? ""), exponent: hex(authority["exponent"] ?? "")))
        }
    }
}

/// A whole transaction of the project's contact kernel with a virtual card.
struct ChipCardRun {
    var card: VirtualCard
    let file: ChipCardFile
    /// The amount in minor units of EUR.
    var amount: UInt64 = 1000
    /// The answers to requests for a PIN. Afterwards, the entry is bypassed.
    var pins: [[UInt8]]
    /// The issuer's answer, or the last one of ``issuer``.
    var host = HostAnswer.unreachable
    /// The issuer that is asked; nil if ``host`` answers.
    var issuer: SimulatedIssuer?
    private(set) var steps: [KernelStep] = []
    /// The cryptogram that the issuer was asked about last.
    private(set) var requestedCryptogram: [UInt8]?
    /// The answers of the card to GENERATE AC, EXTERNAL AUTHENTICATE and scripts: instruction and status word.
    private(set) var answers: [(instruction: UInt8, status: UInt16)] = []

    init(_ file: ChipCardFile, _ card: VirtualCard, amount: UInt64 = 1000) {
        self.file = file
        self.card = card
        self.amount = amount
        pins = [file.pin]
    }

    /// Selects the application and runs the kernel to its outcome.
    mutating func finish() throws -> KernelOutcome {
        _ = card.powerOn()
        var kernel = try ContactKernel(
            try configuration(), try transaction(), application: try select(), LibCryptoPrimitives(mode: .test))
        var actions = kernel.start()[...]
        while let action = actions.popFirst() {
            switch action {
            case .step(let step): steps.append(step)
            case .finished(let outcome): return outcome
            case .effect(let effect):
                actions += kernel.receive(try answer(effect.task), to: effect.identifier)
            }
        }
        throw RunError()
    }

    private struct RunError: Error {}

    /// Selects the application by the card's directory.
    private mutating func select() throws -> DataObjectStore {
        let supported = [
            try SupportedApplication(hex("A000000003"), allowsPartialName: true),
            try SupportedApplication(hex("A000000004"), allowsPartialName: true),
        ]
        var selection = ApplicationSelection(supported, on: .contact)
        var step = selection.start()
        while true {
            switch step {
            case .send(let command, let identifier): step = selection.receive(try transmit(command), to: identifier)
            case .choose(_, let identifier): step = selection.choose(0, to: identifier)
            case .selected(let application, let objects):
                #expect(application.name == file.name)
                return objects
            case .failed, .ignored: throw RunError()
            }
        }
    }

    /// Sends a command, over T=0 with GET RESPONSE.
    mutating func transmit(_ command: CardCommand) throws -> CardResponse {
        var exchange = CardExchange(command)
        var next: CardCommand? = command
        while let sent = next {
            let octets = sent.octets
            next = exchange.receive(card.receive(octets.span))
        }
        answers.append((command.instruction, exchange.response.status.rawValue))
        return exchange.response
    }

    private mutating func answer(_ task: KernelEffect.Task) throws -> KernelAnswer {
        switch task {
        case .random(let count): return .random([UInt8](repeating: 0x5A, count: count))
        case .transmit(let command): return .response(try transmit(command))
        case .enterPIN: return pins.isEmpty ? .pinBypassed : .pin(SecretOctets(pins.removeFirst()))
        case .authorise(let request):
            requestedCryptogram = request.objects[0x9F26]
            let message = IssuerRequest(reference: "1", .authorisation(request.objects))
            if case .replies(.decision(let decision), _)? = issuer?.receive(message, at: .zero) {
                host = .answered(decision.response)
            }
            return .host(host)
        }
    }

    /// The status words of an instruction's answers.
    func statuses(of instruction: UInt8) -> [UInt16] {
        answers.filter { $0.instruction == instruction }.map(\.status)
    }

    /// The reports of offline data authentication.
    var authentication: [AuthenticationReport] {
        steps.compactMap { if case .offlineAuthentication(let report) = $0 { report } else { nil } }
    }

    private func configuration() throws -> KernelConfiguration {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
            additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
            country: hex("0528"), applicationVersion: hex(file == .visa ? "0096" : "0002"))
        configuration.limits = RiskLimits(floorLimit: 10_000)
        configuration.keys = AuthenticationKeys([try file.authority])
        return configuration
    }

    private func transaction() throws -> KernelTransaction {
        KernelTransaction(
            amount: amount, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 1, day: 15)))
    }
}

/// The answer of an issuer.
func issuer(
    approves isApproved: Bool = true, _ authenticationData: String? = nil, scripts: String = ""
) throws -> HostAnswer {
    .answered(
        HostResponse(
            isApproved: isApproved,
            responseCode: try #require(AuthorisationResponseCode(hex(isApproved ? "3030" : "3035"))),
            authenticationData: authenticationData.map { hex($0) }, scripts: hex(scripts)))
}
