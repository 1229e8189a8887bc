import JackdawReaders
import JackdawSimulator
import Testing

/// A swipe in two pieces with a silence between them, during each request: card data is never reported as something
/// else.
struct BrokenSwipeTests {
    @Test(arguments: SimulatedFamily.all.map(\.name)) func aPieceOfASwipeIsNeverReported(name: String) throws {
        let family = try #require(ReaderFamily.named(name))
        let dialect = try family.makeDialect(family.simulatedProfile)
        var model = try #require(SimulatedFamily.named(name)).makeModel()
        var device = SimulatedDevice()
        for card in SimulatedCard.deck where card.kind == .payment {
            let frames = model.tell(Presentation(card), &device)
            let tracks = card.tracks.filter { !$0.isEmpty }
            for frame in frames {
                for split in 0..<frame.count {
                    for isAsking in [true, false] {
                        let reported = events(
                            dialect, model, frame[..<split], frame[split...], isAsking: isAsking)
                        let piece = leak(of: tracks, in: reported)
                        #expect(piece == nil, "\(name), \(card), split at \(split), asking \(isAsking)")
                        if piece != nil { return }
                    }
                }
            }
        }
    }

    /// The events, a line each.
    private func events(
        _ dialect: any ReaderDialect, _ model: any ReaderModel, _ first: ArraySlice<UInt8>,
        _ second: ArraySlice<UInt8>, isAsking: Bool
    ) -> String {
        var model = model
        var device = SimulatedDevice()
        var driver = ReaderDriver(dialect)
        var outputs = driver.perform(.connect, at: .zero)
        if !isAsking { for _ in 0..<8 { outputs += driver.advance(to: .seconds(60)) } }
        let now = Duration.seconds(isAsking ? 0 : 60)
        outputs += driver.receive(Array(first).span, at: now)
        outputs += driver.advance(to: now + .milliseconds(1_000))
        outputs += driver.receive(Array(second).span, at: now + .milliseconds(1_001))
        // The pending request is answered, so that bytes that were taken for an answer are reported.
        for round in 0..<30 {
            let later = now + .milliseconds(1_600 + 500 * round)
            outputs += driver.advance(to: later)
            for case .send(let command) in outputs.suffix(2) {
                for answer in model.answer(command.span, &device) {
                    outputs += driver.receive(answer.span, at: later + .milliseconds(1))
                }
            }
        }
        return outputs.compactMap { if case .event(let event) = $0 { "\(event)" } else { nil } }
            .joined(separator: "\n")
    }

    /// Six digits of a track or more, but those that may be shown.
    private func leak(of tracks: [String], in text: String) -> Substring? {
        for track in tracks {
            let characters = Array(track)
            for start in 0..<max(0, characters.count - 6) {
                let piece = String(characters[start..<start + 6])
                guard piece.allSatisfy(\.isNumber), Set(piece).count > 2, text.contains(piece),
                    !track.dropFirst().hasPrefix(piece), !track.dropFirst(2).hasPrefix(piece)
                else { continue }
                return piece[...]
            }
        }
        return nil
    }
}
