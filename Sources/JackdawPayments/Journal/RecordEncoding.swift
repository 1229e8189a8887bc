public import JackdawCards
import JackdawEMV
package import JackdawReaders

// Records as bytes: a text in JSON with a version, and beside it the sealed octets.

/// The bytes of a record in a store.
public struct EncodedRecord: Sendable, Hashable {
    /// The record without its sealed octets: JSON in UTF-8.
    public let text: [UInt8]
    /// The sealed octets of its delivery, and the image of a signature after them. The store encrypts them. They are never
    /// part of a text, because a text cannot be wiped.
    public let sealed: HTTPBody

    /// The bytes that a store has read.
    public init(text: [UInt8], sealed: HTTPBody) {
        self.text = text
        self.sealed = sealed
    }
}

extension EncodedRecord: RedactedDescription {
    /// The numbers of bytes.
    public var description: String { "record of \(text.count) bytes, \(sealed)" }
}

/// The form of records. A later version reads the records of all earlier ones.
package struct RecordFormat: Sendable {
    /// Changes the members of a record into those of the next version.
    package typealias Upgrade = @Sendable ([String: JSONValue]) -> [String: JSONValue]

    /// The upgrades, the first from version 1 to version 2.
    let upgrades: [Upgrade]

    /// The form of this program: version 3. The image of a signature may follow the delivery, which no version before has. In
    /// version 1 each reversal has a cause, and there is no cash; since version 2 a reversal that the merchant wants has no
    /// cause, and cash is a kind.
    package static let current = RecordFormat(upgrades: [{ $0 }, { $0 }])

    package init(upgrades: [Upgrade]) { self.upgrades = upgrades }

    /// The version of records that are written.
    package var version: Int { upgrades.count + 1 }
}

extension AttemptRecord {
    /// The most bytes of a record's text: the details, each byte of which may be escaped as six, and the rest.
    static let maxTextBytes = 6 * AttemptRequest.maxDetailBytes + 65_536

    /// The record as bytes.
    public var encoded: EncodedRecord { encoded(in: .current) }

    package func encoded(in format: RecordFormat) -> EncodedRecord {
        var members: [String: JSONValue] = [
            "version": .number(Double(format.version)),
            "attempt": .text(identifier.rawValue),
            "sale": .text(request.sale.rawValue),
            "kind": .text(request.kind.name),
            "amount": .text("\(request.amount.minorUnits)"),
            "currency": .number(Double(request.amount.currencyCode ?? 0)),
            "details": .array(request.details.map { .array([.text($0.name), .text($0.value)]) }),
            "state": .text(state.rawValue),
            "began": began.json,
            "changed": changed.json,
        ]
        members["original"] = request.kind.original.map { .text($0.rawValue) }
        members["flow"] = flow?.json
        members["reference"] = reference.map { .text($0.rawValue) }
        members["originalReference"] = originalReference.map { .text($0.rawValue) }
        members["delivery"] = delivery?.json
        members["refusal"] = refusal.map { .text($0.text) }
        members["attention"] = attention?.json
        members["approved"] = approved?.json
        if signature.count > 0 { members["signature"] = .number(Double(signature.count)) }
        return EncodedRecord(
            text: JSONValue.object(members).encoded(), sealed: (delivery?.octets ?? HTTPBody()).followed(by: signature))
    }

    /// Reads a record of this version or an earlier one. Unknown members are left out.
    /// - Throws: ``JournalError`` with `damaged` or `newerVersion`.
    public init(decoding encoded: EncodedRecord) throws(JournalError) { try self.init(decoding: encoded, in: .current) }

