extension MagTekCardRecord {
    /// Explains a record, field by field.
    /// - Parameters:
    ///   - record: what was read.
    ///   - start: where the record begins in what is explained.
    ///   - isRevealing: whether card data is shown whole.
    /// - Returns: its fields, in their order and without a gap.
    func fields(of record: Span<UInt8>, from start: Int, isRevealing: Bool) -> [FrameField] {
        var fields: [FrameField] = []
        func add(_ name: String, _ range: Range<Int>, _ value: String) {
            fields.append(FrameField(name, range.lowerBound + start..<range.upperBound + start, value))
        }
        func bytes(_ range: Range<Int>) -> String { record.extracting(range).hexadecimal() }
        // Hash, fingerprint and tracks of a reader without a key are the card's own.
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
        // What is not documented lies between these.
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
