import JackdawALSA

/// The jacks of a sound card and their events, as they are printed.
struct JackReport {
    let card: SoundCard

    /// An empty table with the columns of a jack.
    static var table: Table { Table(.text("card"), .text("jack"), .text("for"), .text("state")) }

    func add(_ state: JackState, to table: inout Table) {
        table.add(card.id, state.jack.name, state.jack.kind.rawValue, state.isPlugged ? "plugged in" : "empty")
    }

    func json(_ state: JackState) -> JSONObject {
        var object = object(kind: "jack")
        object.add("jack", state.jack.name)
        object.add("for", state.jack.kind.rawValue)
        object.add("plugged", state.isPlugged)
        return object
    }

    func line(_ event: JackEvent) -> String {
        switch event {
        case .attached(let jack, _): "\(card.id): \(jack) plugged in"
        case .detached(let jack, _): "\(card.id): \(jack) pulled out"
        case .gone: "\(card.id): gone"
        }
    }

    func json(_ event: JackEvent, _ wallClock: WallClock) -> JSONObject {
        var object = object(kind: "event")
        switch event {
        case .attached(let jack, let time): add("attached", jack, wallClock.time(ofMonotonic: time), to: &object)
        case .detached(let jack, let time): add("detached", jack, wallClock.time(ofMonotonic: time), to: &object)
        case .gone:
            object.add("event", "gone")
            object.add(time: wallClock.now())
        }
        return object
    }

    private func add(_ event: String, _ jack: Jack, _ time: Duration, to object: inout JSONObject) {
        object.add("event", event)
        object.add("jack", jack.name)
        object.add("for", jack.kind.rawValue)
        object.add(time: time)
    }

    private func object(kind: String) -> JSONObject {
        var object = JSONObject()
        object.add("kind", kind)
        object.add("card", card.number)
        object.add("card_id", card.id)
        return object
    }
}
