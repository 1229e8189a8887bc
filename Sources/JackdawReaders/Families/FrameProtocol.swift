/// A protocol whose frames can be explained without a reader. Each family adds its own line to ``all``.
public struct FrameProtocol: Sendable {
    /// The frames of one direction and kind.
    struct Variant: Sendable {
        let direction: FrameDirection
        let format: any FrameExplainer
        /// Whether a frame with correct checks is of this kind, if frames of another kind have the same checks.
        var isLikely: @Sendable ([UInt8]) -> Bool = { _ in true }
    }

    /// The name in commands: lower case, without spaces.
    public let name: String
    /// The maker and the readers, in a few words.
    public let title: String
    /// How much of the protocol the makers have published.
    public let provenance: Provenance
    let variants: [Variant]

    /// All protocols, sorted by name. HiJack is not among them, as it sends plain bytes without frames.
    public static let all = [
        FrameProtocol(
            "btmag", "ID TECH BTMag: frames and encrypted swipes", .documented,
            [Variant(direction: .answer, format: IDTechSwipeFormat())] + bothWays(BTMagFormat())),
        FrameProtocol(
            "datecs", "Datecs portable printers and their card readers: packets", .documented,
            [
                Variant(direction: .command, format: DatecsFormat(.command)),
                Variant(direction: .answer, format: DatecsFormat(.answer)),
            ]),
        FrameProtocol(
            "edynamo", "MagTek eDynamo and tDynamo over Bluetooth Low Energy: whole messages", .documented,
            [Variant(direction: .answer, format: MagTekPayloadFormat())]),
        FrameProtocol("flojack", "Flomio FloJack", .documented, bothWays(FloJackFormat())),
        FrameProtocol(
            "idtech", "ID TECH UniMag, Shuttle and SecureMag: settings and encrypted swipes", .documented,
            [
                Variant(direction: .command, format: IDTechCommandFormat()),
                Variant(direction: .answer, format: IDTechSwipeFormat()),
                Variant(direction: .answer, format: IDTechAnswerFormat(awaiting: .settings)),
                Variant(direction: .answer, format: IDTechAnswerFormat(awaiting: .text)),
                Variant(direction: .answer, format: IDTechAnswerFormat(awaiting: .acknowledgement)),
            ]),
        FrameProtocol(
            "ips", "encrypted swipes of IPS readers", .inferred, [Variant(direction: .answer, format: IPSFormat())]),
        FrameProtocol("jsonpos", "Spire SPm20: JSON objects", .documented, bothWays(JSONPOSExplainer())),
        FrameProtocol(
            "magtek", "MagTek iDynamo and other MagneSafe V5 readers", .documented,
            [
                // Commands and answers have the same format; a swipe does not.
                Variant(direction: .answer, format: MagTekFormat(.answer), isLikely: MagTekFormat.isSwipeOrKnownResult),
                Variant(direction: .command, format: MagTekFormat(.command), isLikely: MagTekFormat.isKnownCommand),
            ]),
        FrameProtocol(
            "miura", "Miura MPI", .documented,
            [
                // A command and a plain answer have the same format.
                Variant(direction: .command, format: MiuraFormat(.command), isLikely: MiuraFormat.hasKnownInstruction),
                Variant(
                    direction: .answer, format: MiuraFormat(.answer),
                    isLikely: { !MiuraFormat.hasKnownInstruction($0) }),
            ]),
        FrameProtocol(
            "neo", "ID TECH NEO and ViVOpay, protocol 2", .documented,
            [
                Variant(direction: .command, format: NEOFormat(.command)),
                Variant(direction: .answer, format: NEOFormat(.answer)),
            ]),
        FrameProtocol(
            "nga", "ID TECH Augusta and other readers with the NGA protocol", .documented,
            [
                // Both directions have the same format.
                Variant(direction: .command, format: NGAFormat(.command), isLikely: NGAFormat.isCommand),
                Variant(direction: .answer, format: NGAFormat(.answer), isLikely: { !NGAFormat.isCommand($0) }),
            ]),
        FrameProtocol("udynamo", "MagTek uDynamo: packets of its line", .reported, bothWays(DynamoPacketFormat())),
    ]

    /// Returns the two variants of a format that is the same in both directions.
    private static func bothWays(_ format: any FrameExplainer) -> [Variant] {
        [Variant(direction: .answer, format: format), Variant(direction: .command, format: format)]
    }

    init(_ name: String, _ title: String, _ provenance: Provenance, _ variants: [Variant]) {
        self.name = name
        self.title = title
        self.provenance = provenance
        self.variants = variants
    }

    /// Explains bytes that are one frame.
    /// - Parameters:
    ///   - bytes: the frame from its first to its last byte.
    ///   - direction: the direction of the frame; nil if the frame itself must show it.
    ///   - isRevealing: whether card data is shown; otherwise it is masked.
    /// - Returns: the meaning of the frame; one for each direction if the frame is valid in both.
    /// - Throws: ``FrameFault`` if the bytes are not a frame of this protocol: the fault with the greatest offset among
    ///   the variants.
    public func explain(
        _ bytes: [UInt8], direction: FrameDirection? = nil, isRevealing: Bool = false
    ) throws(FrameFault) -> [ExplainedFrame] {
        var found: [ExplainedFrame] = []
        var nearest: FrameFault?
        for variant in variants where direction ?? variant.direction == variant.direction {
            guard !found.contains(where: { $0.direction == variant.direction }) else { continue }
            do throws(FrameFault) {
                try variant.format.check(bytes)
                guard direction != nil || variant.isLikely(bytes) else { continue }
                let fields = variant.format.fields(of: bytes, isRevealing: isRevealing)
                found.append(ExplainedFrame(direction: variant.direction, fields: fields))
            } catch {
                if nearest.map({ $0.offset < error.offset }) ?? true { nearest = error }
            }
        }
        if found.isEmpty { throw nearest ?? FrameFault(.start, at: 0, "the protocol has no frames in this direction") }
        return found
    }
}

/// The meaning of a frame in one direction.
public struct ExplainedFrame: Sendable, Hashable {
    /// The direction of the frame, command or answer.
    public let direction: FrameDirection
    /// The fields, in order and without a gap.
    public let fields: [FrameField]
}
