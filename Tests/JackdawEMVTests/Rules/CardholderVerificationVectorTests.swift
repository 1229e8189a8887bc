import Foundation
import JackdawBytes
import JackdawTestSupport
import Testing

@testable import JackdawEMV

/// Cardholder verification of EMV Book 3, 10.5, against vectors of a rule model.
@Suite struct CardholderVerificationVectorTests {
    struct Input: Decodable, Sendable {
        struct PIN: Decodable, Sendable {
            let pad: String
            let try_counter: Int?
            let verify: [String]
            let online: String
        }
        let aip: String
        let terminal_capabilities: String
        let transaction_type: String
        let attended: Bool
        let amount: UInt64
        let txn_currency: String
        let app_currency: String?
        let pin: PIN
        let cvm_list: String?
    }
    struct Output: Decodable, Sendable {
        let signature_line: Bool
        let online_pin_block: Bool
        let terminate: Bool
        let cvm_results: String?
        let tvr: String
        let tsi_bit_cvm: Bool
        let steps: [String]
    }

    @Test(arguments: [VectorFile.copied("cvm_evaluation"), .handWorked("cvm_evaluation")])
    func rowsHaveTheirResults(_ file: VectorFile) throws {
        try file.run(as: VectorRow<Input, Output>.self) { row in
            // All rows are of cards that support cardholder verification: AIP octet 1, bit 5.
            #expect(
                ApplicationInterchangeProfile(hex(row.input.aip))?.contains(.cardholderVerificationSupported) == true)
            guard let report = try evaluate(row.input) else {
                #expect(row.output.terminate, "\(row.id)")
                return
            }
            #expect((report.termination != nil) == row.output.terminate, "\(row.id)")
            #expect(report.results?.octets == row.output.cvm_results.map { hex($0) }, "\(row.id)")
            #expect(report.tvr.octets == hex(row.output.tvr), "\(row.id)")
            #expect(report.isPerformed == row.output.tsi_bit_cvm, "\(row.id)")
            #expect(report.isSignatureRequired == row.output.signature_line, "\(row.id)")
            #expect(report.isOnlinePINCaptured == row.output.online_pin_block, "\(row.id)")
            #expect(report.events.compactMap(name) == row.output.steps, "\(row.id)")
        }
    }

    @Test func anAnswerThatDoesNotFitReturnsTheRequest() throws {
        let list = try CardholderVerificationList(hex("00000000000000000100").span)
        let situation = CardholderVerification.Situation(
            capabilities: .plaintextPINOffline, type: .purchase, isAttended: true, amount: 0, otherAmount: 0,
            isInApplicationCurrency: false)
        var verification = CardholderVerification(list, situation)
        #expect(verification.start() == .request(.tryCounter))
        #expect(verification.receive(.entered) == .request(.tryCounter))
        let asked = CardholderVerification.Step.request(.offlinePIN(isEnciphered: false, triesLeft: 2))
        #expect(verification.receive(.tryCounter(2)) == asked)
        #expect(verification.receive(.entered) == asked)
        guard case .finished(let report) = verification.receive(.pinCompared(.success)) else {
            Issue.record("not finished")
            return
        }
        #expect(report.results?.octets == hex("010002"))
        #expect(verification.receive(.bypassed) == .finished(report))
    }

    /// Conditions 01, 02, 04 and 05: unattended cash, neither cash nor cashback, manual cash, cashback. Types 01 and 17
    /// are cash, and never cashback (Book 3, 10.5).
    @Test(
        arguments: [
            (0x01, false, 0, 0x01), (0x17, false, 0, 0x01), (0x01, true, 0, 0x04), (0x17, true, 0, 0x04),
            (0x17, true, 500, 0x04), (0x17, false, 500, 0x01), (0x00, true, 500, 0x05), (0x00, false, 0, 0x02),
        ] as [(UInt8, Bool, UInt64, UInt8)])
    func bothKindsOfCashHaveTheirConditions(
        _ type: UInt8, _ isAttended: Bool, _ otherAmount: UInt64, _ condition: UInt8
    ) throws {
        let list = try CardholderVerificationList(hex("0000000000000000" + "1F01" + "1F02" + "1F04" + "1F05").span)
        var verification = CardholderVerification(
            list,
            CardholderVerification.Situation(
                capabilities: .noCVM, type: TransactionType(rawValue: type), isAttended: isAttended, amount: 1000,
                otherAmount: otherAmount, isInApplicationCurrency: true))
        guard case .finished(let report) = verification.start() else {
            Issue.record("not finished")
            return
        }
        #expect(report.results?.octets == [0x1F, condition, 0x02])
    }

    /// Runs the machine with the row's PIN pad and card; nil if the list has an invalid form, which terminates. A
    /// script of status words that is used up counts as a bypassed entry.
    private func evaluate(_ input: Input) throws -> CardholderVerificationReport? {
        let list: CardholderVerificationList?
        do {
            list = try input.cvm_list.map { text throws(DataObjectError) in
                try CardholderVerificationList(hex(text).span)
            }
        } catch {
            return nil
        }
        let situation = try CardholderVerification.Situation(
            capabilities: #require(TerminalCapabilities(hex(input.terminal_capabilities))),
            type: TransactionType(rawValue: hex(input.transaction_type)[0]), isAttended: input.attended,
            amount: input.amount, otherAmount: 0, isInApplicationCurrency: input.app_currency == input.txn_currency,
            isPINPadWorking: input.pin.pad == "ok")
        var verification = CardholderVerification(list, situation)
        var words = input.pin.verify[...]
        var step = verification.start()
        while case .request(let request) = step {
            switch request {
            case .tryCounter: step = verification.receive(.tryCounter(input.pin.try_counter))
            case .onlinePIN: step = verification.receive(input.pin.online == "entered" ? .entered : .bypassed)
            case .offlinePIN:
                let word = words.popFirst() ?? "bypass"
                let status = UInt16(word, radix: 16).map { StatusWord(rawValue: $0) }
                step = verification.receive(status.map { .pinCompared($0) } ?? .bypassed)
            }
        }
        guard case .finished(let report) = step else { return nil }
        return report
    }

    private func name(_ event: CardholderVerificationReport.Event) -> String? {
        let code = event.rule.method.code.hexadecimal
        return switch event.decision {
        case .conditionNotSatisfied: nil
        case .unrecognised: "unrecognised_\(code)"
        case .notSupported: "unsupported_\(code)"
        case .failCVM: "fail_cvm"
        case .pinTryCounterZero: "pin_try_counter_zero"
        case .pinTryCounterNotDecreasing: "pin_try_counter_not_decreasing"
        case .pinCompared(let status): "verify_\(status)"
        case .pinNotEnciphered: "pin_not_enciphered"
        case .pinBypassed: "pin_bypassed"
        case .pinPadMalfunction: "pin_pad_malfunction"
        case .onlinePIN: "online_pin"
        case .signature: "signature"
        case .noCVM: "no_cvm"
        }
    }
}
