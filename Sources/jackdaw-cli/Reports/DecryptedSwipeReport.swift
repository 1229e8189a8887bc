import JackdawBytes
import JackdawCards
import JackdawCryptography

/// A decrypted swipe as it is printed.
struct DecryptedSwipeReport {
    /// The tracks with their numbers, whether they were encrypted, and whether a hash in the frame confirms them.
    private let tracks: [(number: Int, wasEncrypted: Bool, isHashChecked: Bool, shown: SingleTrackReport)]
    /// The card that the tracks make.
    let card: CardReport
    /// Bytes of the stripe's fingerprint; nil if there is no fingerprint.
    private let magnePrintSize: Int?
    /// The reason why the fingerprint could not be decrypted.
    private let magnePrintFailure: CryptographyError?
    private let keySerialNumber: String?
    private let usesPublishedTestKey: Bool

    /// - Parameters:
    ///   - swipe: the swipe.
    ///   - usesPublishedTestKey: whether its key is published for tests.
    ///   - isRevealed: whether to show card data in clear.
    ///   - time: the time at which it was read, since the beginning of 1970 (UTC); nil for a stored frame.
    init(
        _ swipe: borrowing DecryptedSwipe, usesPublishedTestKey: Bool, isRevealed: Bool, time: Duration? = nil
    ) {
        tracks = swipe.tracks.map { track in
            let shown = SingleTrackReport(CardEvent(track, time: time), isRevealed: isRevealed)
            return (track.number, track.wasEncrypted, track.isHashChecked, shown)
        }
        card = CardReport(event: CardEvent(swipe, time: time), isRevealed: isRevealed)
        magnePrintSize = swipe.magnePrint.count > 0 ? swipe.magnePrint.count : nil
        magnePrintFailure = swipe.magnePrintFailure
        keySerialNumber = swipe.keySerialNumber?.hexadecimal
        self.usesPublishedTestKey = usesPublishedTestKey
    }

    /// Whether the swipe contains at least one track.
    var hasTracks: Bool { !tracks.isEmpty }

    /// The objects of `--json`, one for each track, and one for the MagnePrint if there is one.
    var json: [JSONObject] {
        var objects = tracks.map { track in
            var object = JSONObject()
            object.add("track", track.number)
            track.shown.addText(to: &object)
            object.add("encrypted", track.wasEncrypted)
            object.add("hash", track.isHashChecked ? "right" : nil)
            object.add("ksn", keySerialNumber)
            object.add("published_test_key", usesPublishedTestKey)
            track.shown.addFields(to: &object)
            return object
        }
        if magnePrintSize != nil || magnePrintFailure != nil {
            var object = JSONObject()
            object.add("magneprint", magnePrintFailure == nil ? "decrypted" : "not decrypted")
            object.add("reason", magnePrintFailure?.code.rawValue)
            object.add("message", magnePrintFailure?.description)
            objects.append(object)
        }
        return objects
    }

    /// The lines for a person: the key, the card, one line for each track, and one for the MagnePrint if there is one.
    var lines: [String] {
        let key = usesPublishedTestKey ? "a published test key" : "the given key"
        let number = keySerialNumber.map { ", KSN \($0)" } ?? ", the same for every swipe"
        return ["decrypted with \(key)\(number)"]
            + (hasTracks ? [card.factsLine] : ["  no tracks"])
            + tracks.map { track in
                let proof = track.isHashChecked ? "  SHA-1 right" : track.wasEncrypted ? "" : "  sent in clear"
                return "  track \(track.number)  \(track.shown.text)\(proof)"
            }
            + card.warnings + magnePrintLine
    }

    private var magnePrintLine: [String] {
        if let magnePrintFailure { return ["  MagnePrint not decrypted: \(magnePrintFailure)"] }
        return magnePrintSize.map { ["  MagnePrint decrypted, \(counted($0, "byte"))"] } ?? []
    }
}
