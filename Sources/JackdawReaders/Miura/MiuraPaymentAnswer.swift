package import JackdawEMV

/// The answer to a command of a payment, by its template.
///
/// Source of the templates: Description.java of Miura's SDK for Android, and logs of readers in the issues of a payment
/// SDK. The objects in them are those of the reader's configuration.
package enum MiuraPaymentAnswer: Sendable {
    /// The command succeeded, and has no result, as ABORT and DISPLAY TEXT do.
    case done
    /// The host must choose one of these applications (E2).
    case choice([MiuraApplication])
    /// The payment is approved (E3).
    case approved(DataObjectStore)
    /// The issuer must be asked (E4).
    case online(DataObjectStore)
    /// The payment is declined (E5).
    case declined(DataObjectStore)
    /// The command succeeded with another result.
    case other(DataObjectStore)
    /// The reader refused the command, or broke the payment off.
    case refused(MiuraStatus)
    /// The answer has no status, or its data are not BER-TLV.
    case unreadable

    /// Reads an answer.
    /// - Parameter message: the joined answer without frames, with its status.
    package init(_ message: Span<UInt8>) {
        guard message.count >= 2 else {
            self = .unreadable
            return
        }
        let end = message.count - 2
        let status = MiuraStatus(rawValue: UInt16(message[end]) << 8 | UInt16(message[end + 1]))
        guard status == .done else {
            self = .refused(status)
            return
        }
        let body = message.extracting(first: end)
        guard !body.isEmpty else {
            self = .done
            return
        }
        var store = DataObjectStore()
        guard let objects = TagLengthValue.read(body),
            (try? store.add(body)) != nil
        else {
            self = .unreadable
            return
        }
        // A result is one template.
        switch objects.first(where: { $0.depth == 0 })?.tag {
        case MiuraTag.decisionRequired: self = .choice(MiuraApplication.list(objects, body))
        case MiuraTag.approved: self = .approved(store)
        case MiuraTag.onlineRequired: self = .online(store)
        case MiuraTag.declined: self = .declined(store)
        default: self = .other(store)
        }
    }
}

/// An application of a card, as a reader lists it for the host's choice.
package struct MiuraApplication: Sendable, Hashable {
    /// The name of the application (AID).
    package let name: [UInt8]
    /// The label that the cardholder knows; nil if the reader sent none.
    package let label: String?

    /// The applications in an answer: each name (9F06) with the label (50) that follows it.
    fileprivate static func list(_ objects: [TagLengthValue], _ body: Span<UInt8>) -> [MiuraApplication] {
        var list: [MiuraApplication] = []
        for object in objects {
            let value = body.extracting(object.value)
            switch object.tag {
            case MiuraTag.application:
                list.append(MiuraApplication(name: value.indices.map { value[$0] }, label: nil))
            case MiuraTag.applicationLabel:
                guard let last = list.last, last.label == nil else { continue }
                list[list.count - 1] = MiuraApplication(name: last.name, label: value.printable)
            default: break
            }
        }
        return list
    }
}

/// The answer to ONLINE PIN.
///
/// Source: `MpiClient.processOnlinePinResult` of Miura's SDK for Android.
package enum MiuraPINAnswer: Sendable, Hashable {
    /// The PIN, enciphered with a key of the scheme DUKPT, and the serial number of the key.
    case entered(block: [UInt8], keySerialNumber: [UInt8])
    /// The cardholder entered no PIN, and goes on.
    case bypassed
    /// The cardholder cancelled, or the time for the PIN is over.
    case cancelledOrTimedOut
    /// The reader has no key for PINs.
    case noKey
    /// An object of the command is invalid.
    case invalidParameter
    /// The reader failed, or its answer cannot be read.
    case failed

    /// Reads an answer.
    /// - Parameter message: the joined answer without frames, with its status.
    package init(_ message: Span<UInt8>) {
        guard message.count >= 2 else {
            self = .failed
            return
        }
        let end = message.count - 2
        let status = MiuraStatus(rawValue: UInt16(message[end]) << 8 | UInt16(message[end + 1]))
        switch end {
        case 0:
            self = status == .noKey ? .noKey : status == .invalidParameter ? .invalidParameter : .failed
        case 1:
            // 09, 0A and 0B are errors of the reader itself.
            self = message[0] == 0x08 ? .cancelledOrTimedOut : message[0] == 0x0C ? .bypassed : .failed
        default:
            var store = DataObjectStore()
            if status == .done, (try? store.add(message.extracting(first: end))) != nil,
                let block = store[MiuraTag.pinBlock], let number = store[MiuraTag.pinKeySerialNumber]
            {
                self = .entered(block: block, keySerialNumber: number)
            } else {
                self = .failed
            }
        }
    }
}
