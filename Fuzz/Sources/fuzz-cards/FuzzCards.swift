import JackdawCards
import JackdawDSP

/// Parses the input as the characters of a stripe. Every parser must return a value with these characters unchanged, or
/// an error with a place in them. No description may have an account number.
@c(LLVMFuzzerTestOneInput)
public func fuzzCards(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    check(bytes, as: Track.self)
    check(bytes, as: Track1.self)
    check(bytes, as: Track2.self)
    check(bytes, as: Track3.self)
    check(bytes, as: AAMVATrack1.self)
    check(bytes, as: AAMVATrack2.self)
    check(bytes, as: AAMVATrack3.self)
    check(bytes, as: UnknownTrack.self)
    checkOffset(bytes.count) { () throws(CardDataError) in _ = try PrimaryAccountNumber(bytes.span) }
    // Two digits a byte, and both sentinels.
    checkOffset(2 * bytes.count + 2) { () throws(CardDataError) in _ = try Track2(equivalentData: bytes.span) }
    precondition(Masking.mask(bytes.span).utf8.count == bytes.count, "masking changes the length")
    _ = Luhn.isValid(bytes.span)
    _ = Luhn.checkDigit(of: bytes.span)
    _ = CardBrand(of: bytes.span)

    // Lines of one input are the tracks of one card.
    let tracks = bytes.split(separator: UInt8(ascii: "\n")).compactMap { try? Track(parsing: Array($0).span) }
    let card = SwipedCard(tracks)
    if let pan = card.pan { checkHidden(pan, in: "\(card)") }
    let event = CardEvent([.init(1, bytes.span), .init(masked: 2, bytes.span)], source: .reader)
    precondition(event.tracks.allSatisfy { $0.maskedText?.utf8.count == bytes.count }, "masking changes the length")
    if let pan = event.pan { checkHidden(pan, in: "\(event)") }

    for code in [CharacterCode.alphanumeric, .numeric] { checkMessages(bytes, code) }
    return 0
}

private func checkOffset(_ count: Int, _ body: () throws(CardDataError) -> Void) {
    do throws(CardDataError) {
        try body()
    } catch {
        precondition((0...count).contains(error.offset), "an offset beyond the text")
    }
}

private func check<Content: TrackContent>(_ bytes: [UInt8], as format: Content.Type) {
    checkOffset(bytes.count) { () throws(CardDataError) in
        let track = try Content(parsing: bytes.span)
        let held = track.withRevealedText { text in text.indices.map { text[$0] } }
        precondition(held == bytes, "the text is not the one that was parsed")
        precondition(track.maskedText.utf8.count == bytes.count, "masking changes the length")
        _ = track.name?.description
        _ = track.expiry?.description
        _ = track.serviceCode?.description
        guard let pan = track.pan else { return }
        checkHidden(pan, in: "\(track)")
        var reflection = ""
        dump(track, to: &reflection)
        checkHidden(pan, in: reflection)
    }
}

private func checkHidden(_ pan: PrimaryAccountNumber, in text: String) {
    let digits = pan.withRevealedDigits { digits in
        String(decoding: digits.indices.map { digits[$0] }, as: UTF8.self)
    }
    precondition(!text.contains(digits), "an account number in clear")
}

/// The characters as a message to be written, and its bits, which must give the message back; the bytes as bits too.
private func checkMessages(_ bytes: [UInt8], _ code: CharacterCode) {
    if let message = try? TrackMessage(String(decoding: bytes, as: UTF8.self), code: code, addsSentinels: true) {
        let again = message.bits.withElements { try? TrackMessage(bits: $0, code: code) }
        let texts = [message, again].map { $0?.characters.withElements { text in text.indices.map { text[$0] } } }
        precondition(texts[0] == texts[1], "bits and back is another message")
    }
    _ = try? TrackMessage(bits: bytes.flatMap { byte in (0..<8).map { byte >> $0 & 1 } }.span, code: code)
}
