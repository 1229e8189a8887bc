/// A protocol whose single frames can be explained without a reader. Each family adds its own line to ``all``.
public struct FrameProtocol: Sendable {
    /// Frames of one direction and kind.
    struct Variant: Sendable {
        let direction: FrameDirection
        let format: any FrameExplainer
        /// Whether a frame with right checks is one of these, where those of another kind have the same.
        var isLikely: @Sendable ([UInt8]) -> Bool = { _ in true }
    }

    /// What it is called in commands: lower case, no blanks.
    public let name: String
    /// Whose it is, in a few words.
    public let title: String
    /// How much of it its makers have published.
    public let provenance: Provenance
    let variants: [Variant]

    /// All of them, by name. HiJack is not among them: it sends plain bytes, without a frame.
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
                // Commands and answers are written alike; a swipe is not.
                Variant(direction: .answer, format: MagTekFormat(.answer), isLikely: MagTekFormat.isSwipeOrKnownResult),
                Variant(direction: .command, format: MagTekFormat(.command), isLikely: MagTekFormat.isKnownCommand),
            ]),
        FrameProtocol(
            "miura", "Miura MPI", .documented,
            [
                // A command and a plain answer are framed alike.
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
                // Both ways are framed alike.
                Variant(direction: .command, format: NGAFormat(.command), isLikely: NGAFormat.isCommand),
                Variant(direction: .answer, format: NGAFormat(.answer), isLikely: { !NGAFormat.isCommand($0) }),
            ]),
        FrameProtocol("udynamo", "MagTek uDynamo: packets of its line", .reported, bothWays(DynamoPacketFormat())),
    ]

    /// Frames that are the same both ways.
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
    ///   - bytes: from the first to the last byte of the frame.
    ///   - direction: which way it goes; nil where the frame itself has to tell.
    ///   - isRevealing: whether card data is shown whole; else it is masked.
    /// - Returns: what the frame says, both ways where it may go either way.
    /// - Throws: ``FrameFault`` where it is none of this protocol, of the kind of frame that it resembles longest.
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
        if found.isEmpty { throw nearest ?? FrameFault(.start, at: 0, "no frame of this protocol goes that way") }
        return found
    }
}

/// What a frame says.
public struct ExplainedFrame: Sendable, Hashable {
    /// Which way it goes.
    public let direction: FrameDirection
    /// Its fields, in their order and without a gap.
    public let fields: [FrameField]
}
