/// Which reader for the audio jack is enabled: one at a time, so that no two use the sound card at once. iDynamo readers are
/// always enabled beside it.
///
/// Source: the Mobile Swipe SDK's `AudioJackReaderType`, numbers included.
public enum AudioJackReaderType: Int, Sendable, Hashable, CaseIterable {
    /// ID TECH's UniMag and Shuttle. The vendor's default.
    case unimag = 1
    /// IPS's encrypted reader.
    case ips = 2
    /// None until something is attached, and then whichever it turns out to be.
    case autodetectOnConnect = 3
    /// None.
    case none = 4
    /// IPS Enterprise's encrypted reader.
    case ipsEnterprise = 5
}

extension AudioJackReaderType {
    /// The name of the family of readers that it enables; nil where it enables none.
    package var family: String? { ReaderKind(self)?.family }
}

/// The spelling of the vendor's text.
@available(*, deprecated, renamed: "AudioJackReaderType.autodetectOnConnect")
public let AudioReaderAutodetectOnConnect = AudioJackReaderType.autodetectOnConnect  // swift-format-ignore
