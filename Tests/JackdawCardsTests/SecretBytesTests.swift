import JackdawBytes
import JackdawTestSupport
import Testing

@testable import JackdawCards

@Suite struct SecretBytesTests {
    @Test func holdsACopy() {
        var original: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(copying: original.span)
        original[0] = 9
        #expect(secret.count == 3)
        #expect(secret.withBytes { [$0[0], $0[1], $0[2]] } == [1, 2, 3])
    }

    @Test func mayBeEmpty() {
        let secret = SecretBytes(copying: [UInt8]().span)
        #expect(secret.count == 0)
        #expect(secret.withBytes { $0.isEmpty })
        let clone = secret.clone()
        let isEqual = secret.isEqual(to: clone)
        #expect(isEqual)
    }

    @Test func unfilledBytesAreZeros() {
        let secret = SecretBytes(count: 3) { $0[1] = 7 }
        #expect(secret.withBytes { [$0[0], $0[1], $0[2]] } == [0, 7, 0])
    }

    @Test func errorsOfFillingAreRethrown() {
        let failure = CardDataError(.field, at: 1, expected: "y")
        #expect(throws: failure) {
            let secret = try SecretBytes(count: 3) { (bytes) throws(CardDataError) in
                bytes[0] = 7
                throw failure
            }
            Issue.record("filled \(secret.count) bytes")
        }
    }

    @Test func changesAreMadeInPlace() {
        var secret = SecretBytes(copying: [1, 2, 3].span)
        let clone = secret.clone()
        let address = secret.address
        let sum = secret.withMutableBytes { bytes in
            bytes[1] = 7
            return bytes[0] + bytes[1] + bytes[2]
        }
        #expect(sum == 11)
        #expect(secret.withBytes { [$0[0], $0[1], $0[2]] } == [1, 7, 3])
        #expect(clone.withBytes { [$0[0], $0[1], $0[2]] } == [1, 2, 3])
        #expect(secret.address == address)
    }

    @Test func cloneIsASecondBuffer() {
        let first = SecretBytes(copying: ascii("secret").span)
        let second = first.clone()
        let isEqual = first.isEqual(to: second)
        #expect(isEqual)
        #expect(first.address != second.address)
    }

    @Test func comparesEveryByteAndTheLength() {
        let reference = ascii("4111111111111111")
        var others = [reference.dropLast(), reference + [0x31]].map(Array.init)
        for place in reference.indices {
            others.append(reference)
            others[others.count - 1][place] ^= 0x80
        }
        for other in others {
            let isEqual = SecretBytes(copying: reference.span).isEqual(to: SecretBytes(copying: other.span))
            #expect(!isEqual)
        }
    }

    @Test func saysHowMuchNotWhat() {
        let description = SecretBytes(copying: ascii("4111111111111111").span).description
        #expect(description == "16 secret bytes")
    }

    @Test func passesErrorsOn() {
        let secret = SecretBytes(copying: ascii("x").span)
        #expect(throws: CardDataError(.field, at: 1, expected: "y")) {
            try secret.withBytes { (_) throws(CardDataError) in throw CardDataError(.field, at: 1, expected: "y") }
        }
    }

    @Test func zeroesMemory() {
        var bytes: [UInt8] = [1, 2, 3]
        unsafe bytes.withUnsafeMutableBytes { unsafe overwrite($0) }
        #expect(bytes == [0, 0, 0])
    }

    @Test func releasedBytesAreOverwritten() throws {
        let pattern = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 17) }
        var address: UInt = 0
        var seenWhileHeld = false
        do {
            let secret = SecretBytes(copying: pattern.span)
            address = secret.address
            seenWhileHeld = try processMemory(at: address, count: pattern.count).elementsEqual(pattern)
        }
        let left = try processMemory(at: address, count: pattern.count)
        #expect(seenWhileHeld)
        // The allocator may write its own notes into freed memory, so not all of it is zero.
        let kept = zip(left, pattern).count { $0 == $1 && $1 != 0 }
        #expect(kept < 64)
    }
}

extension SecretBytes {
    fileprivate var address: UInt {
        withBytes { bytes in unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    }
}

@Suite struct SecretTextTests {
    @Test func comparesByContent() {
        let text = SecretText(copying: ascii("AAB").span)
        #expect(text[0..<1] == text[1..<2])
        #expect(text[0..<1] != text[2..<3])
        #expect(text[0..<1] != text[0..<2])
    }

    @Test func splitsAndTrims() {
        let text = SecretText(copying: ascii(" A $$B").span)
        #expect(text.split(at: ASCII.dollar).map { $0.trimmed.revealedText() } == ["A", "", "B"])
        #expect(SecretText(copying: ascii("   ").span).trimmed.isEmpty)
    }

    @Test func outlivesTheTrackItCameFrom() throws {
        func field() throws -> SecretText {
            try parse(";4111111111111111=25122011143804400000?", as: Track2.self).discretionaryData
        }
        #expect(try field().revealedText() == "1143804400000")
    }
}
