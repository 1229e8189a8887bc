/// Which card and device an ALSA name leads to, as far as the name says: `hw:1,0`, `plughw:CARD=PCH,DEV=0`, `default:PCH`.
struct PCMAddress: Hashable {
    /// The name before the colon: `hw`, `plughw`, `default`.
    let plugin: String
    /// The card by its number or its id; nil where the name does not say.
    let card: String?
    /// The device's number on the card; nil where the name does not say.
    let device: Int?

    /// Reads a name; anything is one.
    init(_ name: String) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        plugin = String(parts[0])
        var card: String?
        var device: Int?
        let arguments = parts.count > 1 ? parts[1].split(separator: ",", omittingEmptySubsequences: false) : []
        for (place, argument) in arguments.enumerated() {
            let pair = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            switch (pair.count, pair[0], place) {
            case (2, "CARD", _): card = String(pair[1])
            case (2, "DEV", _): device = Int(pair[1])
            case (1, let value, 0): card = String(value)
            case (1, let value, 1): device = Int(value)
            default: break
            }
        }
        self.card = card.flatMap { $0.isEmpty ? nil : $0 }
        self.device = device
    }

    /// Whether the name leads straight to a card's hardware, where a device that is not named is number 0.
    var isHardware: Bool { plugin == "hw" || plugin == "plughw" }
}