    package init(decoding encoded: EncodedRecord, in format: RecordFormat) throws(JournalError) {
        let value: JSONValue
        do {
            value = try JSONValue(encoded.text, most: Self.maxTextBytes)
        } catch {
            throw JournalError(.damaged, "A record of the journal cannot be read.", cause: error.message)
        }
        guard case .object(var members) = value else { throw Self.damaged("it is not an object") }
        guard let version = members["version"]?.integer(in: 1...1_000_000) else { throw Self.damaged("no version") }
        guard version <= format.version else {
            throw JournalError(
                .newerVersion,
                "A record of the journal has version \(version); this program reads versions up to \(format.version). "
                    + "Use the program that wrote it, or a later one.")
        }
        for upgrade in format.upgrades[(version - 1)...] { members = upgrade(members) }
        try self.init(members: members, sealed: encoded.sealed)
    }

    private init(members: [String: JSONValue], sealed: HTTPBody) throws(JournalError) {
        func optional<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(JournalError) -> Value? {
            guard let member = members[name] else { return nil }
            guard let value = read(member) else { throw Self.damaged("member \(name)") }
            return value
        }
        func required<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(JournalError) -> Value {
            guard let value = try optional(name, read) else { throw Self.damaged("no member \(name)") }
            return value
        }
        let original = try optional("original") { $0.text.flatMap(AttemptIdentifier.init(rawValue:)) }
        let amount = Amount(
            minorUnits: try required("amount") { $0.text.flatMap { UInt64($0) } },
            currencyCode: try required("currency") { $0.integer(in: 0...999).map { UInt16($0) } })
        let request: AttemptRequest
        do {
            request = try AttemptRequest(
                sale: required("sale") { $0.text.flatMap(SaleIdentifier.init(rawValue:)) },
                kind: required("kind") { $0.text.flatMap { AttemptKind(name: $0, original: original) } },
                amount: amount, details: required("details") { $0.details })
        } catch let error as JournalError {
            throw error
        } catch {
            throw Self.damaged("its request exceeds a limit")
        }
        self.init(
            identifier: try required("attempt") { $0.text.flatMap(AttemptIdentifier.init(rawValue:)) },
            request: request,
            originalReference: try optional("originalReference") { $0.text.flatMap(HostReference.init(rawValue:)) },
            state: try required("state") { $0.text.flatMap(AttemptState.init(rawValue:)) },
            flow: try optional("flow") { PaymentJournal($0) },
            began: try required("began") { RecordedTime($0) }, changed: try required("changed") { RecordedTime($0) })
        reference = try optional("reference") { $0.text.flatMap(HostReference.init(rawValue:)) }
        refusal = try optional("refusal") { $0.text.map { ReasonText($0) } }
        attention = try optional("attention") { Attention($0) }
        approved = try optional("approved") { RecordedTime($0) }
        let image = try optional("signature") { $0.integer(in: 1...Delivery.maxSignatureBytes) } ?? 0
        guard image <= sealed.count else { throw Self.damaged("no image of its signature") }
        let octets: HTTPBody
        (octets, signature) = sealed.divided(at: sealed.count - image)
        delivery = try optional("delivery") { Delivery($0, octets) }
        guard octets.count <= Delivery.maxOctets, octets.count == delivery?.octets.count ?? 0 else {
            throw Self.damaged("sealed octets that do not belong to it")
        }
        if let contradiction { throw Self.damaged(contradiction) }
    }

    private static func damaged(_ cause: String) -> JournalError {
        JournalError(.damaged, "A record of the journal is damaged.", cause: cause)
    }
}

extension JSONValue {
    /// The number, if it is whole and in a range.
    fileprivate func integer(in range: ClosedRange<Int>) -> Int? {
        number.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }

    fileprivate var flag: Bool? {
        guard case .flag(let flag) = self else { return nil }
        return flag
    }

    fileprivate var details: [AttemptDetail]? {
        guard case .array(let values) = self, values.count <= AttemptRequest.maxDetails else { return nil }
        var details: [AttemptDetail] = []
        for value in values {
            guard case .array(let pair) = value, pair.count == 2, let name = pair[0].text, let text = pair[1].text
            else {
                return nil
            }
            details.append(AttemptDetail(name, text))
        }
        return details
    }
}

