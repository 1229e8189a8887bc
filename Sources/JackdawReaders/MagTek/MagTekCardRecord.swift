import JackdawBytes

/// The positions of a swipe's fields in the record that eDynamo and tDynamo send over Bluetooth Low Energy.
///
/// Holds no card data itself: each field is a range of the record. ``MagTekSwipe`` is the equivalent for readers that
/// send lines.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 6; records that MagTek has printed are in its appendix
/// B.1.1 (without a key) and in appendix D of the MagneSafe V5 manual 99875475-10 (encrypted), whose offsets are the
/// same.
package struct MagTekCardRecord: Sendable, Hashable {
    /// The coding of the card's tracks.
    package enum Encoding: UInt8, Sendable, Hashable, CaseIterable {
        /// ISO 7813, ABA: bank cards.
        case bank = 0
        /// AAMVA: driving licences.
        case licence = 1
        /// The card has no data.
        case blank = 3
        /// A coding that is not listed here.
        case other = 4
        /// The reader could not determine the coding.
        case undetermined = 5
    }

    package struct Track: Sendable, Hashable {
        /// Whether the track had data that could not be decoded.
        package let isDamaged: Bool
        /// The encrypted track, padded with zeros; in clear if the reader has no key.
        package let encrypted: Range<Int>
        /// The track with most digits masked.
        package let masked: Range<Int>
        /// The number of characters on the card.
        package let length: Int
    }

    package let tracks: [Track]
    /// The coding of the tracks; nil if the number is not documented.
    package let encoding: Encoding?
    /// The reader's encryption status.
    package let encryption: MagTekSwipe.EncryptionStatus
    /// Whether the reader encrypted the tracks; otherwise they are in clear.
    package var isEncrypted: Bool { encryption.encryptsTracks }
    /// The status of the fingerprint and of the card's movement.
    package let magnePrintStatus: MagnePrintStatus
    /// The stripe's fingerprint, encrypted and padded.
    package let magnePrint: Range<Int>
    /// The length of the fingerprint itself, in bytes.
    package let magnePrintLength: Int
    /// The reader's serial number, up to the first zero.
    package let serialNumber: Range<Int>
    /// The key's serial number (KSN).
    package let keySerialNumber: Range<Int>
    /// The session identifier that the program sent, encrypted.
    package let session: Range<Int>
    /// The number of swipes that the reader can still encrypt; nil if it does not count them.
    package let remainingSwipes: Int?
    /// The version of the reader's software, up to the first zero.
    package let version: Range<Int>
    /// SHA-1 of track 2 or of its PAN; nil if the record ends before it. Zeros if the reader does not compute one.
    package let hash: Range<Int>?
    /// KSN of the fingerprint; nil if the record ends before it.
    package let magnePrintKeySerialNumber: Range<Int>?
    /// The battery's charge in per cent; nil if the record ends before it.
    package let battery: Int?

    /// The range of the encryption status, its high byte first.
    package static let encryptionStatus = Place.encryption

    /// The shortest record in bytes: up to the software's version.
    package static let leastSize = Place.version.upperBound
    /// The length in bytes of a record with all documented fields.
    package static let wholeSize = Place.battery + 1

    /// Parses a record.
    /// - Parameter record: the message after its kind, expanded if it was run-length encoded.
    /// - Throws: ``FrameFault`` if it is too short, or a length exceeds its field; the offset is one in the record.
    package init(_ record: Span<UInt8>) throws(FrameFault) {
        guard record.count >= Self.leastSize else {
            throw FrameFault(
                .truncated, at: record.count, "\(record.count) bytes; a record has at least \(Self.leastSize)")
        }
        /// Returns the part of a field that its length states.
        func part(_ field: Range<Int>, lengthAt place: Int) throws(FrameFault) -> Range<Int> {
            let count = Int(record[place])
            guard count <= field.count else {
                throw FrameFault(.length, at: place, "\(count) bytes; the field has \(field.count)")
            }
            return field.lowerBound..<field.lowerBound + count
        }
        /// Returns a text up to its first zero.
        func text(_ field: Range<Int>) -> Range<Int> {
            field.lowerBound..<(field.first { record[$0] == 0 } ?? field.upperBound)
        }
        var tracks: [Track] = []
        for index in 0..<3 {
            tracks.append(
                Track(
                    isDamaged: record[Place.decodeStatus + index] & 1 == 1,
                    encrypted: try part(Place.encryptedTracks[index], lengthAt: Place.encryptedLengths + index),
                    masked: try part(Place.maskedTracks[index], lengthAt: Place.maskedLengths + index),
                    length: Int(record[Place.lengths + index])))
        }
        self.tracks = tracks
        encoding = Encoding(rawValue: record[Place.encoding])
        encryption = MagTekSwipe.EncryptionStatus(
            ofRecord: record[Place.encryption.lowerBound], record[Place.encryption.lowerBound + 1])
        magnePrintStatus = MagnePrintStatus(
            rawValue: Place.magnePrintStatus.reversed().reduce(0) { $0 << 8 | UInt32(record[$1]) })
        magnePrint = try part(Place.magnePrint, lengthAt: Place.magnePrintSize)
        magnePrintLength = Int(record[Place.magnePrintLength])
        serialNumber = text(Place.serialNumber)
        keySerialNumber = Place.keySerialNumber
        session = Place.session
        let remaining = Place.counter.reduce(0) { $0 << 8 | Int(record[$1]) }
        remainingSwipes = remaining == 0xFF_FFFF ? nil : remaining
        version = text(Place.version)
        hash = record.count >= Place.hash.upperBound ? Place.hash : nil
        magnePrintKeySerialNumber =
            record.count >= Place.magnePrintKeySerialNumber.upperBound ? Place.magnePrintKeySerialNumber : nil
        battery = record.count > Place.battery ? Int(record[Place.battery]) : nil
    }

    /// The positions of fields, in bytes from the record's first.
    enum Place {
        static let decodeStatus = 0
        static let encryptedLengths = 3
        static let encoding = 6
        static let encryptedTracks = [7..<119, 119..<231, 231..<343]
        static let cardStatus = 343
        static let magnePrintStatus = 344..<348
        static let magnePrintSize = 348
        static let magnePrint = 349..<477
        static let serialNumber = 477..<493
        static let encryption = 493..<495
        static let keySerialNumber = 495..<505
        static let maskedLengths = 505
        static let maskedTracks = [508..<620, 620..<732, 732..<844]
        static let session = 844..<852
        static let lengths = 852
        static let magnePrintLength = 855
        static let counter = 856..<859
        static let version = 859..<867
        static let hash = 867..<887
        static let reportVersion = 887
        static let magnePrintKeySerialNumber = 920..<930
        static let battery = 930

        /// Fields of the reader and its key, and fields that describe other fields.
        static let ofNoCard = [
            decodeStatus..<encryptedTracks[0].lowerBound, cardStatus..<magnePrint.lowerBound, serialNumber, encryption,
            keySerialNumber, maskedLengths..<maskedTracks[0].lowerBound, lengths..<counter.lowerBound,
            reportVersion..<reportVersion + 1, battery..<battery + 1,
        ]
    }
}

