import ArgumentParser
import Foundation
import JackdawCryptography
import JackdawEMV
import JackdawSimulator

/// How fast the contact kernel runs a whole transaction with a virtual card that has no RSA keys.
struct Transaction: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Times a contact transaction with a virtual card, on one core.",
        discussion: """
            Kernel and card run an online purchase: selection, records, two cryptograms and the check of the issuer's \
            answer. What the card computes must equal --expected, which corpus/card_cryptograms.py prints.
            """)

    @Argument(help: "The file of a Visa-style card. It is used without its RSA keys and its PIN.") var card: String
    @Option(help: "The request cryptogram, the issuer's authentication data and the last cryptogram, in hexadecimal.")
    var expected: String
    @Option(help: "Pairs of cryptograms a second of another program, to print the ratio of times.") var peer: Double?
    @Option(help: "Runs, of which the median counts.") var runs = 5
    @Option(help: "Transactions a run.") var transactions = 2_000

    func run() throws {
        let expected = try expected.split(separator: ",").map { try octets(String($0)) }
        guard expected.count == 3 else { throw ValidationError("--expected needs three values, with commas between") }
        let purchase = try Purchase(card: URL(fileURLWithPath: card), issuerData: expected[1])
        let (request, last) = try purchase.finish()
        guard request == expected[0], last == expected[2] else {
            throw CorpusError(description: "the cryptograms differ from the expected ones")
        }
        let rates = try (0..<runs).map { _ in
            let seconds = try processorSeconds {
                for _ in 0..<transactions {
                    guard try purchase.finish().last == last else {
                        throw CorpusError(description: "a transaction ended with another cryptogram")
                    }
                }
            }
            return Double(transactions) / seconds
        }
        let rate = rates.sorted()[runs / 2]
        let ratio = peer.map { ", \(($0 / rate).formatted(decimals: 2)) times that of the two cryptograms" } ?? ""
        print("\((1e6 / rate).formatted(decimals: 0)) microseconds a transaction\(ratio)")
    }

    private func octets(_ text: String) throws -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else {
            throw ValidationError("--expected is not hexadecimal")
        }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

/// An online purchase of 60.00 EUR with equal answers of card, issuer and random source each time.
private struct Purchase {
    let card: VirtualCard
    let configuration: KernelConfiguration
    let transaction: KernelTransaction
    let supported: SupportedApplication
    let host: HostAnswer
    let cryptography = LibCryptoPrimitives(mode: .test)

    init(card file: URL, issuerData: [UInt8]) throws {
        card = try VirtualCard(json: Self.withoutRSA(try Data(contentsOf: file)), LibCryptoPrimitives(mode: .test))
        guard let capabilities = TerminalCapabilities([0xE0, 0xF8, 0xC8]),
            let additional = AdditionalTerminalCapabilities([0xF0, 0x00, 0xF0, 0xF0, 0x01]),
            let date = CardDate(year: 2026, month: 1, day: 15),
            let approved = AuthorisationResponseCode(Array("00".utf8))
        else { throw CorpusError(description: "a constant of the terminal is not valid") }
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: capabilities, additionalCapabilities: additional,
            country: [0x05, 0x28], applicationVersion: [0x00, 0x96])
        configuration.limits = RiskLimits(floorLimit: 10_000)
        self.configuration = configuration
        transaction = KernelTransaction(amount: 6_000, currency: [0x09, 0x78], type: .purchase, date: date)
        supported = try SupportedApplication([0xA0, 0x00, 0x00, 0x00, 0x03], allowsPartialName: true)
        host = .answered(HostResponse(isApproved: true, responseCode: approved, authenticationData: issuerData))
    }

    /// The card's file without keys, certificates and PIN, so that only its symmetric cryptograms remain.
    private static func withoutRSA(_ file: Data) throws -> [UInt8] {
        guard var card = try JSONSerialization.jsonObject(with: file) as? [String: Any],
            var application = (card["applications"] as? [[String: Any]])?.first,
            var records = application["records"] as? [[String: Any]]
        else { throw CorpusError(description: "the file is not a card") }
        records.removeAll { $0["file"] as? Int == 3 }
        for index in records.indices {
            records[index]["signed"] = nil
            guard var objects = records[index]["objects"] as? [String: Any] else { continue }
            if objects["8E"] != nil { objects["8E"] = "00000000000000001F00" }
            records[index]["objects"] = objects
        }
        application["records"] = records
        application["rsa"] = nil
        application["profile"] = "1C00"
        card["pin"] = nil
        card["applications"] = [application]
        return Array(try JSONSerialization.data(withJSONObject: card))
    }

    /// Runs the transaction with a fresh copy of the card.
    /// - Returns: the cryptogram for the issuer, and the last one.
    func finish() throws -> (request: [UInt8], last: [UInt8]) {
        var card = card
        _ = card.powerOn()
        var kernel = try ContactKernel(
            configuration, transaction, application: try select(&card), cryptography)
        var request: [UInt8] = []
        var actions = kernel.start()[...]
        while let action = actions.popFirst() {
            switch action {
            case .step: break
            case .finished(let outcome): return (request, outcome.objects[0x9F26] ?? [])
            case .effect(let effect):
                let answer: KernelAnswer
                switch effect.task {
                case .random(let count): answer = .random([UInt8](repeating: 0x5A, count: count))
                case .transmit(let command): answer = .response(Self.transmit(command, to: &card))
                case .enterPIN: answer = .pinBypassed
                case .authorise(let authorisation):
                    request = authorisation.objects[0x9F26] ?? []
                    answer = .host(host)
                }
                actions += kernel.receive(answer, to: effect.identifier)
            }
        }
        throw CorpusError(description: "the kernel ended without an outcome")
    }

    private func select(_ card: inout VirtualCard) throws -> DataObjectStore {
        var selection = ApplicationSelection([supported], on: .contact)
        var step = selection.start()
        while true {
            switch step {
            case .send(let command, let identifier):
                step = selection.receive(Self.transmit(command, to: &card), to: identifier)
            case .choose(_, let identifier): step = selection.choose(0, to: identifier)
            case .selected(_, let objects): return objects
            case .failed, .ignored: throw CorpusError(description: "no application of the card was selected")
            }
        }
    }

    private static func transmit(_ command: CardCommand, to card: inout VirtualCard) -> CardResponse {
        var exchange = CardExchange(command)
        var next: CardCommand? = command
        while let sent = next {
            let octets = sent.octets
            next = exchange.receive(card.receive(octets.span))
        }
        return exchange.response
    }
}
