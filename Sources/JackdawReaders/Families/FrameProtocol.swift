/// A protocol whose frames can be explained without a reader. Each family declares its own.
public struct FrameProtocol: Sendable {
    /// The name in commands: lower case, without spaces.
    public let name: String
    /// The maker and the readers, in a few words.
    public let title: String
    /// How much of the protocol the makers have published.
    public let provenance: Provenance
    /// The kinds of its frames.
    package let kinds: [FrameKind]

    init(_ name: String, _ title: String, _ provenance: Provenance, _ kinds: [FrameKind]) {
        self.name = name
        self.title = title
        self.provenance = provenance
        self.kinds = kinds
    }

    /// Explains bytes that are one frame.
    /// - Parameters:
    ///   - bytes: the frame from its first to its last byte.
    ///   - direction: the direction of the frame; nil if the frame itself must show it.
    ///   - isRevealing: whether card data is shown; otherwise it is masked.
    /// - Returns: the meaning of the frame; one for each direction if the frame is valid in both.
    /// - Throws: ``FrameFault`` if the bytes are not a frame of this protocol: the fault with the greatest offset among
    ///   the kinds.
    public func explain(
        _ bytes: [UInt8], direction: FrameDirection? = nil, isRevealing: Bool = false
    ) throws(FrameFault) -> [ExplainedFrame] {
        var found: [ExplainedFrame] = []
        var nearest: FrameFault?
        let variants = kinds.flatMap { kind in kind.directions.map { (kind, $0) } }
        for (kind, own) in variants where direction ?? own == own {
            guard !found.contains(where: { $0.direction == own }) else { continue }
            do throws(FrameFault) {
                try kind.format.check(bytes)
                guard direction != nil || kind.isLikely(bytes) else { continue }
                let fields = kind.format.fields(of: bytes, isRevealing: isRevealing)
                found.append(ExplainedFrame(direction: own, fields: fields))
            } catch {
                if nearest.map({ $0.offset < error.offset }) ?? true { nearest = error }
            }
        }
        if found.isEmpty { throw nearest ?? FrameFault(.start, at: 0, "the protocol has no frames in this direction") }
        return found
    }
}

/// One kind of a protocol's frames: their format, and examples for fuzzing and for the benchmark.
package struct FrameKind: Sendable {
    /// The name within the protocol, such as `answers`; empty if one kind suffices.
    package let name: String
    let format: any FrameExplainer
    /// The directions in which such frames are sent; none if only a driver reads them.
    let directions: [FrameDirection]
    /// Whether a frame with correct checks is of this kind, if frames of another kind have the same checks.
    let isLikely: @Sendable ([UInt8]) -> Bool
    /// The formats that divide a stream into such frames; fuzzing gives them hostile bytes.
    package var streams: [any FrameFormat] { otherStreams ?? (format as? any FrameFormat).map { [$0] } ?? [] }
    private let otherStreams: [any FrameFormat]?
    /// The format without a lower limit than readers have; nil if such frames are not cut out of a stream.
    package var stream: (any FrameFormat)? { (format as? any FrameFormat) ?? streams.first }
    /// Streams from which fuzzing starts, in hexadecimal digits: published frames, with other bytes between them.
    package let seeds: [String]
    /// Returns frames of usual sizes, by a name for the benchmark.
    package let measured: @Sendable () throws(FrameFault) -> [(name: String, frames: [[UInt8]])]

    /// - Parameters:
    ///   - name: the name within the protocol.
    ///   - format: explains the frames.
    ///   - directions: the directions in which they are sent, the likelier one first.
    ///   - isLikely: whether a frame with correct checks is of this kind. Default: true.
    ///   - streams: the formats for streams, if they differ from `format`: a lower limit lets fuzzing reach it.
    ///   - seeds: streams in hexadecimal digits; blanks do not count.
    ///   - measured: frames for the benchmark.
    init(
        _ name: String, _ format: any FrameExplainer, _ directions: FrameDirection...,
        isLikely: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }, streams: [any FrameFormat]? = nil,
        seeds: [String] = [],
        measured: @escaping @Sendable () throws(FrameFault) -> [(name: String, frames: [[UInt8]])] = { [] }
    ) {
        self.name = name
        self.format = format
        self.directions = directions
        self.isLikely = isLikely
        otherStreams = streams
        self.seeds = seeds
        self.measured = measured
    }

    /// Bytes without a meaning, the same for each call.
    static func filler(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) } }
}

/// The meaning of a frame in one direction.
public struct ExplainedFrame: Sendable, Hashable {
    /// The direction of the frame, command or answer.
    public let direction: FrameDirection
    /// The fields, in order and without a gap.
    public let fields: [FrameField]
}
