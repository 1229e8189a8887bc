/// An answer to reset (ATR): the first octets of a card with contacts (ISO/IEC 7816-3 section 8).
public struct AnswerToReset: Sendable, Hashable {
    /// The interface octets TAi to TDi of one group; nil if the card leaves them out.
    public struct InterfaceOctets: Sendable, Hashable {
        /// TAi of the group.
        public internal(set) var a: UInt8?
        /// TBi of the group.
        public internal(set) var b: UInt8?
        /// TCi of the group.
        public internal(set) var c: UInt8?
        /// TDi: the protocol of the next group in bits 4 to 1.
        public internal(set) var d: UInt8?
    }

    /// Whether the card uses the inverse convention (TS = 3F) and not the direct one (3B).
    public let isInverse: Bool
    /// The groups of interface octets from group 1 on.
    public let groups: [InterfaceOctets]
    /// The historical octets, at most 15.
    public let historicalOctets: [UInt8]
    /// The check octet TCK; nil if only T=0 is indicated.
    public let check: UInt8?

    /// The greatest number of octets, TS included.
    public static let maxCount = 33

    /// Parses an ATR. Octets after its end are ignored.
    /// - Throws: ``DataObjectError`` with code `length` if octets are missing or there are more than 33, or with code
    ///   `value` if TS or TCK is wrong.
    public init(_ octets: Span<UInt8>) throws(DataObjectError) {
        guard (2...Self.maxCount).contains(octets.count) else {
            throw DataObjectError(.length, at: 0, "an ATR has 2 to \(Self.maxCount) octets")
        }
        guard octets[0] == 0x3B || octets[0] == 0x3F else {
            throw DataObjectError(.value, at: 0, "an ATR begins with 3B or 3F")
        }
        var next = 2
        func octet(_ isThere: Bool) throws(DataObjectError) -> UInt8? {
            guard isThere else { return nil }
            guard next < octets.count else { throw DataObjectError(.length, at: next, "interface octets are missing") }
            next += 1
            return octets[next - 1]
        }
        var groups: [InterfaceOctets] = []
        var presence: UInt8? = octets[1]
        var hasCheck = false
        while let present = presence {
            var group = InterfaceOctets()
            group.a = try octet(present & 0x10 != 0)
            group.b = try octet(present & 0x20 != 0)
            group.c = try octet(present & 0x40 != 0)
            group.d = try octet(present & 0x80 != 0)
            groups.append(group)
            presence = group.d
            if let protocolOctet = group.d, protocolOctet & 0x0F != 0 { hasCheck = true }
        }
        let count = Int(octets[1] & 0x0F)
        guard next + count + (hasCheck ? 1 : 0) <= octets.count else {
            throw DataObjectError(.length, at: octets.count, "historical octets or TCK are missing")
        }
        historicalOctets = Array(copying: octets.extracting(next..<next + count))
        next += count
        check = hasCheck ? octets[next] : nil
        if hasCheck {
            var sum: UInt8 = 0
            for index in 1...next { sum ^= octets[index] }
            guard sum == 0 else { throw DataObjectError(.value, at: next, "TCK is not the sum of the octets") }
        }
        isInverse = octets[0] == 0x3F
        self.groups = groups
    }

    /// The protocol that the card offers first: 0 for T=0, 1 for T=1.
    public var firstProtocol: UInt8 { groups.first?.d.map { $0 & 0x0F } ?? 0 }
}

extension AnswerToReset {
    /// The reason why a terminal rejects the card.
    public enum Rejection: String, Sendable, Hashable {
        /// TA1 has a value that EMV does not allow.
        case ta1
        /// TB1 has a value that EMV does not allow.
        case tb1
        /// TC1 has a value that EMV does not allow.
        case tc1
        /// TD1 has a value that EMV does not allow.
        case td1
        /// TA2 has a value that EMV does not allow.
        case ta2
        /// TB2 has a value that EMV does not allow.
        case tb2
        /// TC2 has a value that EMV does not allow.
        case tc2
        /// TD2 has a value that EMV does not allow.
        case td2
        /// TA3 has a value that EMV does not allow.
        case ta3
        /// TB3 has a value that EMV does not allow.
        case tb3
        /// TC3 has a value that EMV does not allow.
        case tc3
        /// An interface octet of group 3 or later that ISO/IEC 7816-3 reserves.
        case reserved
        /// Historical octets that are not compact data objects.
        case historical
    }

