/// The numbers in a message, decimal ones and bytes as upper-case hexadecimal digits, in their order: the values of a
/// message whose words may change.
public func numbers(in message: String) -> [String] {
    let words = message.split { !$0.isLetter && !$0.isNumber && $0 != "-" }
    return words.filter { word in
        let digits = word.drop { $0 == "-" }
        return !digits.isEmpty && digits.allSatisfy { $0.isHexDigit && !$0.isLowercase }
    }
    .map { String($0) }
}
