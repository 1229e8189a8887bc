/// What is wrong with an answer to service discovery.
enum ServiceDiscoveryFault: Error, Hashable, CustomStringConvertible {
    /// It ends too early.
    case truncated
    /// It goes on behind its end.
    case excess
    /// It nests deeper than any record does.
    case tooDeep
    /// It is longer than any record is.
    case tooLong
    /// An element of a kind or size that does not exist, by its first byte.
    case unknownElement(UInt8)
    /// Something else than the protocol has there.
    case unexpected
    /// The device goes on asking to be asked again and tells nothing.
    case noProgress
    /// The device reports an error, by its number.
    case refused(UInt16)

    /// In words.
    var description: String {
        switch self {
        case .truncated: "it ends too early"
        case .excess: "it goes on behind its end"
        case .tooDeep: "it nests too deep"
        case .tooLong: "it is too long"
        case .unknownElement(let byte): "an element begins with \(byte)"
        case .unexpected: "it is no answer to the question"
        case .noProgress: "it goes on without telling anything"
        case .refused(1): "error 1, no such version"
        case .refused(2): "error 2, no such record"
        case .refused(3): "error 3, the request's form"
        case .refused(4): "error 4, the request's size"
        case .refused(5): "error 5, the continuation"
        case .refused(6): "error 6, the device has no room"
        case .refused(let code): "error \(code)"
        }
    }
}
