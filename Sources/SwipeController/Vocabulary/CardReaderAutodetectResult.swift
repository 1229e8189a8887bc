/// What autodetection has found.
///
/// Source: the Mobile Swipe SDK's `CardReaderAutodetectResult`, numbers included.
public enum CardReaderAutodetectResult: Int, Sendable, Hashable, CaseIterable {
    /// ID TECH's UniMag or Shuttle.
    case uniMag = 0
    /// IPS's encrypted reader.
    case ips = 1
    /// IPS Enterprise's encrypted reader.
    case ipsEnterprise = 2
    /// Nothing that answers. A reader may be there all the same: it can be tried again.
    case fail = 3
}
