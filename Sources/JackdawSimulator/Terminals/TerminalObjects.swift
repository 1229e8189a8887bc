import JackdawEMV

/// The data objects that a program sends to a simulated reader with a kernel.
struct TerminalObjects {
    /// The error of objects that the reader cannot use.
    enum Fault: Error {
        case missing
        case invalid
    }

    /// The primitive objects, without those of script templates.
    private(set) var store = DataObjectStore()
    /// The script templates 71 and 72, as they were sent.
    private(set) var scripts: [UInt8] = []

    /// The objects of octets; nil if they are not BER-TLV.
    init?(_ octets: Span<UInt8>) { self.init(octets, 0..<octets.count) }

    /// The objects in a template that is all of the octets; nil if the octets are something else.
    init?(_ octets: Span<UInt8>, in template: Tag) {
        var walker = TagLengthValueWalker(octets)
        guard let outer = try? walker.next(in: octets), outer.tag == template, outer.value.upperBound == octets.count
        else { return nil }
        self.init(octets, outer.value)
    }

    private init?(_ octets: Span<UInt8>, _ range: Range<Int>) {
        var walker = TagLengthValueWalker(range)
        do throws(DataObjectError) {
            while let object = try walker.next(in: octets) {
                guard object.tag.isConstructed else {
                    store.set(object.tag, octets.extracting(object.value))
                    continue
                }
                walker.skipContents()
                guard object.tag == 0x71 || object.tag == 0x72 else { continue }
                for index in object.start..<object.value.upperBound { scripts.append(octets[index]) }
            }
        } catch {
            return nil
        }
    }

    /// The transaction: amount (9F02), currency (5F2A), kind (9C) and date (9A), and if they are there the other amount
    /// (9F03), time (9F21) and number (9F41).
    var transaction: Result<KernelTransaction, Fault> {
        let needed: [Tag] = [0x9F02, 0x5F2A, 0x9C, 0x9A]
        guard needed.allSatisfy({ store.contains($0) }) else { return .failure(.missing) }
        guard let amount = number(0x9F02, 6), let currency = store[0x5F2A], currency.count == 2,
            let kind = store[0x9C], kind.count == 1, let date = store.withValue(0x9A, { CardDate($0) }) ?? nil,
            let other = number(0x9F03, 6), let counter = number(0x9F41, 4), number(0x9F21, 3) != nil
        else { return .failure(.invalid) }
        var transaction = KernelTransaction(
            amount: amount, currency: currency, type: TransactionType(rawValue: kind[0]), date: date)
        transaction.otherAmount = other
        transaction.sequenceNumber = counter
        transaction.time = store[0x9F21] ?? transaction.time
        return .success(transaction)
    }

    /// The issuer's answer: response code (8A), issuer authentication data (91) and scripts.
    ///
    /// Real readers have the response codes of approvals in their configuration; these are those of ISO 8583 in EMV
    /// Book 4, annex A6.
    var hostResponse: Result<HostResponse, Fault> {
        guard let octets = store[0x8A] else { return .failure(.missing) }
        guard let code = AuthorisationResponseCode(octets) else { return .failure(.invalid) }
        let isApproved = ["00", "10", "11"].contains { Array($0.utf8) == octets }
        return .success(
            HostResponse(
                isApproved: isApproved, responseCode: code, authenticationData: store[0x91], scripts: scripts))
    }

    /// A number in BCD; 0 if it is absent, nil if it has another length or a digit above 9.
    private func number(_ tag: Tag, _ count: Int) -> UInt64? {
        guard let octets = store[tag] else { return 0 }
        guard octets.count == count else { return nil }
        var number: UInt64 = 0
        for octet in octets {
            guard octet >> 4 < 10, octet & 15 < 10 else { return nil }
            number = number * 100 + UInt64(octet >> 4) * 10 + UInt64(octet & 15)
        }
        return number
    }
}

extension TagLengthValueBuilder {
    /// The objects of a card's decision that simulated readers send, in this order: those of `ARQCDOL.CFG`, a published
    /// configuration of Miura's readers, and the response code and the results of scripts.
    private static var resultTags: [Tag] {
        [
            0x4F, 0x50, 0x57, 0x5A, 0x5F20, 0x5F24, 0x5F28, 0x5F2A, 0x5F30, 0x5F34, 0x82, 0x84, 0x8A, 0x95, 0x9A, 0x9B,
            0x9C, 0x9F02, 0x9F03, 0x9F06, 0x9F09, 0x9F10, 0x9F12, 0x9F1A, 0x9F1C, 0x9F1E, 0x9F26, 0x9F27, 0x9F33,
            0x9F34,
            0x9F35, 0x9F36, 0x9F37, 0x9F41, 0x9F53, 0x9F5B,
        ]
    }

    /// Appends the objects of a card's decision.
    /// - Parameters:
    ///   - objects: the objects; others than those of a decision are left out.
    ///   - pinTag: the tag of the PIN for the issuer.
    mutating func append(result objects: DataObjectStore, pinTag: Tag) {
        for tag in Self.resultTags + [pinTag] {
            _ = objects.withValue(tag) { append(tag, $0) }
        }
    }
}
