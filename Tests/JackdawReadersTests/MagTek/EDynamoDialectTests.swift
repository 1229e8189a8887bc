import JackdawReaders
import JackdawTestSupport
import Testing

/// What eDynamo's notifications mean: records that MagTek prints and such made of the manual's table of offsets, in
/// blocks as it has them.
@Suite struct EDynamoDialectTests {
    private var dialect = EDynamoDialect()

    private func meanings(_ notifications: [[UInt8]]) -> [String] {
        words(notifications.flatMap { dialect.understand($0.span, answering: nil) })
    }

    private func blocks(_ record: [UInt8], kind: UInt8 = 0, size: Int = 20) throws -> [[UInt8]] {
        let content = kind & 1 == 0 ? record : MagTekRunLength.encode(record.span)
        return try MagTekBlockJoiner.blocks(of: [kind] + content, size: size)
    }

    @Test func theReaderReceivesNoRequests() {
        #expect(dialect.identification.isEmpty)
        #expect(dialect.arming(for: .seconds(20)).isEmpty)
        #expect(dialect.isAlwaysArmed)
        #expect(throws: ReaderError.self) { try dialect.asking(.firmware) }
    }

    @Test(arguments: [UInt8(0), 1], [20, 100]) func aSwipeIsReadOfItsBlocks(kind: UInt8, size: Int) throws {
        let notifications = try blocks(MagTekCardRecordTests.record, kind: kind, size: size)
        #expect(meanings(notifications.dropLast()).isEmpty)
        let last = try #require(notifications.last)
        let found = dialect.understand(last.span, answering: nil)
        #expect(
            words(found)
                == ["reported: battery 87 %", "swipe: edynamo 545200******7189, encrypted (triple DES)"].map {
                    $0.replacing("triple DES", with: ReaderSwipe.Cipher.tripleDES.rawValue)
                })
        guard case .swipe(let swipe) = found.last else { return }
        #expect(
            swipe.parts == [
                .maskedTrack(1), .maskedTrack(2), .maskedTrack(3), .encryptedTrack(1), .encryptedTrack(2),
                .encryptedTrack(3), .magnePrintStatus, .magnePrint, .serialNumber, .session, .keySerialNumber, .frame,
            ])
        #expect(text(.serialNumber, of: swipe) == "B0C28D5")
        let serial = swipe.withPart(.keySerialNumber) { bytes in bytes.indices.map { bytes[$0] } }
        #expect(serial == hex("FFFF9876543210E00008"))
    }

    /// The record of 99875475-10, appendix D: encrypted, and never taken for clear.
    @Test func thePublishedRecordIsEncrypted() throws {
        let record = Array(PublishedSwipes.magTekRecord.dropFirst())
        let found = try blocks(record).flatMap { dialect.understand($0.span, answering: nil) }
        guard case .swipe(let swipe) = found.last else { return #expect(Bool(false), "\(words(found))") }
        #expect(swipe.cipher == .tripleDES)
        #expect(swipe.maskedNumber == "545200******7189")
        #expect(!swipe.parts.contains { if case .track = $0 { true } else { false } })
        #expect(swipe.parts.isSuperset(of: (1...3).map { .encryptedTrack($0) }))
        let number = swipe.withPart(.keySerialNumber) { bytes in bytes.indices.map { bytes[$0] } }
        #expect(number == hex("FFFF9876543210E00008"))
    }

    /// The record of D998200115-17, appendix B.1.1: security level 2.
    @Test func thePublishedRecordOfAReaderThatEncryptsNothingIsInClear() throws {
        let record = Array(PublishedSwipes.eDynamoClear.dropFirst())
        let found = try blocks(record).flatMap { dialect.understand($0.span, answering: nil) }
        guard case .swipe(let swipe) = found.last else { return #expect(Bool(false), "\(words(found))") }
        #expect(swipe.cipher == nil)
        #expect(text(.track(2), of: swipe) == ";5452300551227189=080432100000007250?")
        #expect(!swipe.parts.contains(.keySerialNumber))
    }

    @Test func withoutAKeyTracksAreInClear() throws {
        var record = [UInt8](repeating: 0, count: 931)
        let track = Array(";4111111111111111=28121010000012345678?".utf8)
        record.replaceSubrange(119..<119 + track.count, with: track)
        record[4] = 40
        record[853] = UInt8(track.count)
        record[930] = 101
        let found = try blocks(record).flatMap { dialect.understand($0.span, answering: nil) }
        guard case .swipe(let swipe) = found.last else {
            Issue.record("no swipe")
            return
        }
        #expect(swipe.cipher == nil)
        // Its padding is left out.
        #expect(text(.track(2), of: swipe) == ";4111111111111111=28121010000012345678?")
        #expect(words(found).first == "reported: battery unknown")
    }

    @Test func lostBlocksAreReportedOnce() throws {
        var notifications = try blocks(MagTekCardRecordTests.record)
        notifications.remove(at: 3)
        #expect(meanings(notifications) == ["bad swipe: lostMessage 3"])
        // The next one is whole again.
        #expect(meanings(try blocks(MagTekCardRecordTests.record)).count == 2)
        #expect(meanings([[]]) == ["bad swipe: lostMessage"])
    }

    @Test func recordsWithoutTracksAreBadSwipes() throws {
        let blank = [UInt8](repeating: 0, count: 867)
        #expect(meanings(try blocks(blank)) == ["bad swipe: no track was read"])
        // Bits 1 and 2 are always set (D998200115-17, 6.6).
        var exhausted = blank
        exhausted[494] = 0x07
        #expect(meanings(try blocks(exhausted)) == ["bad swipe: no key is left"])
        var late = blank
        late[494] = 0x16
        #expect(meanings(try blocks(late)) == ["gave up"])
        var expired = blank
        expired.replaceSubrange(493..<495, with: [0x01, 0x06])
        #expect(meanings(try blocks(expired)) == ["bad swipe: expired"])
        // Every track has an error (6.2 to 6.4), whatever else is there.
        var damaged = MagTekCardRecordTests.record
        for track in 0..<3 { damaged[track] = 1 }
        #expect(meanings(try blocks(damaged)).last == "bad swipe: no track was read")
        var long = blank
        long[3] = 113
        #expect(meanings(try blocks(long)).first?.hasPrefix("bad swipe: badFields") == true)
        #expect(meanings([[0, 2, 1, 2], [0xFF, 1]]) == ["unknown: a notification of 2 bytes"])
        #expect(
            meanings([[0, 9], [0xFF, 1]]).first?.hasPrefix("bad swipe: a message of the reader cannot be") == true)
        #expect(
            meanings([[0, 1, 5, 5], [0xFF, 1]]).first?.hasPrefix("bad swipe: a message of the reader cannot") == true)
    }

    @Test mutating func aMessageThatHasBegunIsForgotten() throws {
        let notifications = try blocks(MagTekCardRecordTests.record)
        _ = meanings(Array(notifications.prefix(5)))
        dialect.reset()
        #expect(meanings(notifications).count == 2)
    }

    @Test func aPacketIsAFrameHoweverLongItIs() {
        var reader = FrameReader(AnyFrameFormat(dialect.format(awaiting: nil)))
        var frames: [Int] = []
        var skipped: [Range<Int>] = []
        for count in [1, 20, 512, 513, 3] {
            reader.receive([UInt8](repeating: 7, count: count).span) { event, frame in
                if case .frame = event { frames.append(frame.count) }
                if case .skipped(let range) = event { skipped.append(range) }
            }
        }
        #expect(frames == [1, 20, 512, 3])
        #expect(skipped == [533..<1046])
        #expect(reader.pendingCount == 0)
    }
}
