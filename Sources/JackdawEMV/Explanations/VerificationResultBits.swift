/// The bits of a card's verification results (CVR), which issuer application data has.
///
/// Sources: CCD from EMV Book 3, annex C9.3. The schemes do not publish theirs: M/Chip 4 and Visa as
/// binaryfoo/emv-bertlv has them.
enum VerificationResultBits {
    typealias Detail = ExplainedObject.Detail

    private struct Bit {
        let octet: Int
        let number: Int
        let name: String
        let text: String

        init(_ octet: Int, _ number: Int, _ name: String, _ text: String) {
            self.octet = octet
            self.number = number
            self.name = name
            self.text = text
        }
    }

    /// The set bits and the counters of card verification results; none of formats whose bits are not known.
    static func details(_ data: IssuerApplicationData) -> [Detail] {
        let results = data.cardVerificationResults
        switch data.format {
        case .ccd:
            let tries = Detail("pin_tries", "PIN tries left: \(results[1] >> 4)", octet: 2)
            return details(results, ccd, [tries, scripts(results[3] >> 4)])
        case .mChip4, .mChipAdvance:
            let counter = Detail("script_counter", "Script counter: \(results[2] >> 4)", octet: 3)
            let tries = Detail("pin_tries", "PIN tries left: \(results[2] & 0x0F)", octet: 3)
            return details(results, mChip, [counter, tries])
        case .visa0, .visa1, .visa3, .unionPay: return details(results, visa, [scripts(results[3] >> 4)])
        case .visa2, .visa4: return []
        }
    }

    /// The counter that both Visa and CCD have in octet 4.
    private static func scripts(_ count: UInt8) -> Detail {
        Detail("script_commands", "Issuer script commands processed on last transaction: \(count)", octet: 4)
    }

    private static func details(_ results: [UInt8], _ bits: [Bit], _ counters: [Detail]) -> [Detail] {
        let set = bits.filter { $0.octet <= results.count && results[$0.octet - 1] >> UInt8($0.number - 1) & 1 != 0 }
        return set.map { Detail($0.name, $0.text, octet: $0.octet, bit: $0.number) } + counters
    }

    private static let visa = [
        Bit(2, 4, "issuer_authentication_failed", "Issuer authentication performed and failed"),
        Bit(2, 3, "offline_pin_performed", "Offline PIN verification performed"),
        Bit(2, 2, "offline_pin_failed", "Offline PIN verification failed"),
        Bit(2, 1, "unable_to_go_online", "Unable to go online"),
        Bit(3, 8, "last_online_not_completed", "Last online transaction not completed"),
        Bit(3, 7, "pin_try_limit_exceeded", "PIN try limit exceeded"),
        Bit(3, 6, "velocity_exceeded", "Velocity checking counters exceeded"),
        Bit(3, 5, "new_card", "New card"),
        Bit(
            3, 4, "last_issuer_authentication_failed",
            "Issuer authentication failed on last online transaction"),
        Bit(
            3, 3, "issuer_authentication_not_performed",
            "Issuer authentication not performed after online authorisation"),
        Bit(3, 2, "application_blocked", "Application blocked by card because PIN try limit exceeded"),
        Bit(3, 1, "last_sda_failed", "Offline static data authentication failed on last transaction"),
        Bit(4, 4, "script_failed", "Issuer script processing failed on last transaction"),
        Bit(4, 3, "last_dda_failed", "Offline dynamic data authentication failed on last transaction"),
        Bit(4, 2, "dda_performed", "Offline dynamic data authentication performed"),
        Bit(4, 1, "pin_not_received", "PIN verification command not received for a PIN-expecting card"),
    ]

