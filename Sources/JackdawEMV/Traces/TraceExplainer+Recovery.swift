import JackdawBytes

// Certificates and signatures, opened as soon as all parts of their signer's key are known.

extension TraceExplainer {
    /// Opens what can be opened now and is not explained yet.
    mutating func recover() -> [RecoveredBlock] {
        guard hasNewObjects, !keys.keys.isEmpty else { return [] }
        hasNewObjects = false
        var blocks: [RecoveredBlock] = []
        if issuerKey == nil, let block = recoverIssuer() { blocks.append(block) }
        guard let issuerKey else { return blocks }
        let issuer = Signer(name: "issuer key", key: issuerKey)
        if let block = recover(.signedStaticApplicationData, .staticData, by: issuer) { blocks.append(block.block) }
        if cardKey == nil, !recoveredTags.contains(.cardCertificate), isComplete(.cardCertificate, .cardExponent) {
            let parts = (Tag.cardRemainder, Tag.cardExponent)
            if let block = recover(.cardCertificate, .cardCertificate, by: issuer, parts) {
                blocks.append(block.block)
                cardKey = block.key
            }
        }
        if !recoveredTags.contains(.pinCertificate), isComplete(.pinCertificate, .pinExponent),
            let block = recover(.pinCertificate, .cardCertificate, by: issuer, (.pinRemainder, .pinExponent))
        {
            blocks.append(block.block)
        }
        if let cardKey,
            let block = recover(.signedDynamicApplicationData, .dynamicData, by: Signer(name: "card key", key: cardKey))
        {
            blocks.append(block.block)
        }
        return blocks
    }

    private struct Signer {
        let name: String
        let key: RSAPublicKey
    }

    private func isComplete(_ tags: Tag...) -> Bool { tags.allSatisfy { card.contains($0) } }

    private mutating func recoverIssuer() -> RecoveredBlock? {
        guard isComplete(.issuerCertificate, .issuerExponent, .authorityKeyIndex),
            !recoveredTags.contains(.issuerCertificate), let index = card[.authorityKeyIndex], index.count == 1,
            let provider = card[0x84]?.prefix(5), let authority = keys.key(of: Array(provider), index: index[0]),
            authority.key.hasValidExponent
        else { return nil }
        let name = "CA key \(authority.provider.hexadecimal) \(authority.index.hexadecimal)"
        let signer = Signer(name: name, key: authority.key)
        let block = recover(.issuerCertificate, .issuerCertificate, by: signer, (.issuerRemainder, .issuerExponent))
        issuerKey = block?.key
        return block?.block
    }

    /// Opens an object.
    /// - Parameters:
    ///   - tag: the certificate or signature.
    ///   - form: its form.
    ///   - signer: the key.
    ///   - parts: the tags of remainder and exponent of a certificate's key.
    /// - Returns: the block, and the whole key of a certificate if its exponent is valid; nil if the object is not
    ///   there, is explained already, or a part of its key is still missing.
    private mutating func recover(
        _ tag: Tag, _ form: RecoveredBlock.Form, by signer: Signer, _ parts: (remainder: Tag, exponent: Tag)? = nil
    ) -> (block: RecoveredBlock, key: RSAPublicKey?)? {
        guard !recoveredTags.contains(tag), let value = card[tag], value.count == signer.key.modulus.count,
            var plain = primitives.recover(value, with: signer.key)
        else { return nil }
        defer { plain.wipe() }
        var key: RSAPublicKey?
        if let parts, plain.count == value.count {
            let start = form == .issuerCertificate ? 15 : 21
            guard let exponent = card[parts.exponent], plain.count >= start + 21 else { return nil }
            let size = Int(plain[start - 2])
            let room = plain.count - 21 - start
            var modulus = Array(plain[start..<start + min(size, room)])
            if size > room {
                guard let remainder = card[parts.remainder] else { return nil }
                modulus += remainder
            }
            if modulus.count == size { key = RSAPublicKey(modulus: modulus, exponent: exponent) }
        }
        recoveredTags.append(tag)
        let block = RecoveredBlock(tag, signer: signer.name, plain, form, key: key, isRevealing: isRevealing)
        return (block, block.fields.count > 1 && key?.hasValidExponent ?? false ? key : nil)
    }
}
