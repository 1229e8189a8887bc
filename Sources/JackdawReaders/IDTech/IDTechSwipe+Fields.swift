extension IDTechSwipe {
    /// Explains the body, field by field.
    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        /// Whole where everything is shown.
        func shown(_ name: String, _ range: Range<Int>) -> FrameField {
            FrameField(name, range, frame.extracting(range).hexadecimal(first: isRevealing ? range.count : 32))
        }
        let layout = isEnhanced ? "enhanced" : "original"
        var fields = [
            FrameField("card type", 3..<4, "\(cardType), \(layout) layout"),
            FrameField("track status", 4..<5, status), FrameField("track lengths", 5..<8, lengths),
        ]
        if isEnhanced { fields.append(FrameField("flags", 8..<10, cipher == .aes ? "AES" : "TDES")) }
        for (index, track) in tracks.enumerated() {
            if let range = track.masked {
                // Track 3 of the original layout is not masked, and neither is a reader's that does not encrypt.
                fields.append(FrameField("track \(index + 1)", range, frame.extracting(range).sensitive(isRevealing)))
            }
        }
        for (index, track) in tracks.enumerated() {
            if let range = track.encrypted { fields.append(shown("encrypted track \(index + 1)", range)) }
        }
        if let encryptedTogether {
            fields.append(shown("encrypted tracks 1 and 2", encryptedTogether))
        }
        if let session { fields.append(shown("session", session)) }
        for (index, track) in tracks.enumerated() {
            // A hash can be searched for: a PAN has few unknown digits.
            if let range = track.hash {
                fields.append(
                    FrameField("SHA-1 of track \(index + 1)", range, frame.extracting(range).sensitive(isRevealing)))
            }
        }
        if let serialNumber {
            let text = frame.extracting(serialNumber).readerText(isRevealing)
            fields.append(FrameField("serial number", serialNumber, text))
        }
        if let keySerialNumber { fields.append(shown("KSN", keySerialNumber)) }
        return fields
    }

    private var lengths: String { tracks.map { "\($0.length)" }.joined(separator: ", ") }

    private var status: String {
        tracks.enumerated().map { index, track in
            "\(index + 1) " + (track.isDecoded ? track.length > 0 ? "read" : "empty" : "not read")
        }.joined(separator: ", ")
    }
}
