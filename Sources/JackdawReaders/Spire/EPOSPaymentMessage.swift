extension EPOSMessage: PaymentWireMessage {
    package var key: ProfileKey {
        self == .statusReport ? WireMessage.event.key : ProfileKey(rawValue: "payment.\(rawValue)")
    }
}

/// A message of a payment between a till and a PosMate or SPm2.
///
/// **Invented** are the form of the data and the order of the messages: published are their names, and that a status
/// report has a number of its own, a sequence number and a status, and that the terminal reads a cancellation in the
/// reply to some reports (headers of PaynetEasyReader). Here the data of a message begins with a byte: 0 for a
/// request, 1 for its answer, 2 for its refusal, which has the number of an error. Data objects in BER-TLV follow, or
/// what the message says.
package enum EPOSPaymentMessage: Sendable, Hashable {
    /// A request of either side.
    case request(EPOSMessage, [UInt8])
    /// The answer to a request of the other side.
    case answer(EPOSMessage, [UInt8])
    /// The refusal of a request of the other side.
    case refusal(EPOSMessage, EPOSError)
    /// A report of the terminal's progress.
    case status(sequence: UInt8, EPOSStatus)
    /// The till's reply to a status report, without which the terminal does not go on.
    case reply(sequence: UInt8, isCancel: Bool)

    /// The sides of a link.
    package enum Side: Sendable {
        case till
        case terminal
    }
}

/// The outcome of the till's question to the host, in its answer to `GoOnline`. **Invented.**
package enum EPOSHostOutcome: UInt8, Sendable, Hashable {
    /// The host answered; its objects follow.
    case answered = 0
    /// The host could not be reached. The card decides.
    case unreachable = 1
    /// It is not known what the host decided. The card is asked to decline.
    case unknown = 2
}

/// The till's decision about swiped data, in `ProcessSwipedData`. **Invented.**
package enum EPOSSwipeDecision: UInt8, Sendable, Hashable {
    /// The card must be inserted, or swiped again: the terminal prompts for it.
    case refused = 0
    /// The till goes on with the swiped data: the transaction is over for the terminal.
    case accepted = 1
}

/// The messages of payments on a wire that a profile supplies.
package struct EPOSPaymentWire: Sendable {
    private let wire: PaymentWire<EPOSMessage>

    /// - Parameter profile: a profile with all values of the wire format.
    /// - Throws: ``ReaderError``: `missingValue` that names all missing values, `badProfile`.
    package init(_ profile: ReaderProfile) throws(ReaderError) { wire = try PaymentWire(profile) }

    /// The format of the frames.
    package var format: LayoutFormat { wire.format }

    /// Makes the frame of a message.
    package func frame(_ message: EPOSPaymentMessage) -> [UInt8] {
        switch message {
        case .request(let name, let data): wire.frame(name, [0] + data)
        case .answer(let name, let data): wire.frame(name, [1] + data)
        case .refusal(let name, let error): wire.frame(name, [2, UInt8(error.rawValue)])
        case .status(let sequence, let status): wire.frame(.statusReport, [sequence, status.rawValue])
        case .reply(let sequence, let isCancel): wire.frame(.statusReport, [sequence, isCancel ? 1 : 0])
        }
    }

    /// Reads a frame.
    /// - Parameters:
    ///   - frame: a whole frame.
    ///   - sender: the side that sent it.
    /// - Returns: the message; nil if it is none of a payment.
    package func read(_ frame: Span<UInt8>, from sender: EPOSPaymentMessage.Side) -> EPOSPaymentMessage? {
        guard let (name, data) = wire.read(frame) else { return nil }
        guard name != .statusReport else {
            guard data.count == 2 else { return nil }
            if sender == .terminal { return .status(sequence: data[0], EPOSStatus(rawValue: data[1])) }
            return data[1] < 2 ? .reply(sequence: data[0], isCancel: data[1] == 1) : nil
        }
        switch data.first {
        case 0: return .request(name, Array(data.dropFirst()))
        case 1: return .answer(name, Array(data.dropFirst()))
        case 2:
            guard data.count == 2, let error = EPOSError(rawValue: Int(data[1])) else { return nil }
            return .refusal(name, error)
        default: return nil
        }
    }
}
