/// A message of payments at readers whose wire format is not published, by its published name. The content of a frame
/// is the number of the message, which a profile supplies, and its data.
package protocol PaymentWireMessage: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == String {
    /// The key of the message's number in a profile. Default: `payment.` and the name.
    var key: ProfileKey { get }
}

extension PaymentWireMessage {
    package var key: ProfileKey { ProfileKey(rawValue: "payment.\(rawValue)") }

    /// The names of all messages whose numbers are keys of payments only.
    static var names: [ProfileKey: String] {
        var names: [ProfileKey: String] = [:]
        for message in allCases where message.key.rawValue.hasPrefix("payment.") {
            names[message.key] = message.rawValue
        }
        return names
    }
}

/// The wire format of a family's payments, with the layout and the numbers from a profile.
package struct PaymentWire<Message: PaymentWireMessage>: Sendable {
    /// The format of the frames.
    package let format: LayoutFormat
    private let numbers: [Message: UInt8]

    /// - Parameter profile: a profile with all values of the wire format.
    /// - Throws: ``ReaderError``: `missingValue` that names all missing values, `badProfile`.
    package init(_ profile: ReaderProfile) throws(ReaderError) {
        let messages = Array(Message.allCases)
        try profile.require(FrameLayout.profileKeys + messages.map { $0.key })
        format = LayoutFormat(try FrameLayout(profile))
        var numbers: [Message: UInt8] = [:]
        for message in messages {
            numbers[message] = UInt8(clamping: try profile.integer(message.key, in: 0...255))
        }
        guard Set(numbers.values).count == numbers.count else {
            throw ReaderError(.badProfile, "the profile \"\(profile.name)\" has two messages with the same number")
        }
        self.numbers = numbers
    }

    /// Makes a frame.
    /// - Parameters:
    ///   - message: the message.
    ///   - data: its data; no message has more than a frame can hold.
    /// - Returns: the frame; empty if the data is too long.
    package func frame(_ message: Message, _ data: [UInt8] = []) -> [UInt8] {
        (try? format.frame([numbers[message] ?? 0] + data)) ?? []
    }

    /// Reads a frame.
    /// - Parameter frame: a whole frame.
    /// - Returns: the message and its data; nil if its number is not known.
    package func read(_ frame: Span<UInt8>) -> (message: Message, data: [UInt8])? {
        let content = format.content(of: frame)
        guard let first = content.first, let message = numbers.first(where: { $0.value == frame[first] })?.key else {
            return nil
        }
        return (message, content.dropFirst().map { frame[$0] })
    }
}

/// The bytes of a reader during a payment, cut into messages. A frame that stays incomplete ends after a silence.
struct PaymentInput<Message: Sendable>: ~Copyable {
    /// A part of the input.
    enum Item: Sendable {
        case message(Message)
        /// Input that is no message, in a few words without card data.
        case note(String)
    }

    /// The time at which ``advance(to:_:)`` has work to do; nil if there is no deadline.
    private(set) var deadline: Duration?
    private let silence: Duration
    private var frames: FrameReader<LayoutFormat>

    /// - Parameters:
    ///   - format: the format of the frames.
    ///   - silence: the longest pause in a frame.
    init(_ format: LayoutFormat, silence: Duration) {
        self.silence = silence
        frames = FrameReader(format)
    }

    /// Handles bytes from the reader.
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - now: the current time.
    ///   - read: reads a frame; returns nil if it is no message.
    /// - Returns: the messages, and notes on the rest.
    mutating func receive(_ bytes: Span<UInt8>, at now: Duration, _ read: (Span<UInt8>) -> Message?) -> [Item] {
        var items: [Item] = []
        frames.receive(bytes) { event, frame in
            if let item = Self.item(event, frame, read) { items.append(item) }
        }
        deadline = frames.pendingCount > 0 ? now + silence : nil
        return items
    }

    /// Ends a frame after a silence.
    /// - Parameters:
    ///   - now: the current time.
    ///   - read: reads a frame; returns nil if it is no message.
    /// - Returns: the messages, and notes on the rest.
    mutating func advance(to now: Duration, _ read: (Span<UInt8>) -> Message?) -> [Item] {
        guard let due = deadline, due <= now else { return [] }
        deadline = nil
        var items: [Item] = []
        frames.finish { event, frame in
            if let item = Self.item(event, frame, read) { items.append(item) }
        }
        return items
    }

    /// Discards an incomplete frame.
    mutating func reset() {
        frames.reset()
        deadline = nil
    }

    private static func item(
        _ event: FrameEvent, _ frame: Span<UInt8>, _ read: (Span<UInt8>) -> Message?
    ) -> Item? {
        switch event {
        case .frame: read(frame).map(Item.message) ?? .note("a message that is not known")
        case .fault(let fault, _): .note("bytes that are no frame: \(fault)")
        case .skipped: nil
        }
    }
}
