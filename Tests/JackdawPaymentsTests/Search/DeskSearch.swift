/// A breadth-first search over all states that a world can reach.
struct DeskSearch {
    private(set) var states = 1
    private(set) var transitions = 0
    private(set) var restStates = 0
    /// The first violation, with the shortest way to it.
    private(set) var violation: String?
    /// Whether the search ended because of its limit.
    private(set) var isCut = false

    private var indices: [WorldKey: Int] = [:]
    private var origins: [(node: Int, move: World.Move?)] = [(0, nil)]
    private var predecessors: [[Int32]] = [[]]
    private var resting: [Bool] = []

    /// Searches until a violation is found, no state is left, or a number of states is reached.
    init(_ rules: World.Rules, maxStates: Int) {
        let first = World(rules)
        indices[WorldKey(first)] = 0
        var frontier = [(node: 0, world: first)]
        resting = [first.isAtRest]
        while !frontier.isEmpty, violation == nil {
            var next: [(node: Int, world: World)] = []
            for (node, world) in frontier {
                for move in world.moves {
                    visit(move, from: node, world, &next)
                    guard violation == nil else { return }
                }
                guard states <= maxStates else {
                    isCut = true
                    return
                }
            }
            frontier = next
        }
        restStates = resting.count { $0 }
        findStuck()
    }

    private mutating func visit(
        _ move: World.Move, from node: Int, _ world: World, _ next: inout [(node: Int, world: World)]
    ) {
        transitions += 1
        var world = world
        world.make(move)
        if let text = world.checker.violation {
            violation = "\(text) after \(path(to: node) + [move])"
            return
        }
        let key = WorldKey(world)
        if let known = indices[key] {
            predecessors[known].append(Int32(node))
            return
        }
        indices[key] = states
        origins.append((node, move))
        predecessors.append([Int32(node)])
        resting.append(world.isAtRest)
        next.append((states, world))
        states += 1
    }

    /// A state from which no way leads to rest is a violation: an attempt in it is unknown for ever.
    private mutating func findStuck() {
        var reaches = resting
        var left = reaches.indices.filter { reaches[$0] }
        while let node = left.popLast() {
            for origin in predecessors[node] where !reaches[Int(origin)] {
                reaches[Int(origin)] = true
                left.append(Int(origin))
            }
        }
        guard let stuck = reaches.firstIndex(of: false) else { return }
        violation = "no way to rest after \(path(to: stuck))"
    }

    private func path(to node: Int) -> [World.Move] {
        var (node, moves) = (node, [World.Move]())
        while let move = origins[node].move {
            moves.append(move)
            node = origins[node].node
        }
        return moves.reversed()
    }
}
