/// Why the numbered parts of a message cannot be joined. The message is lost.
public enum JoiningFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A part without a number.
    case empty
    /// A part of a number that none has.
    case impossible(Int)
    /// The part of this number did not come; a later one did.
    case missing(Int)
    /// The part of this number came twice.
    case repeated(Int)
    /// The part of this number came behind later ones.
    case outOfOrder(Int)
    /// So many parts had come when another message began. That one is kept.
    case interrupted(after: Int)
    /// The message ends with another count than that of the parts that came.
    case count(told: Int, received: Int)
    /// The parts together have more bytes than a message has.
    case tooLong(most: Int)

    /// What is wrong, without data of the message.
    public var description: String {
        switch self {
        case .empty: "a part without a number"
        case .impossible(let number): "a part numbered \(number), which none is"
        case .missing(let number): "part \(number) did not come"
        case .repeated(let number): "part \(number) came twice"
        case .outOfOrder(let number): "part \(number) came behind later ones"
        case .interrupted(let count): "another message began behind part \(count - 1)"
        case .count(let told, let received): "\(received) parts came, where \(told) were sent"
        case .tooLong(let most): "more than \(most) bytes"
        }
    }
}
