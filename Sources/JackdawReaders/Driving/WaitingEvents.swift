/// Events that nobody has taken yet, in their order. Of those that were taken nothing is kept: they may hold a card.
struct WaitingEvents {
    /// Behind places of those that were taken.
    private var places: [ReaderEvent?] = []
    private var takenCount = 0

    var count: Int { places.count - takenCount }

    /// Places that are held, taken or not.
    var placeCount: Int { places.count }

    mutating func append(_ event: ReaderEvent) { places.append(event) }

    /// Gives the oldest away; nil where there is none.
    mutating func next() -> ReaderEvent? {
        guard takenCount < places.count else { return nil }
        let event = places[takenCount].take()
        takenCount += 1
        // Each event is moved once at most, however far behind whoever takes them is.
        if 2 * takenCount > places.count {
            places.removeFirst(takenCount)
            takenCount = 0
        }
        return event
    }
}
