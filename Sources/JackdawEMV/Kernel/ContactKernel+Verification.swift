// Cardholder verification with the PIN pad and the card: EMV Book 3, section 10.5, and Book 2, section 7.

import JackdawBytes

extension ContactKernel {
    mutating func beginVerification() throws(KernelTermination) {
        guard profile.contains(.cardholderVerificationSupported) else {
            objects.terminal[.cvmResults] = CardholderVerificationResults.none(.unknown).octets
            try beginRiskManagement()
            return
        }
        let list = try objects.form(.cvmList) { try? CardholderVerificationList($0) }
        verification = CardholderVerification(list, objects.verificationSituation(configuration, transaction))
        let step = verification.start()
        try takeStep(step)
    }

    /// Goes on with an answer of the card or the PIN pad.
    mutating func advanceVerification(_ answer: CardholderVerification.Answer) throws(KernelTermination) {
        let step = verification.receive(answer)
        if case .pinCompared = answer { isPINRetry = true }
        try takeStep(step)
    }

    private mutating func takeStep(_ step: CardholderVerification.Step) throws(KernelTermination) {
        switch step {
        case .request(.tryCounter):
            isPINRetry = false
            try requestData(.pinTryCounter, .pinTryCounter)
        case .request(.offlinePIN(let isEnciphered, let triesLeft)):
            let key = isEnciphered ? pinKey : nil
            // Without a key that enciphers the PIN, the cardholder is not asked for it.
            guard !isEnciphered || key != nil else {
                try advanceVerification(.notEnciphered)
                return
            }
            ask(.enterPIN(PINRequest(isOnline: false, triesLeft: triesLeft, isRetry: isPINRetry)), .pin(key))
        case .request(.onlinePIN):
            ask(.enterPIN(PINRequest(isOnline: true, triesLeft: nil, isRetry: false)), .onlinePIN)
        case .finished(let report): try finishVerification(report)
        }
    }

    /// The key with which a PIN is enciphered; nil if the card has none that is valid. 7F, PIN block and challenge take
    /// 17 octets of a block (Book 2, 7.2).
    private var pinKey: RSAPublicKey? {
        do throws(AuthenticationFailure) {
            let key = try authentication.pinKey(of: objects.card, objects.staticData)
            return key.modulus.count >= 17 ? key : nil
        } catch { return nil }
    }

    mutating func takeTryCounter(_ response: CardResponse) throws(KernelTermination) {
        let value = response.requested(.pinTryCounter)
        try advanceVerification(.tryCounter(value?.count == 1 ? value?.first.map { Int($0) } : nil))
    }

    /// Sends a PIN of 4 to 12 digits to the card, or asks for the challenge with which it is enciphered.
    mutating func takePIN(_ digits: SecretOctets, _ key: RSAPublicKey?) throws(KernelTermination) {
        let block = Self.pinBlock(digits)
        if let key {
            ask(.transmit(.getChallenge), .challenge(block, key))
        } else {
            try verify(block, isEnciphered: false)
        }
    }

    /// The block of VERIFY: 2, the number of digits, the digits, padding F (Book 3, 6.5.12).
    private static func pinBlock(_ digits: SecretOctets) -> SecretOctets {
        digits.withOctets { digits in
            SecretOctets(count: 8) { block in
                block[0] = 0x20 | UInt8(digits.count)
                for place in 0..<14 {
                    let digit = place < digits.count ? digits[place] : 0x0F
                    block[1 + place / 2] |= place % 2 == 0 ? digit << 4 : digit
                }
            }
        }
    }

    private mutating func verify(_ pin: SecretOctets, isEnciphered: Bool) throws(KernelTermination) {
        guard let command = try? CardCommand.verify(pin, isEnciphered: isEnciphered) else {
            // The key is too long for a command.
            try advanceVerification(.notEnciphered)
            return
        }
        ask(.transmit(command), .pinVerification)
    }

    mutating func takeChallenge(
        _ response: CardResponse, _ pin: SecretOctets, _ key: RSAPublicKey
    ) throws(KernelTermination) {
        guard response.status == .success, response.data.count == 8 else {
            try advanceVerification(.notEnciphered)
            return
        }
        ask(
            .random(count: key.modulus.count - 17),
            .padding(pin, challenge: response.data.octets, key))
    }

    /// Enciphers a PIN block with random padding (Book 2, 7.2), as many octets as the effect asked for.
    mutating func encipher(
        _ pin: SecretOctets, _ challenge: [UInt8], _ padding: [UInt8], _ key: RSAPublicKey
    ) throws(KernelTermination) {
        var block: [UInt8] = []
        // An array that grows into other memory would leave a copy of the PIN in the old one.
        block.reserveCapacity(key.modulus.count)
        defer { block.wipe() }
        block.append(0x7F)
        pin.withOctets { block.append(copying: $0) }
        block += challenge
        block += padding
        if let enciphered = authentication.primitives.recover(block, with: key) {
            try verify(SecretOctets(enciphered), isEnciphered: true)
        } else {
            try advanceVerification(.notEnciphered)
        }
    }

    private mutating func finishVerification(
        _ report: CardholderVerificationReport
    ) throws(KernelTermination) {
        note(.cardholderVerification(report))
        if let status = report.termination { throw KernelTermination(.status, status: status) }
        tvr.formUnion(report.tvr)
        if report.isPerformed { tsi.insert(.cardholderVerificationPerformed) }
        objects.terminal[.cvmResults] = report.results?.octets
        isSignatureRequired = report.isSignatureRequired
        isOnlinePINCaptured = report.isOnlinePINCaptured
        try beginRiskManagement()
    }
}
