extension ReaderProfile {
    /// What is taken for known of IPS's readers.
    static let ips: ReaderProfile = {
        let source = "an OEM's sample code, whose names IPS's SDK shares; not confirmed"
        let layout = IPSLayout()
        var entries: [ProfileKey: ProfileEntry] = [
            .ipsSwipe: ProfileEntry("what a swipe begins with", .bytes([layout.swipe]), .inferred, source),
            .ipsFailure: ProfileEntry(
                "what a swipe begins with that was not read", .bytes([layout.failure]), .inferred, source),
            .ipsWake: ProfileEntry("what wakes the reader", .bytes(IPSFormat.wake), .inferred, source),
            .ipsAnswersWake: ProfileEntry(
                "whether its answer to being woken is waited for, on links that keep packets apart", .flag(false),
                .inferred, "how long that answer is nobody has told"),
            .ipsWakeAnswer: ProfileEntry("second byte of that answer", .bytes([0x4D]), .inferred, source),
        ]
        for place in IPSLayout.places {
            let value = ProfileValue.number(Double(layout[keyPath: place.path]))
            entries[place.key] = ProfileEntry(place.title, value, .inferred, source)
        }
        return ReaderProfile(family: "ips", "IPS's readers, as an OEM's sample code suggests", entries)
    }()

    /// Where the fields lie in swipes of IPS's readers.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    func ipsLayout() throws(ReaderError) -> IPSLayout {
        var layout = IPSLayout()
        layout.swipe = try bytes(.ipsSwipe, count: 1...1)[0]
        layout.failure = try bytes(.ipsFailure, count: 1...1)[0]
        for place in IPSLayout.places { layout[keyPath: place.path] = try integer(place.key, in: 0...255) }
        guard layout.fits else {
            throw ReaderError(
                .badProfile, "the profile \"\(name)\" has fields of a swipe that are not inside of it",
                remedy: "mend ips.size and the places")
        }
        return layout
    }
}

extension ProfileKey {
    /// What an IPS reader's swipe begins with.
    public static let ipsSwipe: ProfileKey = "ips.swipe"
    /// What an IPS reader's swipe begins with that was not read.
    public static let ipsFailure: ProfileKey = "ips.failure"
    /// What wakes an IPS reader.
    public static let ipsWake: ProfileKey = "ips.wake"
    /// Whether an IPS reader's answer to being woken is waited for.
    public static let ipsAnswersWake: ProfileKey = "ips.answersWake"
    /// The second byte of that answer.
    public static let ipsWakeAnswer: ProfileKey = "ips.wakeAnswer"
}
