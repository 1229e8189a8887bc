import JackdawEMV

/// A breadth-first search over all states that events can reach, by the payment's own transition function.
struct PaymentSearch {
    /// A state with its history.
    struct Node: Hashable {
        var state = PaymentState()
        var observation = PaymentObservation()
    }

    /// A shortest way to a violation.
    struct CounterExample: Sendable {
        let invariant: PaymentInvariant
        let events: [PaymentEvent]
    }

    /// A cell of the table.
    struct Cell: Hashable {
        let phase: PaymentPhase
        let event: PaymentEvent
    }

    private(set) var nodes = [Node()]
    private(set) var transitions = 0
    private(set) var counterExample: CounterExample?
    /// The results of each cell, in the notation of `statemachine.json`.
    private(set) var cells: [Cell: Set<String>] = [:]

    private var indices = [Node(): 0]
    /// For each node, the node and the event from which it was found.
    private var origins: [(node: Int, event: PaymentEvent)] = [(0, .start)]
    private let policy: PaymentPolicy

    /// Searches until a violation is found or no state is left.
    init(_ policy: PaymentPolicy = PaymentPolicy()) {
        self.policy = policy
        var next = 0
        while next < nodes.count, counterExample == nil {
            for event in PaymentEvent.allCases where counterExample == nil { follow(event, from: next) }
            next += 1
        }
    }

    /// The number of states without their histories.
    var stateCount: Int { Set(nodes.map(\.state)).count }

    private mutating func follow(_ event: PaymentEvent, from index: Int) {
        var node = nodes[index]
        let cell = Cell(phase: node.state.phase, event: event)
        let reaction = node.state.receive(event, policy)
        guard reaction.treatment == .handled else {
            transitions += 1
            cells[cell, default: []].insert(reaction.treatment.rawValue)
            return
        }
        node.observation.add(event, reaction.actions)
        var result = "handled:\(node.state.phase.rawValue)"
        if let outcome = node.observation.outcome { result += "/\(outcome.rawValue)" }
        cells[cell, default: []].insert(result)
        for observation in node.observation.branches {
            visit(Node(state: node.state, observation: observation), from: index, event)
            guard event == .crash else { continue }
            // The program runs again, and has its journal only.
            var journal = node.state.journal
            visit(Node(state: PaymentState(restoring: journal), observation: observation), from: index, event)
            guard let stored = observation.withRecord else { continue }
            journal.isRecordStored = true
            visit(Node(state: PaymentState(restoring: journal), observation: stored), from: index, event)
        }
    }

    private mutating func visit(_ node: Node, from index: Int, _ event: PaymentEvent) {
        transitions += 1
        guard indices[node] == nil else { return }
        indices[node] = nodes.count
        nodes.append(node)
        origins.append((index, event))
        guard counterExample == nil, let invariant = node.observation.violation else { return }
        counterExample = CounterExample(invariant: invariant, events: path(to: nodes.count - 1))
    }

    private func path(to node: Int) -> [PaymentEvent] {
        var events: [PaymentEvent] = []
        var node = node
        while node != 0 {
            events.append(origins[node].event)
            node = origins[node].node
        }
        return events.reversed()
    }

    /// The states from which timers alone, with the durable write and the restart, do not reach the end.
    var stuck: [PaymentState] {
        Set(nodes.map(\.state)).filter { state in
            guard state.phase != .idle else { return false }
            var state = state
            for _ in 0..<8 where state.phase != .done {
                let event: PaymentEvent =
                    switch state.phase {
                    case .finalising: .recordStored
                    case .crashed: .recovered
                    default: .timer
                    }
                _ = state.receive(event, policy)
            }
            return state.phase != .done
        }
    }
}
