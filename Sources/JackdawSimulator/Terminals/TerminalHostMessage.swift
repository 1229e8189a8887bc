import JackdawEMV
import JackdawReaders

/// The messages between a simulated terminal and its host. **Invented**: the messages of real terminals are
/// enciphered, and not published.
///
/// A frame has a byte 02, the length of its content in two bytes, the content, CRC-16/CCITT-FALSE and a byte 03. The
/// content is BER-TLV: reference (DF01), kind (DF02), PIN block (DF03) or scripts (DF04), and objects of EMV.
enum TerminalHostMessage {
    private static let reference: Tag = 0xDF01
    private static let kind: Tag = 0xDF02
    private static let pinBlock: Tag = 0xDF03
    private static let scripts: Tag = 0xDF04
    /// The authorisation code (EMV Book 3, annex A).
    private static let authorisationCode: Tag = 0x89

    private static let format = LayoutFormat(
        FrameLayout(start: [0x02], lengthSize: 2, counted: .content, check: .crc16, checked: .start, end: [0x03]))
    /// The bytes before the content of a frame, and as many after it.
    private static let framing = 3

    // MARK: messages of the terminal

    /// The frame of a message to the issuer.
    static func encode(_ request: IssuerRequest) -> [UInt8] {
        var content = TagLengthValueBuilder()
        content.append(reference, Array(request.reference.utf8))
        switch request.content {
        case .authorisation(let objects, let block):
            content.append(kind, [1])
            if let block { content.append(pinBlock, block) }
            append(objects, to: &content)
        case .reversal(let objects):
            content.append(kind, [2])
            if let objects { append(objects, to: &content) }
        case .confirmation(let objects):
            content.append(kind, [3])
            append(objects, to: &content)
        case .advice(let objects):
            content.append(kind, [4])
            append(objects, to: &content)
        case .refund: content.append(kind, [5])
        }
        return frame(content)
    }

    /// Reads the content of a frame as a message to the issuer; nil if it is none.
    static func request(_ content: [UInt8]) -> IssuerRequest? {
        var objects = DataObjectStore()
        guard (try? objects.add(content.span)) != nil, let code = objects[kind], code.count == 1,
            let name = objects[reference]
        else { return nil }
        let block = objects[pinBlock]
        for tag in [kind, reference, pinBlock] { objects[tag] = nil }
        let message: IssuerRequest.Content
        switch code[0] {
        case 1: message = .authorisation(objects, pinBlock: block)
        case 2: message = .reversal(objects.count == 0 ? nil : objects)
        case 3: message = .confirmation(objects)
        case 4: message = .advice(objects)
        case 5: message = .refund
        default: return nil
        }
        return IssuerRequest(reference: String(decoding: name, as: UTF8.self), message)
    }

    private static func append(_ objects: DataObjectStore, to content: inout TagLengthValueBuilder) {
        content.append(result: objects, pinTag: pinBlock)
    }

    // MARK: replies of the host

    /// The frame of an issuer's reply; nil for one that the terminal cannot read, which has no form here.
    static func encode(_ reply: IssuerReply, to reference: String) -> [UInt8]? {
        var content = TagLengthValueBuilder()
        content.append(Self.reference, Array(reference.utf8))
        switch reply {
        case .decision(let decision):
            content.append(kind, [code(of: decision.verdict)])
            if let code = decision.authorisationCode { content.append(authorisationCode, Array(code.utf8)) }
            content.append(0x8A, decision.response.responseCode.octets)
            if let data = decision.response.authenticationData { content.append(0x91, data) }
            content.append(scripts, decision.response.scripts.octets)
        case .accepted: content.append(kind, [0x20])
        case .refused: content.append(kind, [0x21])
        case .unreadable: return nil
        }
        return frame(content)
    }

    /// A reply, as the terminal reads it.
    enum Reply {
        case decision(HostResponse)
        /// The message is recorded, or refused for good.
        case receipt(isAccepted: Bool)
    }

    /// Reads the content of a frame as a reply about a payment; nil if it is none, or about another payment.
    static func reply(_ content: [UInt8], about payment: String) -> Reply? {
        var objects = DataObjectStore()
        guard (try? objects.add(content.span)) != nil, let code = objects[kind], code.count == 1,
            objects[reference] == Array(payment.utf8)
        else { return nil }
        switch code[0] {
        case 0x20: return .receipt(isAccepted: true)
        case 0x21: return .receipt(isAccepted: false)
        case 0x10, 0x11, 0x12:
            guard let response = objects[0x8A].flatMap({ AuthorisationResponseCode($0) }) else { return nil }
            return .decision(
                HostResponse(
                    isApproved: code[0] == 0x10, responseCode: response, authenticationData: objects[0x91],
                    scripts: objects[scripts] ?? []))
        default: return nil
        }
    }

