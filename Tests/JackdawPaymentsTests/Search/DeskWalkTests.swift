import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import Testing

/// Random histories, longer than the search can go: many calls, many faults, slow writes, records read from their bytes.
@Suite struct DeskWalkTests {
    private static func rules(_ random: inout SeededRandom) throws -> World.Rules {
        var rules = World.Rules()
        rules.host = HostProfile(
            name: "walk", closesUnknownIdentifiers: .random(using: &random), requestLifetime: .seconds(120))
        rules.limits.count = .random(in: 0...2, using: &random)
        rules.faults = .random(in: 0...25, using: &random)
        rules.hasSlowWrites = true
        rules.encodesRecords = true
        rules.hasForeignPayments = .random(using: &random)
        for number in 0..<Int.random(in: 1...8, using: &random) {
            let name = "S\(Int.random(in: 1...3, using: &random))"
            let identifier = attempt("C\(Int.random(in: 1...4, using: &random))")
            let kind: AttemptKind
            switch Int.random(in: 0...5, using: &random) {
            case 0: kind = .refund(of: identifier)
            case 1: kind = .capture(of: identifier)
            case 2: kind = .authorisation
            default: kind = .purchase
            }
            let request = try AttemptRequest(
                sale: sale(name), kind: kind, amount: euros(.random(in: 1...2, using: &random)))
            let isNamed = Bool.random(using: &random) && kind.needsCard
            var call = World.Call(
                request: request, identifier: isNamed ? identifier : attempt("N\(number)"),
                isChip: .random(using: &random))
            if kind.needsCard, Int.random(in: 0...4, using: &random) == 0 { call.reversed = identifier }
            rules.calls.append(call)
        }
        return rules
    }

    /// Walks until rest, restarts the program, and walks until rest again.
    /// - Returns: the moves, and the world at its end.
    private static func walk(_ seed: UInt64) throws -> (moves: [World.Move], world: World) {
        var random = SeededRandom(seed: seed)
        var world = World(try rules(&random))
        var moves: [World.Move] = []
        for isLast in [false, true] {
            for _ in 0..<2000 where !world.isAtRest && world.checker.violation == nil {
                let possible = world.moves
                let isFault = Int.random(in: 0..<4, using: &random) == 0
                let wanted = possible.filter { $0.isFault == isFault }
                guard let move = (wanted.isEmpty ? possible : wanted).randomElement(using: &random) else { break }
                moves.append(move)
                world.make(move)
            }
            guard !isLast else { break }
            // An attempt whose first write failed and was durable nevertheless is ended by the next start.
            world.restart()
        }
        return (moves, world)
    }

    @Test func randomHistoriesEndWithHostAndJournalAgreeing() throws {
        var kinds: [AttemptState: Int] = [:]
        var steps = 0
        for seed in UInt64(1)...1000 {
            let (moves, world) = try Self.walk(seed)
            #expect(world.checker.violation == nil, "seed \(seed)")
            #expect(world.isAtRest, "seed \(seed) does not come to rest")
            steps += moves.count
            for record in world.store.values { kinds[record.state, default: 0] += 1 }
        }
        print("walk: \(steps) moves, ends: \(kinds.map { "\($0.key.rawValue) \($0.value)" }.sorted())")
        // All ends occur, and nothing else.
        #expect(
            Set(kinds.keys) == [.approved, .declined, .failed, .reversed, .needsAttention], "\(kinds)")
    }

    @Test func theSameSeedIsTheSameHistory() throws {
        for seed in UInt64(1)...5 {
            let (first, second) = (try Self.walk(seed), try Self.walk(seed))
            #expect(first.moves == second.moves)
            #expect(first.world.store == second.world.store)
        }
    }
}
