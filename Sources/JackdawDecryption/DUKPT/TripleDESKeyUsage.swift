/// What a working key of X9.24-1 is for. Request is from the reader, response to it.
public enum TripleDESKeyUsage: Sendable, Hashable, CaseIterable {
    /// PINs; with MagTek's readers, tracks, too.
    case pin
    /// Codes of what the reader sends.
    case macRequest
    /// Codes of what the reader gets.
    case macResponse
    /// Data of the reader, and both ways: the variant, encrypted by itself.
    case dataRequest
    /// Data for the reader: the variant, encrypted by itself.
    case dataResponse
    /// Data of the reader by the variant alone, which some readers leave at that.
    case plainDataRequest

    /// The byte of each half, from the left, all whose bits are turned over.
    var variantByte: Int {
        switch self {
        case .pin: 7
        case .macRequest: 6
        case .macResponse: 4
        case .dataRequest, .plainDataRequest: 5
        case .dataResponse: 3
        }
    }

    /// Whether each half of the variant is encrypted by the variant, the one-way function for data.
    var isOneWay: Bool { self == .dataRequest || self == .dataResponse }
}
