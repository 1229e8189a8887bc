import JackdawCards
import JackdawDecryption

/// A decrypted swipe as it is printed.
struct DecryptedSwipeReport {
    /// The tracks with their numbers, whether they were encrypted, and whether a hash of the frame speaks for them.
    private let tracks: [(number: Int, wasEncrypted: Bool, isHashChecked: Bool, shown: ShownTrack)]
    /// Bytes of the stripe's fingerprint; nil where there is none.
    private let magnePrintSize: Int?
    /// Why the fingerprint did not decrypt.
    private let magnePrintFailure: DecryptionError?
    private let keySerialNumber: String?
    private let usesPublishedTestKey: Bool

    init(_ swipe: borrowing DecryptedSwipe, usesPublishedTestKey: Bool, isRevealed: Bool) {
        tracks = swipe.tracks.map { track in
            let shown = track.text.withRevealedText { ShownTrack($0, isRevealed: isRevealed) }
            return (track.number, track.wasEncrypted, track.isHashChecked, shown)
        }
        magnePrintSize = swipe.magnePrint.count > 0 ? swipe.magnePrint.count : nil
        magnePrintFailure = swipe.magnePrintFailure
        keySerialNumber = swipe.keySerialNumber.map { $0.map(\.hexadecimal).joined().uppercased() }
        self.usesPublishedTestKey = usesPublishedTestKey
    }

    /// Whether there was anything of the card.
    var hasTracks: Bool { !tracks.isEmpty }

    /// The objects of `--json`, one a track, and one for the MagnePrint where there is one.
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

    /// What was decrypted how, a line a track, and one for the MagnePrint where there is one.
    var lines: [String] {
        let key = usesPublishedTestKey ? "a published test key" : "the key given"
        let number = keySerialNumber.map { ", KSN \($0)" } ?? ", the same for every swipe"
        return ["decrypted with \(key)\(number)"]
            + (hasTracks ? [] : ["  no tracks"])
            + tracks.map { track in
                let proof = track.isHashChecked ? "  SHA-1 right" : track.wasEncrypted ? "" : "  sent in clear"
                return "  track \(track.number)  \(track.shown.text)\(proof)"
            }
            + magnePrintLine
    }

    private var magnePrintLine: [String] {
        if let magnePrintFailure { return ["  MagnePrint not decrypted: \(magnePrintFailure)"] }
        return magnePrintSize.map { ["  MagnePrint decrypted, \(counted($0, "byte"))"] } ?? []
    }
}
