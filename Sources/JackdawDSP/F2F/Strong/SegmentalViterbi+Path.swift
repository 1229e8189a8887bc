extension SegmentalViterbi {
    /// "A clock transition of a polarity at a time closes a bit cell of a length."
    private struct Node {
        var time: Int
        var lane: Int
        /// 0 positive, 1 negative.
        var sign: Int
    }

    /// The path is found from the scores of its states, backwards.
    func bestPath(_ workspace: inout Workspace) -> Path? {
        var best = (score: 0, time: 0)
        for time in 0..<workspace.scores.count {
            let score = Int(workspace.ends[time / 8][time % 8]) + workspace.offsets[time / Self.tile]
            if score > best.score { best = (score, time) }
        }
        guard best.score > 0 else { return nil }
        recall(best.time, &workspace)
        let nodes = lengths.indices.flatMap {
            [Node(time: best.time, lane: $0, sign: 0), Node(time: best.time, lane: $0, sign: 1)]
        }
        let end = nodes.max { score(of: $0, workspace) < score(of: $1, workspace) }
        return end.map { path(to: $0, &workspace) }
    }

    private func path(to end: Node, _ workspace: inout Workspace) -> Path {
        var node = end
        var boundaries = [Float(end.time)]
        var bits: [UInt8] = []
        bits.reserveCapacity(end.time / lengths[0])  // growing would leave unwiped copies behind
        while true {
            let length = lengths[node.lane]
            let opening = node.time - length
            guard opening >= 0 else { break }
            recall(opening, &workspace)
            let zero = opened(Node(time: opening, lane: node.lane, sign: 1 - node.sign), workspace)
            let one = opened(Node(time: opening, lane: node.lane, sign: node.sign), workspace)
            let middle = workspace.scores.score(at: opening + length / 2, lane: node.lane, sign: 1 - node.sign)
            let isOne = one.score + middle > zero.score
            let start = max(0, workspace.offsets[node.time / Self.tile] + Self.lowestStart)
            guard max(one.score + middle, zero.score) > start else { break }
            bits.append(isOne ? 1 : 0)
            node = isOne ? one.node : zero.node
            boundaries.append(Float(node.time))
        }
        bits.reverse()
        return Path(boundaries: boundaries.reversed(), bits: bits, startSign: node.sign)
    }

    @inline(__always)
    private func score(of node: Node, _ workspace: Workspace) -> Int {
        let row = 2 * (node.lane + Self.neighbours) + node.sign
        return Int(workspace.states[workspace.block(at: node.time) + row][node.time % 8])
            + workspace.offsets[node.time / Self.tile]
    }

    /// The state from which a cell of a length was best reached.
    @inline(__always)
    private func opened(_ node: Node, _ workspace: Workspace) -> (score: Int, node: Node) {
        let reach = Self.neighbours
        var best = (score: score(of: node, workspace), node: node)
        for step in -reach...reach where lengths.indices.contains(node.lane + step) {
            let from = Node(time: node.time, lane: node.lane + step, sign: node.sign)
            let penalty = Int(workspace.penalties[node.lane * (2 * reach + 1) + step + reach][0])
            let score = score(of: from, workspace) - penalty
            if score > best.score { best = (score, from) }
        }
        return best
    }
}
