import JackdawEMV
import JackdawReaders

// The data of commands and results of a simulated Miura reader.

/// A command that a simulated reader received.
struct MiuraReceivedCommand {
    let instruction: MiuraInstruction
    /// The first parameter (P1).
    let first: UInt8
    let data: [UInt8]

    /// Reads a whole frame; nil if the length of the data does not fit the APDU, with or without an expected length
    /// (Le).
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
    var objects: TerminalObjects? { TerminalObjects(data.span, in: MiuraTag.commandData) }
}

extension TerminalObjects.Fault {
    /// The status of a command with such objects.
    var status: MiuraStatus { self == .missing ? .missingData : .invalidData }
}

extension TerminalObjects {
    /// The issuer's answer in CONTINUE TRANSACTION.
    func hostAnswer(_ values: MiuraPaymentSettings) -> Result<HostAnswer, Fault> {
        hostResponse.map { response in
            switch response.responseCode.octets {
            case Array(values.unreachableCode.utf8): .unreachable
            case Array(values.declineCode.utf8): .unknown
            default: .answered(response)
            }
        }
    }
}

extension MiuraTerminal {
    /// The body of a result.
    func result(_ template: Tag, _ objects: DataObjectStore) -> [UInt8] {
        var builder = TagLengthValueBuilder()
        builder.append(result: objects, pinTag: MiuraTag.pinBlock)
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
