import JackdawEMV
import JackdawTestSupport
import Testing

/// A card that answers commands from lists, and remembers the commands.
struct VirtualCard {
    /// The AIP, two octets.
    var profile = hex("1800")
    /// The records of file 1, from record 1 on.
    var records: [[UInt8]] = []
    /// The number of records that take part in the authentication.
    var authenticatedCount = 0
    /// The data of the answer to INTERNAL AUTHENTICATE.
    var signature: [UInt8]?
    /// The answers to GENERATE AC with their status words, in their order. Afterwards, the card answers an AAC.
    var cryptograms: [[UInt8]] = []
    /// The values that GET DATA returns.
    var values: [UInt16: [UInt8]] = [:]
    /// The status words of VERIFY, EXTERNAL AUTHENTICATE and all other commands, in their order. Afterwards, 9000.
    var words: [UInt16] = []
    /// The answer to GET CHALLENGE.
    var challenge = hex("0102030405060708")
    /// The answers that replace the card's own: by the number of the command, from 0.
    var replaced: [Int: [UInt8]] = [:]
    /// The commands that were sent.
    private(set) var commands: [[UInt8]] = []

    /// An application that every transaction accepts, with a CVM list and further objects of a record.
    static func plain(_ more: String = "", cvmList: String = "00000000000000001F00") -> VirtualCard {
        var card = VirtualCard()
        var builder = TagLengthValueBuilder()
        builder.append(0x70) { record in
            record.append(0x5A, hex("9999990000000014"))
            record.append(0x5F24, hex("491231"))
            record.append(0x8C, hex("9F02069F37049505DF01029B02"))
            record.append(0x8D, hex("8A029F02069F37049505910A"))
            record.append(0x8E, hex(cvmList))
        }
        card.records = [builder.octets]
        if !more.isEmpty { card.records.append(TagLengthValueBuilder.encode(0x70, hex(more))) }
        return card
    }

    /// An answer to GENERATE AC in format 2.
    static func cryptogram(_ information: UInt8) -> [UInt8] {
        hex("77149F2701") + [information] + hex("9F360200019F26081122334455667788" + "9000")
    }

    mutating func answer(_ command: CardCommand) throws -> CardResponse {
        defer { commands.append(command.octets) }
        let answer = replaced[commands.count] ?? answer(command.instruction, command)
        return try CardResponse(answer.span)
    }

    private mutating func answer(_ instruction: UInt8, _ command: CardCommand) -> [UInt8] {
        switch instruction {
        case 0xA8:
            let locator: [UInt8] = [8, 1, UInt8(records.count), UInt8(authenticatedCount)]
            return [0x80, 6] + profile + locator + [0x90, 0x00]
        case 0xB2:
            let index = Int(command.parameter1) - 1
            return records.indices.contains(index) ? records[index] + [0x90, 0x00] : [0x6A, 0x83]
        case 0x88: return signature.map { $0 + [0x90, 0x00] } ?? [0x6D, 0x00]
        case 0xAE: return cryptograms.isEmpty ? Self.cryptogram(0x00) : cryptograms.removeFirst()
        case 0xCA:
            let tag = UInt16(command.parameter1) << 8 | UInt16(command.parameter2)
            guard let value = values[tag] else { return [0x6A, 0x88] }
            return [command.parameter1, command.parameter2, UInt8(value.count)] + value + [0x90, 0x00]
        case 0x84 where command.classOctet == 0: return challenge + [0x90, 0x00]
        default:
            let word = words.isEmpty ? 0x9000 : words.removeFirst()
            return [UInt8(word >> 8), UInt8(word & 0xFF)]
        }
    }
}

/// A whole transaction of a kernel with a virtual card.
struct KernelRun<Primitives: AuthenticationPrimitives> {
    var kernel: ContactKernel<Primitives>
    var card: VirtualCard
    /// The answers to requests for a PIN, in their order. Afterwards, the entry is bypassed.
    var pins: [KernelAnswer] = []
    var host = HostAnswer.unreachable
    var random: (Int) -> [UInt8] = { count in [UInt8](repeating: 0x5A, count: count) }
    private(set) var steps: [KernelStep] = []
    private(set) var effects: [KernelEffect] = []
    private(set) var outcome: KernelOutcome?

    init(_ kernel: ContactKernel<Primitives>, _ card: VirtualCard) {
        self.kernel = kernel
        self.card = card
    }

    /// Runs to the outcome.
    mutating func finish() throws -> KernelOutcome {
        var actions = kernel.start()[...]
        while let action = actions.popFirst() {
            switch action {
            case .step(let step): steps.append(step)
            case .finished(let outcome): self.outcome = outcome
            case .effect(let effect):
                effects.append(effect)
                actions += kernel.receive(try answer(effect.task), to: effect.identifier)
            }
        }
        return try #require(outcome)
    }

    private mutating func answer(_ task: KernelEffect.Task) throws -> KernelAnswer {
        switch task {
        case .random(let count): .random(random(count))
        case .transmit(let command): .response(try card.answer(command))
        case .enterPIN: pins.isEmpty ? .pinBypassed : pins.removeFirst()
        case .authorise: .host(host)
        }
    }
}

extension KernelOutcome {
    /// The reason of a transaction that was broken off; nil if it was not.
    var termination: KernelTermination? {
        guard case .terminated(let reason) = disposition else { return nil }
        return reason
    }
}

extension KernelConfiguration {
    /// An online-capable, attended terminal of a merchant with all functions and a floor limit of 100.00.
    static func test() throws -> KernelConfiguration {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
            additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
            country: hex("0528"), applicationVersion: hex("0096"))
        configuration.limits = RiskLimits(floorLimit: 10_000)
        return configuration
    }
}

extension KernelTransaction {
    /// A purchase of 10.00 EUR on 15 January 2026.
    static func test() throws -> KernelTransaction {
        KernelTransaction(
            amount: 1000, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 1, day: 15)))
    }
}
