/// One field of a frame, as ``FrameExplainer/fields(of:isRevealing:)`` explains it.
public struct FrameField: Sendable, Hashable {
    /// Its name in the protocol's own words.
    public let name: String
    /// Its bytes, counted from the frame's first.
    public let range: Range<Int>
    /// What they say; card data masked.
    public let value: String

    /// - Parameters:
    ///   - name: its name in the protocol's own words.
    ///   - range: its bytes, counted from the frame's first.
    ///   - value: what they say; card data masked.
    public init(_ name: String, _ range: Range<Int>, _ value: String) {
        self.name = name
        self.range = range
        self.value = value
    }
}