extension RecordedTime {
    /// The seconds as a text, because JSON's numbers are not exact for all of them, and the offset.
    fileprivate var json: JSONValue { .array([.text("\(seconds)"), .number(Double(offset))]) }

    fileprivate init?(_ value: JSONValue) {
        guard case .array(let parts) = value, parts.count == 2, let seconds = parts[0].text.flatMap({ Int64($0) }),
            Self.secondRange.contains(seconds),
            let offset = parts[1].integer(in: Self.offsetRange)
        else { return nil }
        self.init(seconds: seconds, offset: offset)
    }
}

extension PaymentJournal {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "host": .text(host.rawValue),
            "reversalQueued": .flag(isReversalQueued),
            "recordStored": .flag(isRecordStored),
        ]
        members["entry"] = entry.map { .text($0.rawValue) }
        members["outcome"] = outcome.map { .text($0.rawValue) }
        return .object(members)
    }

    fileprivate init?(_ value: JSONValue) {
        guard let host = value["host"]?.text.flatMap(HostKnowledge.init(rawValue:)),
            let isReversalQueued = value["reversalQueued"]?.flag, let isRecordStored = value["recordStored"]?.flag
        else { return nil }
        self.init()
        self.host = host
        self.isReversalQueued = isReversalQueued
        self.isRecordStored = isRecordStored
        if let member = value["entry"] {
            guard let entry = member.text.flatMap(CardEntry.init(rawValue:)) else { return nil }
            self.entry = entry
        }
        if let member = value["outcome"] {
            guard let outcome = member.text.flatMap(PaymentOutcome.init(rawValue:)) else { return nil }
            self.outcome = outcome
        }
    }
}

extension Delivery {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "purpose": .text(purpose.name), "tries": .number(Double(tries)), "octets": .number(Double(octets.count)),
        ]
        if case .reversal(let cause) = purpose { members["cause"] = cause.map { .text($0.rawValue) } }
        members["note"] = note.map { .text($0.text) }
        return .object(members)
    }

    fileprivate init?(_ value: JSONValue, _ sealed: HTTPBody) {
        guard let name = value["purpose"]?.text, value["octets"]?.integer(in: 0...Self.maxOctets) == sealed.count,
            let tries = value["tries"]?.integer(in: 0...Self.maxAttempts)
        else { return nil }
        let purpose: Purpose
        switch name {
        case "reversal":
            var cause: ReversalCause?
            if let member = value["cause"] {
                guard let known = member.text.flatMap(ReversalCause.init(rawValue:)) else { return nil }
                cause = known
            }
            purpose = .reversal(cause)
        case "enquiry": purpose = .enquiry
        case "completion": purpose = .completion
        case "advice": purpose = .advice
        case "signature": purpose = .signature
        default: return nil
        }
        var note: ReasonText?
        if let member = value["note"] {
            guard let text = member.text else { return nil }
            note = ReasonText(text)
        }
        self.init(purpose, note: note, octets: sealed, tries: tries)
    }
}

extension Delivery.Purpose {
    /// The name in records.
    package var name: String {
        switch self {
        case .reversal: "reversal"
        case .enquiry: "enquiry"
        case .completion: "completion"
        case .advice: "advice"
        case .signature: "signature"
        }
    }
}

extension Attention {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = ["reason": .text(reason.text), "since": since.json]
        members["note"] = note.map { .text($0.text) }
        members["settled"] = settled?.json
        return .object(members)
    }

    fileprivate init?(_ value: JSONValue) {
        guard let reason = value["reason"]?.text, let since = value["since"].flatMap({ RecordedTime($0) }) else {
            return nil
        }
        self.init(ReasonText(reason), since: since)
        if let member = value["note"] {
            guard let note = member.text else { return nil }
            self.note = ReasonText(note)
        }
        if let member = value["settled"] {
            guard let settled = RecordedTime(member) else { return nil }
            self.settled = settled
        }
    }
}