    private static let mChip = [
        Bit(1, 3, "offline_pin_performed", "Offline PIN verification performed"),
        Bit(1, 2, "offline_enciphered_pin_performed", "Offline enciphered PIN verification performed"),
        Bit(1, 1, "offline_pin_successful", "Offline PIN verification successful"),
        Bit(2, 8, "dda_returned", "DDA returned"),
        Bit(2, 7, "cda_in_first_gac", "CDA returned in first GENERATE AC"),
        Bit(2, 6, "cda_in_second_gac", "CDA returned in second GENERATE AC"),
        Bit(2, 5, "issuer_authentication_performed", "Issuer authentication performed"),
        Bit(2, 4, "ciac_default_skipped", "CIAC-Default skipped on CAT3"),
        Bit(4, 7, "unable_to_go_online", "Unable to go online"),
        Bit(4, 6, "offline_pin_not_performed", "Offline PIN verification not performed"),
        Bit(4, 5, "offline_pin_failed", "Offline PIN verification failed"),
        Bit(4, 4, "pin_try_limit_exceeded", "PIN try limit exceeded"),
        Bit(4, 3, "international_transaction", "International transaction"),
        Bit(4, 2, "domestic_transaction", "Domestic transaction"),
        Bit(4, 1, "terminal_considers_pin_ok", "Terminal erroneously considers offline PIN OK"),
        Bit(5, 8, "lower_consecutive_limit_exceeded", "Lower consecutive offline limit exceeded"),
        Bit(5, 7, "upper_consecutive_limit_exceeded", "Upper consecutive offline limit exceeded"),
        Bit(5, 6, "lower_cumulative_limit_exceeded", "Lower cumulative offline limit exceeded"),
        Bit(5, 5, "upper_cumulative_limit_exceeded", "Upper cumulative offline limit exceeded"),
        Bit(5, 4, "go_online_next", "Go online on next transaction was set"),
        Bit(5, 3, "issuer_authentication_failed", "Issuer authentication failed"),
        Bit(5, 2, "script_received", "Script received"),
        Bit(5, 1, "script_failed", "Script failed"),
        Bit(6, 2, "check_table_match", "Match found in additional check table"),
        Bit(6, 1, "check_table_no_match", "No match found in additional check table"),
    ]

    private static let ccd = [
        Bit(1, 4, "cda_performed", "CDA performed"),
        Bit(1, 3, "dda_performed", "Offline DDA performed"),
        Bit(1, 2, "issuer_authentication_not_performed", "Issuer authentication not performed"),
        Bit(1, 1, "issuer_authentication_failed", "Issuer authentication failed"),
        Bit(2, 4, "offline_pin_performed", "Offline PIN verification performed"),
        Bit(2, 3, "offline_pin_failed", "Offline PIN verification performed and PIN not successfully verified"),
        Bit(2, 2, "pin_try_limit_exceeded", "PIN try limit exceeded"),
        Bit(2, 1, "last_online_not_completed", "Last online transaction not completed"),
        Bit(3, 8, "lower_count_limit_exceeded", "Lower offline transaction count limit exceeded"),
        Bit(3, 7, "upper_count_limit_exceeded", "Upper offline transaction count limit exceeded"),
        Bit(3, 6, "lower_cumulative_limit_exceeded", "Lower cumulative offline amount limit exceeded"),
        Bit(3, 5, "upper_cumulative_limit_exceeded", "Upper cumulative offline amount limit exceeded"),
        Bit(3, 4, "issuer_bit_1", "Issuer-discretionary bit 1"),
        Bit(3, 3, "issuer_bit_2", "Issuer-discretionary bit 2"),
        Bit(3, 2, "issuer_bit_3", "Issuer-discretionary bit 3"),
        Bit(3, 1, "issuer_bit_4", "Issuer-discretionary bit 4"),
        Bit(4, 4, "script_failed", "Issuer script processing failed"),
        Bit(4, 3, "last_oda_failed", "Offline data authentication failed on previous transaction"),
        Bit(4, 2, "go_online_next", "Go online on next transaction was set"),
        Bit(4, 1, "unable_to_go_online", "Unable to go online"),
    ]
}
