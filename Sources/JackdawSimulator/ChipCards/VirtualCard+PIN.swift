import JackdawBytes
import JackdawEMV

// The PIN of a virtual card: EMV Book 3, section 6.5.12, and Book 2, section 7.

extension VirtualCard {
    /// GET CHALLENGE: eight random octets for the next command.
    mutating func getChallenge(_ command: CardCommand) -> CardResponse {
        guard command.data.isEmpty else { return .status(.wrongLength) }
        guard command.parameter1 == 0, command.parameter2 == 0 else { return .status(.wrongParameters) }
        guard session.application != nil else { return .status(.conditionsNotSatisfied) }
        let challenge = randomOctets(8)
        session.challenge = challenge
        return CardResponse(data: challenge, status: .success)
    }

    /// VERIFY: compares a PIN, in clear or enciphered. A block that is malformed counts as a wrong PIN.
    mutating func verify(_ command: CardCommand, _ challenge: [UInt8]?) -> CardResponse {
        let isEnciphered = command.parameter2 == 0x88
        guard command.parameter1 == 0, isEnciphered || command.parameter2 == 0x80 else {
            return .status(.wrongParameters)
        }
        guard let index = session.application, session.transaction?.stage == .open else {
            return .status(.conditionsNotSatisfied)
        }
        guard let pin else { return .status(.dataNotFound) }
        let digits: SecretOctets?
        if isEnciphered {
            guard let key = applications[index].pinKey else { return .status(.dataNotFound) }
            guard command.data.count == key.publicKey.modulus.count else { return .status(.wrongLength) }
            guard let challenge else { return .status(.conditionsNotSatisfied) }
            guard triesLeft > 0 else { return .status(.authenticationBlocked) }
            digits = decipher(command.data, challenge, key)
        } else {
            guard command.data.count == 8 else { return .status(.wrongLength) }
            guard triesLeft > 0 else { return .status(.authenticationBlocked) }
            digits = command.data.withOctets { Self.digits(of: $0) }
        }
        session.transaction?.results.isPINPerformed = true
        session.transaction?.results.isPINEnciphered = isEnciphered
        guard digits == pin else {
            triesLeft -= 1
            session.transaction?.results.isPINCorrect = false
            return .status(.triesLeft(triesLeft))
        }
        triesLeft = tryLimit
        session.transaction?.results.isPINCorrect = true
        return .status(.success)
    }

    /// The PIN of an enciphered block: 7F, PIN block, the card's challenge, padding (Book 2, 7.2).
    private func decipher(_ block: SecretOctets, _ challenge: [UInt8], _ key: RSAKeyPair) -> SecretOctets? {
        guard let clear = cryptography.applyPrivate(key, to: block) else { return nil }
        return clear.withOctets { clear in
            guard clear.count >= 17, clear[0] == 0x7F, (0..<8).allSatisfy({ clear[9 + $0] == challenge[$0] }) else {
                return nil
            }
            return Self.digits(of: clear.extracting(1..<9))
        }
    }

    /// The digits of a PIN block of 8 octets, in ASCII: 2, the number of digits, the digits,
    /// padding F; nil if it is none.
    private static func digits(of block: Span<UInt8>) -> SecretOctets? {
        let count = Int(block.digit(1))
        guard block.digit(0) == 2, (4...12).contains(count), (2..<2 + count).allSatisfy({ block.digit($0) < 10 }),
            (2 + count..<16).allSatisfy({ block.digit($0) == 0x0F })
        else { return nil }
        return SecretOctets(count: count) { digits in
            for index in digits.indices { digits[index] = 0x30 | block.digit(2 + index) }
        }
    }
}
