/// Messages of Spire's SPm20 readers, of which the object is looked into: ``JSONPOSFormat`` cuts them out of a stream by their
/// length alone.
struct JSONPOSExplainer: FrameExplainer {
    private let format = JSONPOSFormat()

    /// Reads bytes that have to be one message.
    /// - Throws: ``FrameFault`` where its frame is none, or its object is no message.
    func check(_ bytes: Span<UInt8>) throws(FrameFault) {
        try format.check(bytes)
        do throws(JSONValue.Fault) {
            _ = try JSONPOSMessage(bytes)
        } catch {
            throw FrameFault(.field, at: JSONPOSFormat.colon + 1, error.message)
        }
    }

    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        format.fields(of: frame, isRevealing: isRevealing)
    }
}