    private static func code(of verdict: IssuerDecision.Verdict) -> UInt8 {
        switch verdict {
        case .approved: 0x10
        case .declined: 0x11
        case .referred: 0x12
        }
    }

    // MARK: frames and their stream

    private static func frame(_ content: TagLengthValueBuilder) -> [UInt8] {
        // The objects of a decision are shorter than the longest frame.
        (try? format.frame(content.octets)) ?? []
    }

    /// The bytes of a stream that are not a whole frame yet.
    struct Stream: Sendable {
        private var bytes: [UInt8] = []
        /// The most bytes of a frame; no message has more.
        private static let maxFrameSize = 4_096

        /// Adds bytes.
        /// - Parameter more: the next bytes.
        /// - Returns: the contents of the frames that are complete. Bytes that are no frame are skipped.
        mutating func receive(_ more: [UInt8]) -> [[UInt8]] {
            bytes += more
            var contents: [[UInt8]] = []
            var next = 0
            while next < bytes.count {
                switch TerminalHostMessage.format.measure(bytes.span.extracting(next...)) {
                case .whole(let count), .unchecked(let count):
                    let framing = TerminalHostMessage.framing
                    contents.append(Array(bytes[(next + framing)..<(next + count - framing)]))
                    next += count
                case .padding(let count): next += count
                case .partial(let least) where least <= Self.maxFrameSize:
                    bytes.removeFirst(next)
                    return contents
                case .fault, .partial: next += 1
                }
            }
            bytes = []
            return contents
        }
    }
}

/// The host of simulated terminals: an issuer that is reached over streams of bytes. A machine without I/O.
package struct TerminalHost: Sendable {
    /// A task for the owner of the connections.
    package enum Output: Sendable, Hashable {
        /// Bytes for the terminal at a connection.
        case send([UInt8], to: Int)
        /// Close a connection: the issuer cannot be reached.
        case close(Int)
    }

    /// The issuer, with its ledger.
    package private(set) var issuer: SimulatedIssuer
    /// Alters the issuer's answers on their way; nil if nothing does.
    private let wedge: CardWedge?
    private var streams: [Int: TerminalHostMessage.Stream] = [:]
    private var queue = EventQueue<Output>()

    /// - Parameter issuer: the issuer.
    package init(_ issuer: SimulatedIssuer) { self.init(issuer, wedge: nil) }

    /// - Parameters:
    ///   - issuer: the issuer.
    ///   - wedge: alters its answers on their way.
    init(_ issuer: SimulatedIssuer, wedge: CardWedge?) {
        self.issuer = issuer
        self.wedge = wedge
    }

    /// Handles bytes of a terminal.
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - connection: the number of the connection.
    ///   - now: the current time.
    package mutating func receive(_ bytes: [UInt8], from connection: Int, at now: Duration) {
        for content in streams[connection, default: TerminalHostMessage.Stream()].receive(bytes) {
            guard let request = TerminalHostMessage.request(content) else { continue }
            switch issuer.receive(request, at: now) {
            case .replies(let reply, let due):
                let reply =
                    if case .decision(let decision) = reply, let wedge {
                        IssuerReply.decision(wedge.alter(decision))
                    } else {
                        reply
                    }
                guard let frame = TerminalHostMessage.encode(reply, to: request.reference) else { continue }
                queue.add(.send(frame, to: connection), at: due)
            case .isUnreachable(let due): queue.add(.close(connection), at: due)
            case .staysSilent: break
            }
        }
    }

    /// Forgets a connection that was closed.
    package mutating func close(_ connection: Int) { streams[connection] = nil }

    /// The time at which ``advance(to:)`` has outputs; nil if there are none.
    package var nextDeadline: Duration? { queue.nextDeadline }

    /// Returns the outputs up to a time.
    /// - Parameter now: the current time.
    /// - Returns: the outputs, in the order of their times.
    package mutating func advance(to now: Duration) -> [Output] {
        var outputs: [Output] = []
        while let due = queue.nextDeadline, due <= now { outputs.append(queue.removeFirst()) }
        return outputs
    }
}
