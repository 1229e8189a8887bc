import JackdawReaders
import JackdawTestSupport
import Testing

/// Swipes as eDynamo sends them over Bluetooth Low Energy: the record that MagTek prints in 99875475-10, appendix D,
/// with values that it has not at the offsets of eDynamo's manual.
@Suite struct MagTekCardRecordTests {
    private static let masked = [
        "%B5452000000007189^HOGAN/PAUL      ^08040000000000000000000?", ";5452000000007189=080400000000000000?",
        "+5163000050000445=000000000000?",
    ]
    private static let encrypted = [
        "C25C1D1197D31CAA87285D59A892047426D9182EC11353C051ADD6D0F072A6CB3436560B3071FC1FD11D9F7E74886742D9BEE0CFD1EA"
            + "1064C213BB55278B2F12",
        "724C5DB7D6F901C7F0FEAE7908801093B3DBFE51CCF6D483E789D7D2C007D539499BAADCC8D16CA2",
        "E31234A91059A0FBFE627954EE21868AEE3979540B67FCC40F61CECA54152D1E",
    ].map(hex)
    private static let magnePrint = hex(
        "8628E664C59BBAA232BA90BFB3E6B41D6F4B691E633C311CBE6EE7466B81196EC07B12648DCAC4FD7FD0E212B479C60BAD8C74F8"
            + "2F327667")

    /// A record of 931 bytes.
    static let record: [UInt8] = {
        var record = [UInt8](repeating: 0, count: 931)
        func put(_ bytes: some Sequence<UInt8>, at offset: Int) {
            for (index, byte) in bytes.enumerated() { record[offset + index] = byte }
        }
        record[1] = 1
        put(encrypted.map { UInt8($0.count) }, at: 3)
        for (index, offset) in [7, 119, 231].enumerated() { put(encrypted[index], at: offset) }
        put(hex("A1050000"), at: 344)
        record[348] = 56
        put(magnePrint, at: 349)
        put("B0C28D5".utf8, at: 477)
        // As printed, high byte first.
        put(hex("0006"), at: 493)
        put(hex("FFFF9876543210E00008"), at: 495)
        put(masked.map { UInt8($0.utf8.count) }, at: 505)
        for (index, offset) in [508, 620, 732].enumerated() { put(masked[index].utf8, at: offset) }
        put(hex("21685F158B5C6BE0"), at: 844)
        put([60, 37, 31, 54], at: 852)
        put([0, 0x07, 0xF1], at: 856)
        put("V05".utf8, at: 859)
        put([UInt8](1...20), at: 867)
        record[887] = 3
        put(hex("FFFF9876543210E00008"), at: 920)
        record[930] = 87
        return record
    }()

    @Test func theFieldsAreFound() throws {
        let record = Self.record
        let swipe = try MagTekCardRecord(record.span)
        for index in 0..<3 {
            #expect(record[swipe.tracks[index].masked].elementsEqual(Self.masked[index].utf8))
            #expect(record[swipe.tracks[index].encrypted].elementsEqual(Self.encrypted[index]))
        }
        #expect(swipe.tracks.map(\.isDamaged) == [false, true, false])
        #expect(swipe.tracks.map(\.length) == [60, 37, 31])
        #expect(swipe.encoding == .bank)
        #expect(swipe.encryption == [.hasKey, .isEncrypting])
        #expect(swipe.magnePrintStatus.contains(.isCapable))
        #expect(swipe.magnePrintStatus.rawValue == 0x05A1)
        #expect(record[swipe.magnePrint].elementsEqual(Self.magnePrint))
        #expect(swipe.magnePrintLength == 54)
        #expect(record[swipe.serialNumber].elementsEqual("B0C28D5".utf8))
        #expect(record[swipe.keySerialNumber].elementsEqual(hex("FFFF9876543210E00008")))
        #expect(record[swipe.session].elementsEqual(hex("21685F158B5C6BE0")))
        #expect(swipe.remainingSwipes == 2033)
        #expect(record[swipe.version].elementsEqual("V05".utf8))
        #expect(swipe.hash == 867..<887)
        #expect(swipe.magnePrintKeySerialNumber == 920..<930)
        #expect(swipe.battery == 87)
    }

    /// The order of the bytes as MagTek prints it, encrypted (99875475-10, page 110) and at security level 2
    /// (D998200115-17, page 189). D998200115-17, 6.6: bits 1 and 2 are always set, so that a byte that has them is the
    /// low one; a secondary key sets the same bits of the high byte.
    @Test(
        arguments: [
            ("0006", 0x0006), ("0002", 0x0002), ("0600", 0x0006), ("0007", 0x0007), ("0016", 0x0016), ("0106", 0x0106),
            ("0601", 0x0106), ("2806", 0x2806), ("0628", 0x2806), ("0606", 0x0606), ("0E06", 0x0E06), ("060E", 0x060E),
            ("0000", 0), ("0200", 0x0200),
        ] as [(String, UInt16)])
    func theEncryptionStatusHasItsHighByteFirst(bytes: String, status: UInt16) throws {
        var record = Self.record
        record.replaceSubrange(493..<495, with: hex(bytes))
        let found = try MagTekCardRecord(record.span).encryption
        #expect(found.rawValue == status)
    }

