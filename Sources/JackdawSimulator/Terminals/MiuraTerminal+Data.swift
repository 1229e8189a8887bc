import JackdawEMV
import JackdawReaders

// The data of commands and results of a simulated Miura reader.

/// A command that a simulated reader received.
struct MiuraReceivedCommand {
    let instruction: MiuraInstruction
    /// The first parameter (P1).
    let first: UInt8
    let data: [UInt8]

    /// Reads a whole frame; nil if the length of the data does not fit the APDU, with or without an expected length (Le).
    init?(_ frame: [UInt8]) {
        let apdu = frame.dropFirst(3).dropLast()
        guard apdu.count >= 4, let base = apdu.indices.first else { return nil }
        instruction = MiuraInstruction(rawValue: UInt16(apdu[base]) << 8 | UInt16(apdu[base + 1]))
        first = apdu[base + 2]
        guard apdu.count > 5 else {
            data = []
            return
        }
        let count = Int(apdu[base + 4])
        guard (5 + count...6 + count).contains(apdu.count) else { return nil }
        data = Array(apdu[(base + 5)..<(base + 5 + count)])
    }

    /// The objects of the template E0; nil if the data is not that template.
    var objects: MiuraCommandObjects? { MiuraCommandObjects(data.span) }
}

/// The reason for which a command is refused.
struct MiuraRefusal: Error {
    let status: MiuraStatus
}

/// The objects in the data of a command.
struct MiuraCommandObjects {
    /// The primitive objects, without those of script templates.
    private(set) var store = DataObjectStore()
    /// The script templates 71 and 72, as they were sent.
    private(set) var scripts: [UInt8] = []

    init?(_ data: Span<UInt8>) {
        do throws(DataObjectError) {
            var walker = TagLengthValueWalker(data)
            guard let template = try walker.next(in: data), template.tag == MiuraTag.commandData,
                template.value.upperBound == data.count
            else { return nil }
            var inner = TagLengthValueWalker(template.value)
            while let object = try inner.next(in: data) {
                guard object.tag.isConstructed else {
                    store.set(object.tag, data.extracting(object.value))
                    continue
                }
                inner.skipContents()
                if object.tag == 0x71 || object.tag == 0x72 {
                    for index in object.start..<object.value.upperBound { scripts.append(data[index]) }
                }
            }
        } catch {
            return nil
        }
    }

    /// The transaction of START TRANSACTION.
    var transaction: Result<KernelTransaction, MiuraRefusal> {
        let needed: [Tag] = [MiuraTag.amount, MiuraTag.currency, MiuraTag.transactionKind, MiuraTag.date]
        guard needed.allSatisfy({ store.contains($0) }) else { return .failure(MiuraRefusal(status: .missingData)) }
        guard let amount = number(MiuraTag.amount, 6), let currency = store[MiuraTag.currency], currency.count == 2,
            let kind = store[MiuraTag.transactionKind], kind.count == 1,
            let date = store.withValue(MiuraTag.date, { CardDate($0) }) ?? nil,
            let other = number(MiuraTag.otherAmount, 6), let counter = number(MiuraTag.sequenceCounter, 4),
            number(MiuraTag.time, 3) != nil
        else { return .failure(MiuraRefusal(status: .invalidData)) }
        var transaction = KernelTransaction(
            amount: amount, currency: currency, type: TransactionType(rawValue: kind[0]), date: date)
        transaction.otherAmount = other
        transaction.sequenceNumber = counter
        transaction.time = store[MiuraTag.time] ?? transaction.time
        return .success(transaction)
    }

    /// The issuer's answer in CONTINUE TRANSACTION.
    ///
    /// Real readers have the response codes of approvals in their configuration (object DFDF06); these are those of ISO 8583
    /// in EMV Book 4, annex A6.
    func hostAnswer(_ values: MiuraPaymentSettings) -> Result<HostAnswer, MiuraRefusal> {
        guard let octets = store[MiuraTag.authorisationResponse] else {
            return .failure(MiuraRefusal(status: .missingData))
        }
        guard let code = AuthorisationResponseCode(octets) else { return .failure(MiuraRefusal(status: .invalidData)) }
        if octets == Array(values.unreachableCode.utf8) { return .success(.unreachable) }
        if octets == Array(values.declineCode.utf8) { return .success(.unknown) }
        let isApproved = ["00", "10", "11"].contains { Array($0.utf8) == octets }
        return .success(
            .answered(
                HostResponse(
                    isApproved: isApproved, responseCode: code,
                    authenticationData: store[MiuraTag.issuerAuthentication], scripts: scripts)))
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

extension MiuraTerminal {
    /// The objects of a result, in this order: those of `ARQCDOL.CFG`, a published configuration of readers, and the
    /// response code and the results of scripts.
    private static var resultTags: [Tag] {
        [
            0x4F, 0x50, 0x57, 0x5A, 0x5F20, 0x5F24, 0x5F28, 0x5F2A, 0x5F30, 0x5F34, 0x82, 0x84, 0x8A, 0x95, 0x9A, 0x9B,
            0x9C, 0x9F02, 0x9F03, 0x9F06, 0x9F09, 0x9F10, 0x9F12, 0x9F1A, 0x9F1C, 0x9F1E, 0x9F26, 0x9F27, 0x9F33,
            0x9F34,
            0x9F35, 0x9F36, 0x9F37, 0x9F41, 0x9F53, 0x9F5B, MiuraTag.pinBlock,
        ]
    }

    /// The body of a result.
    func result(_ template: Tag, _ objects: DataObjectStore) -> [UInt8] {
        var builder = TagLengthValueBuilder()
        for tag in Self.resultTags {
            _ = objects.withValue(tag) { builder.append(tag, $0) }
        }
        return TagLengthValueBuilder.encode(template, builder.octets)
    }

    /// The body of the request to choose an application: each name with its label.
    var choice: [UInt8] {
        var builder = TagLengthValueBuilder()
        for candidate in slot.candidates {
            builder.append(MiuraTag.application, candidate.name)
            builder.append(MiuraTag.applicationLabel, Array(candidate.displayName.utf8))
        }
        return TagLengthValueBuilder.encode(MiuraTag.decisionRequired, builder.octets)
    }
}
