/// One thing that happened on a link, as a transcript keeps it. A byte that was masked is nil.
public struct TranscriptEntry: Sendable, Hashable {
    /// What can happen.
    public enum Event: Sendable, Hashable {
        /// These bytes were to be sent.
        case sent([UInt8?])
        /// Of the bytes before, so many were not sent, for this reason.
        case unsent(Int, LinkError.Code)
        /// The device was told that nothing more would be sent.
        case endedSending
        /// These bytes were received.
        case received([UInt8?])
        /// The device ended its direction in good order.
        case end
        /// The link was lost for this reason.
        case lost(LinkError.Code)
        /// The program closed the link.
        case closed
    }

    /// When, since the link was open; of microseconds.
    public let time: Duration
    /// What.
    public let event: Event

    /// An entry.
    /// - Parameters:
    ///   - time: when, since the link was open, no less than nothing.
    ///   - event: what happened.
    public init(time: Duration, event: Event) {
        precondition(time >= .zero, "nothing happens before the link is open")
        self.time = time
        self.event = event
    }

    /// The entry as a line of a transcript, without its end.
    public var line: String {
        let (seconds, attoseconds) = time.components
        let fraction = String(attoseconds / 1_000_000_000_000)
        let moment = "\(seconds).\(String(repeating: "0", count: 6 - fraction.utf8.count))\(fraction)"
        return switch event {
        case .sent(let bytes): "\(moment) >\(Self.hexadecimal(bytes))"
        case .received(let bytes): "\(moment) <\(Self.hexadecimal(bytes))"
        case .unsent(let count, let code): "\(moment) unsent \(count) \(code.name)"
        case .endedSending: "\(moment) done"
        case .end: "\(moment) end"
        case .lost(let code): "\(moment) lost \(code.name)"
        case .closed: "\(moment) closed"
        }
    }

    private static func hexadecimal(_ bytes: [UInt8?]) -> String {
        var text = ""
        text.reserveCapacity(3 * bytes.count)
        for byte in bytes {
            guard let byte else {
                text += " **"
                continue
            }
            text += (byte < 16 ? " 0" : " ") + String(byte, radix: 16)
        }
        return text
    }
}

extension TranscriptEntry: CustomStringConvertible, CustomReflectable {
    /// What happened, with the number of bytes in place of them: they may be card data.
    public var description: String {
        switch event {
        case .sent(let bytes): "sent \(bytes.count) bytes"
        case .received(let bytes): "received \(bytes.count) bytes"
        default: line
        }
    }

    /// No more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension TranscriptEntry.Event: CustomStringConvertible, CustomReflectable {
    /// What happened, with the number of bytes in place of them.
    public var description: String { TranscriptEntry(time: .zero, event: self).description }

    /// No more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