    /// Checks the card against EMV Contact Interface section 8.3.
    ///
    /// EMV does not look at historical octets. Some programs reject a card whose historical octets claim to be compact
    /// data objects (first octet 00 or 80, ISO/IEC 7816-4 section 8.1.1) and are not.
    /// - Parameter checksHistoricalOctets: whether to reject those. Default: false.
    /// - Returns: the first reason to reject the card; nil if it is acceptable.
    public func rejection(checkingHistoricalOctets checksHistoricalOctets: Bool = false) -> Rejection? {
        let first = groups[0]
        let second = groups.count > 1 ? groups[1] : InterfaceOctets()
        if let rejection = Self.rejection(ofFirst: first, second) { return rejection }
        if let rejection = Self.rejection(ofSecond: second, first) { return rejection }
        if let rejection = rejectionOfFurther() { return rejection }
        return checksHistoricalOctets && !historicalOctetsAreValid ? .historical : nil
    }

    private static func rejection(ofFirst first: InterfaceOctets, _ second: InterfaceOctets) -> Rejection? {
        if let rate = first.a {
            if let mode = second.a {
                // Specific mode: D of 1, 2 or 4 at F = 372.
                if mode & 0x10 == 0, !(0x11...0x13).contains(rate) { return .ta1 }
            } else if rate & 0xF0 == 0 || rate & 0x0F < 3 {
                // Negotiable mode: 5 MHz and D of at least 4.
                return .ta1
            }
            guard [0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13].contains(rate >> 4), (1...9).contains(rate & 0x0F) else {
                return .ta1
            }
        }
        // Programming voltage of 5 to 25 V and current codes 0 to 2 (ISO/IEC 7816-3:1997).
        if let voltage = first.b, voltage != 0, !(5...25).contains(voltage & 0x1F) || voltage & 0x60 == 0x60 {
            return .tb1
        }
        if let guardTime = first.c, guardTime != 0, guardTime != 0xFF { return .tc1 }
        if let offered = first.d, offered & 0x0F > 1 { return .td1 }
        return nil
    }

    private static func rejection(ofSecond second: InterfaceOctets, _ first: InterfaceOctets) -> Rejection? {
        let offered = first.d.map { $0 & 0x0F } ?? 0
        if let mode = second.a, mode & 0x0F != offered || mode & 0x10 != 0 { return .ta2 }
        if let voltage = second.b, first.b.map({ $0 == 0 }) ?? false || !(50...250).contains(voltage) { return .tb2 }
        if let waitingTime = second.c, offered != 0 || waitingTime != 0x0A { return .tc2 }
        if let further = second.d {
            // T=1 must be followed by T=1, T=0 by the global octets, T=15.
            guard further & 0x0F == (offered == 0 ? 15 : 1) else { return .td2 }
        } else if offered == 1 {
            // TB3 is mandatory for T=1.
            return .td2
        }
        return nil
    }

    private func rejectionOfFurther() -> Rejection? {
        for index in groups.indices.dropFirst(2) {
            let group = groups[index]
            let offered = (groups[index - 1].d ?? 0) & 0x0F
            if let further = group.d, ![0, 1, 15].contains(further & 0x0F) { return .reserved }
            if offered == 15, let classes = group.a, !(1...7).contains(classes & 0x3F) { return .reserved }
            guard offered == 1 else { continue }
            if let size = group.a, size == 0 || size == 0xFF { return .ta3 }
            if let times = group.b, times >> 4 > 9 { return .tb3 }
            // EMV restricts the first group of T=1 only.
            guard index == 2 else { continue }
            if let size = group.a, size < 0x10 { return .ta3 }
            guard let times = group.b, times >> 4 <= 4, times & 0x0F <= 5 else { return .tb3 }
            if let code = group.c, code != 0 { return .tc3 }
        }
        return nil
    }

    private var historicalOctetsAreValid: Bool {
        guard let category = historicalOctets.first, category == 0x00 || category == 0x80 else { return true }
        // After 00, the last three octets are the status.
        let end = historicalOctets.count - (category == 0x00 ? 3 : 0)
        guard end > 1 else { return false }
        var next = 1
        while next < end { next += 1 + Int(historicalOctets[next] & 0x0F) }
        return next == end
    }
}
