/// How much may still be spent on bytes that turn out to be no frame: each byte of the stream pays for some.
struct SkippingCredit: Sendable {
    /// Steps that were spent, less what the stream has earned since.
    private var spent = 0

    /// Steps that each byte of the stream earns.
    private static var earnedByByte: Int { 64 }
    /// Steps that can be saved up: for so many frames of the greatest size, one inside the other and each wrong at its end.
    private static var savedFrames: Int { 16 }

    /// Takes that the stream goes on.
    mutating func earn(_ count: Int) { spent = max(0, spent - Self.earnedByByte * count) }

    /// Takes that no frame begins where one might have.
    /// - Parameters:
    ///   - count: bytes that it takes with it.
    ///   - fault: why; so far it was looked at.
    ///   - greatestSize: the most bytes of a frame.
    /// - Returns: bytes to leave out, 1 or more.
    mutating func skip(_ count: Int, for fault: FrameFault, sizes greatestSize: Int) -> Int {
        spent += fault.offset
        // Nobody but who means harm sends so many beginnings inside one another: they are left out together.
        let isOverdrawn = spent > Self.savedFrames * greatestSize
        return max(1, isOverdrawn ? max(count, fault.offset) : count)
    }
}