    @Test func thePublishedRecordIsRead() throws {
        let record = Array(PublishedSwipes.magTekRecord.dropFirst())
        let swipe = try MagTekCardRecord(record.span)
        #expect(swipe.encryption == [.hasKey, .isEncrypting])
        #expect(swipe.tracks.map(\.length) == [60, 37, 31])
        #expect(swipe.magnePrintLength == 54)
        for index in 0..<3 { #expect(record[swipe.tracks[index].encrypted].elementsEqual(Self.encrypted[index])) }
        for index in 0..<2 { #expect(record[swipe.tracks[index].masked].elementsEqual(Self.masked[index].utf8)) }
        #expect(record[swipe.keySerialNumber].elementsEqual(hex("FFFF9876543210E00008")))
    }

    @Test func olderRecordsEndBefore() throws {
        let swipe = try MagTekCardRecord(Array(Self.record[..<887]).span)
        #expect(swipe.hash == 867..<887)
        #expect(swipe.magnePrintKeySerialNumber == nil)
        #expect(swipe.battery == nil)
        expectFault(.truncated, at: 866, "866", "867") {
            _ = try MagTekCardRecord(Array(Self.record[..<866]).span)
        }
        var uncounted = Self.record
        for index in 856..<859 { uncounted[index] = 0xFF }
        let remaining = try MagTekCardRecord(uncounted.span).remainingSwipes
        #expect(remaining == nil)
    }

    @Test(arguments: [(3, 112), (4, 112), (5, 112), (348, 128), (505, 112), (506, 112), (507, 112)])
    func aLengthBeyondItsFieldIsRefused(place: Int, most: UInt8) throws {
        var record = Self.record
        record[place] = most
        #expect(throws: Never.self) { _ = try MagTekCardRecord(record.span) }
        record[place] = most + 1
        expectFault(.length, at: place, "\(most + 1)", "\(most)") {
            _ = try MagTekCardRecord(record.span)
        }
    }

    @Test(arguments: [867, 868, 886, 887, 888, 919, 920, 929, 930, 931, 940])
    func fieldsCoverTheMessageAndShowNoCardDataButOnDemand(count: Int) throws {
        let format = MagTekPayloadFormat()
        let message = [0] + Self.record.prefix(count) + [UInt8](repeating: 0, count: max(0, count - 931))
        #expect(throws: Never.self) { try format.check(message) }
        let fields = format.fields(of: message)
        var next = 0
        for field in fields {
            #expect(field.range.lowerBound == next)
            next = field.range.upperBound
        }
        #expect(next == message.count)
        let values = fields.map(\.value).joined(separator: "\n")
        #expect(!values.contains("35 34 35 32") && !values.contains("C2 5C"))
        #expect(fields.first { $0.name == "masked track 2" }?.value == "37 bytes")
        let shown = format.fields(of: message, isRevealing: true).first { $0.name == "masked track 2" }
        #expect(shown?.value.hasPrefix("3B 35 34 35 32") == true)
    }

    @Test func aMessageIsJoinedReadAndExplained() throws {
        let format = MagTekPayloadFormat()
        let shortened = [1] + MagTekRunLength.encode(Self.record.span)
        #expect(shortened.count < Self.record.count)
        #expect(throws: Never.self) { try format.check(shortened) }
        #expect(format.fields(of: shortened).map(\.name) == ["kind", "content"])
        let wrong: [[UInt8]] = [[], [4, 1], [0, 1, 2], [1, 5, 5], [1, 5, 5, 200], [3, 5, 5, 1]]
        let places = [(FrameFault.Code.truncated, 0), (.start, 0), (.truncated, 3), (.truncated, 3), (.truncated, 1)]
        for (message, place) in zip(wrong, places + [(.field, 3)]) {
            let fault = #expect(throws: FrameFault.self) { try format.check(message) }
            #expect(fault?.code == place.0)
            #expect(fault?.offset == place.1)
        }
        // The message has the place in the whole record, as the record is not sent as it is.
        let short = #expect(throws: FrameFault.self) { try format.check([1, 5, 5, 200]) }
        #expect(short.map { numbers(in: $0.message) } == ["200", "200", "867"])
    }

    @Test func uuidsAreThoseOfTheManual() {
        // As the manual writes them, the least significant byte first.
        let written = "01:02:B6:0C:41:E3:43:F8:8F:89:82:AD:F8:E6:08:05".split(separator: ":").reversed().joined()
        #expect(MagTekService.cardData.uuid.filter { $0 != "-" } == written.lowercased())
        #expect(MagTekService.cardData.provenance == .documented)
        #expect(MagTekService.eDynamo.provenance == .reported)
    }
}
