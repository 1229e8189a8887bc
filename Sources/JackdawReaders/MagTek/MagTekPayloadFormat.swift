import JackdawDSP

/// Messages of eDynamo and tDynamo over Bluetooth Low Energy, as ``MagTekBlockJoiner`` joins them: a kind
/// (``MagTekPayloadKind``), and a swipe (``MagTekCardRecord``) or a notification behind it.
///
/// Nothing in a message tells its length, so that it is no ``FrameFormat``: the link keeps messages apart.
public struct MagTekPayloadFormat: FrameExplainer {
    /// The format, which has no settings.
    public init() {}

    /// Reads bytes that have to be one message.
    /// - Throws: ``FrameFault``; of a swipe that was shortened, the place in what it was before is in the message.
    public func check(_ bytes: Span<UInt8>) throws(FrameFault) {
        let kind = try Self.kind(of: bytes)
        let content = bytes.extracting(1...)
        do throws(FrameFault) {
            guard kind.isShortened else {
                if kind.isCardData { _ = try MagTekCardRecord(content) }
                return
            }
            var whole = try MagTekRunLength.decode(content)
            defer { whole.wipe() }
            guard kind.isCardData else { return }
            do throws(FrameFault) {
                _ = try MagTekCardRecord(whole.span)
            } catch {
                // What stands there is not sent as it is.
                throw FrameFault(error.code, at: 0, "byte \(error.offset) of the whole record: \(error.message)")
            }
        } catch {
            throw FrameFault(error.code, at: error.offset + 1, error.message)
        }
    }

    /// Explains a message, field by field; one that was shortened as a whole.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        guard let kind = try? Self.kind(of: frame) else { return [] }
        let first = FrameField("kind", 0..<1, "\(kind)")
        guard frame.count > 1 else { return [first] }
        let content = frame.extracting(1...)
        if kind == .cardData, let record = try? MagTekCardRecord(content) {
            return [first] + record.fields(of: content, from: 1, isRevealing: isRevealing)
        }
        return [first, FrameField("content", 1..<frame.count, content.sensitive(isRevealing))]
    }

    /// Reads the kind of a message.
    /// - Throws: ``FrameFault`` (`truncated`) where there is none; (`start`) where it is not a documented one.
    public static func kind(of message: Span<UInt8>) throws(FrameFault) -> MagTekPayloadKind {
        guard message.count > 0 else { throw FrameFault(.truncated, at: 0, "there are no bytes") }
        guard let kind = MagTekPayloadKind(rawValue: message[0]) else { throw .noStart(message[0]) }
        return kind
    }
}