extension MagTekCardRecord {
    /// Explains a record, field by field.
    /// - Parameters:
    ///   - record: the record that was parsed.
    ///   - start: the index of the record in the message that is explained.
    ///   - isRevealing: whether card data is shown.
    /// - Returns: the fields, in order and without a gap.
    func fields(of record: Span<UInt8>, from start: Int, isRevealing: Bool) -> [FrameField] {
        var fields: [FrameField] = []
        func add(_ name: String, _ range: Range<Int>, _ value: String) {
            fields.append(FrameField(name, range.lowerBound + start..<range.upperBound + start, value))
        }
        func bytes(_ range: Range<Int>) -> String { record.extracting(range).spacedHexadecimal() }
        // Hash, fingerprint, and the tracks of a reader without a key are card data.
        func sensitive(_ range: Range<Int>) -> String { record.extracting(range).sensitive(isRevealing) }
        func numbers(_ range: Range<Int>) -> String { range.map { "\(record[$0])" }.joined(separator: ", ") }

        let status = tracks.enumerated().map { "\($0 + 1) \($1.isDamaged ? "damaged" : "no error")" }
        add("track status", 0..<3, status.joined(separator: ", "))
        add("encrypted lengths", 3..<6, numbers(3..<6))
        add("encoding", 6..<7, encoding.map { "\($0)" } ?? "\(record[6].hexadecimal) unknown")
        for (index, track) in tracks.enumerated() {
            add("encrypted track \(index + 1)", Place.encryptedTracks[index], sensitive(track.encrypted))
        }
        add("card status", 343..<344, record[Place.cardStatus].hexadecimal)
        add("MagnePrint status", Place.magnePrintStatus, bytes(Place.magnePrintStatus))
        add("MagnePrint length", 348..<349, "\(record[Place.magnePrintSize])")
        add("MagnePrint", Place.magnePrint, sensitive(magnePrint))
        add("device serial number", Place.serialNumber, record.extracting(serialNumber).readerText(isRevealing))
        add("encryption status", Place.encryption, bytes(Place.encryption))
        add("KSN", Place.keySerialNumber, bytes(Place.keySerialNumber))
        add("masked lengths", 505..<508, numbers(505..<508))
        for (index, track) in tracks.enumerated() {
            add("masked track \(index + 1)", Place.maskedTracks[index], sensitive(track.masked))
        }
        add("session", Place.session, bytes(Place.session))
        add("track lengths", 852..<855, numbers(852..<855))
        add("MagnePrint's own length", 855..<856, "\(magnePrintLength)")
        add("remaining swipes", Place.counter, remainingSwipes.map { "\($0)" } ?? "not counted")
        add("software version", Place.version, record.extracting(version).readerText(isRevealing))
        var next = Place.version.upperBound
        // Shows the undocumented bytes between documented fields.
        func addGap(to end: Int) {
            if end > next { add("not documented", next..<end, sensitive(next..<end)) }
        }
        func addRest(_ name: String, _ range: Range<Int>, _ value: (Range<Int>) -> String) {
            guard range.upperBound <= record.count else { return }
            addGap(to: range.lowerBound)
            add(name, range, value(range))
            next = range.upperBound
        }
        addRest("SHA-1 of track 2", Place.hash, sensitive)
        addRest("report version", Place.reportVersion..<Place.reportVersion + 1, bytes)
        addRest("KSN of the MagnePrint", Place.magnePrintKeySerialNumber, bytes)
        addRest("battery, %", Place.battery..<Place.battery + 1, numbers)
        addGap(to: record.count)
        return fields
    }
}
