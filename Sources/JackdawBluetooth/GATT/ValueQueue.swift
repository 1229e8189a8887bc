/// Values that have come and were not taken yet, in their order: a ring, which is full at some point.
struct ValueQueue {
    private var values: [WipedBytes?]
    private var first = 0
    private var count = 0

    /// - Parameter capacity: values that there is room for.
    init(capacity: Int) { values = Array(repeating: nil, count: capacity) }

    var isEmpty: Bool { count == 0 }

    /// Takes a value in.
    /// - Returns: whether there was room.
    mutating func append(_ value: WipedBytes) -> Bool {
        guard count < values.count else { return false }
        values[(first + count) % values.count] = value
        count += 1
        return true
    }

    /// Gives the oldest value away; nil where there is none.
    mutating func next() -> WipedBytes? {
        guard !isEmpty else { return nil }
        defer {
            values[first] = nil
            first = (first + 1) % values.count
            count -= 1
        }
        return values[first]
    }

    mutating func removeAll() { while next() != nil {} }
}
