import JackdawTestSupport
import Testing

@testable import JackdawEMV

/// Card data that kernels must not show, and cards that answer anything.
@Suite struct KernelSecurityTests {
    private static let number = "9999990000000014"

    private func kernel(
        _ change: (inout KernelConfiguration) -> Void = { _ in }
    ) throws -> ContactKernel<PlainPrimitives> {
        var configuration = try KernelConfiguration.test()
        change(&configuration)
        var application = DataObjectStore()
        application[0x84] = hex("A0000009990101")
        return try ContactKernel(configuration, .test(), application: application, PlainPrimitives())
    }

    /// The CDOLs ask for the number of the card, and the cardholder enters a PIN.
    private var card: VirtualCard {
        var card = VirtualCard()
        var builder = TagLengthValueBuilder()
        builder.append(0x70) { record in
            record.append(0x5A, hex(Self.number))
            record.append(0x57, hex(Self.number + "D49122010000000000"))
            record.append(0x5F24, hex("491231"))
            record.append(0x8C, hex("5A0857119F3704"))
            record.append(0x8D, hex("8A025A08"))
            record.append(0x8E, hex("00000000000000000100"))
        }
        card.records = [builder.octets]
        card.authenticatedCount = 1
        card.profile = hex("7C00")
        card.cryptograms = [VirtualCard.cryptogram(0x80), VirtualCard.cryptogram(0x40)]
        return card
    }

    @Test func printedFormsHaveNoNumberAndNoPIN() throws {
        var run = KernelRun(
            try kernel {
                $0.approved = [ApprovedTransaction(account: SecretOctets(hex(Self.number)), amount: 1)]
                $0.exceptionFile = [SecretOctets(hex(Self.number))]
            }, card)
        run.pins = [.pin(SecretOctets([7, 3, 9, 1]))]
        let code = try #require(AuthorisationResponseCode(hex("3030")))
        run.host = .answered(HostResponse(isApproved: true, responseCode: code, scripts: hex("71048602DEAD")))
        var printed = ""
        dump(run.kernel, to: &printed)
        var actions = run.kernel.start()[...]
        while let action = actions.popFirst() {
            printed += "\(action)"
            if case .step(let step) = action {
                #expect(!step.text.isEmpty)
                printed += step.text
            }
            dump(action, to: &printed)
            dump(run.kernel, to: &printed)
            guard case .effect(let effect) = action else { continue }
            let answer: KernelAnswer =
                switch effect.task {
                case .random(let count): .random([UInt8](repeating: 0x5A, count: count))
                case .transmit(let command): .response(try run.card.answer(command))
                case .enterPIN: run.pins.removeFirst()
                case .authorise: .host(run.host)
                }
            printed += "\(answer)"
            actions += run.kernel.receive(answer, to: effect.identifier)
            dump(run.kernel, to: &printed)
        }
        let verify = try #require(run.card.commands.first { $0[1] == 0x20 })
        #expect(verify.suffix(8) == hex("247391FFFFFFFFFF"))
        #expect(run.card.commands.contains { $0[1] == 0xAE && $0.count > 8 })
        for text in [printed, printed.filter { $0.isNumber || $0.isLetter }] {
            #expect(!text.contains(Self.number))
            #expect(!text.uppercased().contains("247391"))
            #expect(!text.contains("7391"))
        }
        // `dump` shows octets one by one, in decimal: 153 is 99.
        let numbers = printed.split { !$0.isNumber }.map { String($0) }
        let sequence = hex(Self.number).map { "\($0)" }
        let found = numbers.indices.contains { numbers[$0...].starts(with: sequence.prefix(4)) }
        #expect(!found)
    }

    /// A signature is its own text; the place of the last block is kept.
    private final class WatchingPrimitives: AuthenticationPrimitives, @unchecked Sendable {
        private(set) var address: UInt = 0

        func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? {
            address = unsafe block.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            #expect(block.starts(with: [0x7F, 0x24, 0x73, 0x91, 0xFF]))
            return [UInt8](repeating: 0xAA, count: block.count)
        }

        func sha1(_ bytes: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 20) }
    }

    /// The block with the PIN (Book 2, 7.2) is overwritten once it is enciphered, and the command has its own memory.
    @Test func theBlockOfAnEncipheredPINIsOverwritten() throws {
        let primitives = WatchingPrimitives()
        var kernel = try ContactKernel(.test(), .test(), application: DataObjectStore(), primitives)
        let key = RSAPublicKey(modulus: [UInt8](repeating: 1, count: 128), exponent: [3])
        let padding = [UInt8](repeating: 0x5A, count: 111)
        try kernel.encipher(SecretOctets(hex("247391FFFFFFFFFF")), hex("0102030405060708"), padding, key)
        let memory = try processMemory(at: primitives.address, count: 128)
        #expect(!memory.starts(with: [0x7F, 0x24, 0x73, 0x91]))
        let isLeft = memory.indices.contains { memory[$0...].starts(with: [0x24, 0x73, 0x91, 0xFF]) }
        #expect(!isLeft)
    }

    @Test func theCommandOfAPINHasNoCopyOfIt() throws {
        let pin = SecretOctets(hex("247391FFFFFFFFFF"))
        let command = try CardCommand.verify(pin, isEnciphered: false)
        let places = [pin, command.data].map { data in
            data.withOctets { octets in
                unsafe octets.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            }
        }
        #expect(places[0] == places[1])
    }

    /// Answers that are cut, changed or random end every transaction, after a bounded number of commands.
    @Test(arguments: 0..<400)
    func hostileAnswersEndTheTransaction(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var kernel = try kernel { $0.limits.targetPercentage = 50 }
        var card = self.card
        card.values = [0x9F17: [3], 0x9F36: [0, 9], 0x9F13: [0, 1]]
        var actions = kernel.start()[...]
        var count = 0
        var outcome: KernelOutcome?
        while let action = actions.popFirst() {
            switch action {
            case .step: break
            case .finished(let end):
                #expect(outcome == nil)
                outcome = end
            case .effect(let effect):
                count += 1
                try #require(count < 500)
                let answer = try hostile(effect.task, &card, &random)
                actions += kernel.receive(answer, to: effect.identifier)
                // An invalid answer leaves the effect open; a lost card ends it.
                if case .step(.ignored)? = actions.last {
                    actions += kernel.receive(.cardLost, to: effect.identifier)
                    if case .step(.ignored)? = actions.last { return }
                }
            }
        }
        #expect(outcome != nil)
    }

    private func hostile(
        _ task: KernelEffect.Task, _ card: inout VirtualCard, _ random: inout SeededRandom
    ) throws -> KernelAnswer {
        switch task {
        case .random(let count): return .random((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        case .enterPIN: return Bool.random(using: &random) ? .pin(SecretOctets([1, 2, 3, 4])) : .pinBypassed
        case .authorise:
            let code = try #require(AuthorisationResponseCode(hex("3030")))
            let scripts = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
            let response = HostResponse(
                isApproved: true, responseCode: code, authenticationData: [1, 2], scripts: hex("711B8609") + scripts)
            return .host(.answered(response))
        case .transmit(let command):
            var octets = try card.answer(command).octets
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                let count = Int.random(in: 2...40, using: &random)
                octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            case 1: octets.removeFirst(min(octets.count - 2, Int.random(in: 0...8, using: &random)))
            case 2 where octets.count > 2:
                let place = Int.random(in: 0..<octets.count - 2, using: &random)
                octets[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            default: break
            }
            return .response(try CardResponse(octets.span))
        }
    }
}
