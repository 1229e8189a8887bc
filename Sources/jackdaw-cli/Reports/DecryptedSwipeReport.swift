import JackdawCards
import JackdawDecryption

/// A decrypted swipe as it is printed.
struct DecryptedSwipeReport {
    /// The tracks with their numbers, and whether a hash of the frame speaks for them.
    private let tracks: [(number: Int, isHashChecked: Bool, shown: ShownTrack)]
    private let keySerialNumber: String?
    private let usesPublishedTestKey: Bool

    init(_ swipe: borrowing DecryptedSwipe, usesPublishedTestKey: Bool, isRevealed: Bool) {
        tracks = swipe.tracks.map { track in
            let shown = track.text.withRevealedText { ShownTrack($0, isRevealed: isRevealed) }
            return (track.number, track.isHashChecked, shown)
        }
        keySerialNumber = swipe.keySerialNumber.map { $0.map(\.hexadecimal).joined().uppercased() }
        self.usesPublishedTestKey = usesPublishedTestKey
    }

    /// The objects of `--json`, one a track.
    var json: [JSONObject] {
        tracks.map { track in
            var object = JSONObject()
            object.add("track", track.number)
            track.shown.addText(to: &object)
            object.add("hash", track.isHashChecked ? "right" : nil)
            object.add("ksn", keySerialNumber)
            object.add("published_test_key", usesPublishedTestKey)
            track.shown.addFields(to: &object)
            return object
        }
    }

    /// What was decrypted how, and a line a track.
    var lines: [String] {
        let key = usesPublishedTestKey ? "a published test key" : "the key given"
        let number = keySerialNumber.map { ", KSN \($0)" } ?? ", the same for every swipe"
        return ["decrypted with \(key)\(number)"]
            + tracks.map { "  track \($0.number)  \($0.shown.text)\($0.isHashChecked ? "  SHA-1 right" : "")" }
    }
}
