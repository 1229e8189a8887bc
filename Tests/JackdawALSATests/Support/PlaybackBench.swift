import JackdawTransport
import Testing

@testable import JackdawALSA
import JackdawSystem

/// Runs a playback engine on scripted cards and a virtual clock, and records the events that its owner gets.
struct PlaybackBench<Source: SoundSource> {
    let opener: ScriptedOpener
    let report = PlaybackReport()
    private let changes = ChangeQueue<Source>()
    private var cards: [ScriptedPCM]
    private let reference: Source
    private let map: ChannelMap
    private let began: Int64
    private var runner: EngineRunner<PlaybackLoop<ScriptedPCM, Source>>
    private(set) var seen: [PlaybackEvent] = []

    init(_ card: ScriptedPCM, _ source: Source, map: ChannelMap? = nil, reopens: Bool = true, _ spares: ScriptedPCM...)
    {
        cards = [card] + spares
        opener = ScriptedOpener()
        reference = source
        self.map = map ?? .usual(from: source.channelCount, to: card.format.channels)
        began = card.frame
        let feed = PlaybackFeed(
            source, changes, self.map, framesPerBlock: card.format.periodFrames, report: report)
        let configuration = StreamConfiguration(device: "hw:1", reopens: reopens)
        let engine = PlaybackEngine<ScriptedOpener, Source>(
            card, opener, configuration, framesPerBlock: card.format.periodFrames, sound: feed)
        runner = EngineRunner(engine, card.clock)
        for spare in spares { opener.plugIn(spare) }
    }

    var failure: SystemFailure? { runner.failure }
    var isFinished: Bool { runner.isFinished }

    /// What all cards were given.
    var played: [Float] { cards.flatMap(\.record.played) }

    mutating func plugIn(_ card: ScriptedPCM) {
        cards.append(card)
        opener.plugIn(card)
    }

    mutating func run(milliseconds: Int32, each step: Int32 = 5) {
        runner.run(milliseconds: milliseconds, each: step)
        while let event = report.events.next() { seen.append(event) }
    }

    @discardableResult
    func perform(_ change: @escaping @Sendable (inout Source) -> Void) -> PlaybackChange {
        changes.send(freeingBefore: report.framesWritten - 480_000, change)
    }

    mutating func fail(_ code: Int32) { runner.fail(code) }
    mutating func drain() -> Int32 { runner.drain() }
    mutating func close() { runner.close() }

    /// What was given to the cards is what the source makes, frame by frame, were nothing ever in its way; and what
    /// is not played is reported.
    /// - Parameters:
    ///   - comment: what was tried.
    ///   - changes: what was asked of the source, each before which frame, in their order.
    ///   - location: where it was tried.
    func check(
        _ comment: Comment = "", changes: [(position: Int64, change: (inout Source) -> Void)] = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        let played = played
        let channels = map.deviceChannels
        #expect(mapped(frames: played.count / channels, changes) == played, comment, sourceLocation: location)

        let records = cards.map(\.record)
        let dropped = records.reduce(0) { $0 + $1.dropped }
        let heard =
            Int64(played.count / channels) - dropped - records.reduce(0) { $0 + $1.vanished }
            - cards.reduce(0) { $0 + $1.queue }
        var (silence, unheard) = (Int64(0), Int64(0))
        for case .interrupted(let gap) in seen {
            silence += gap.silence
            unheard += gap.unheard
            #expect(gap.silence > 0 || gap.unheard > 0, comment, sourceLocation: location)
        }
        // What was thrown away may have been heard in part since the device was asked last.
        #expect(unheard >= dropped, comment, sourceLocation: location)
        let elapsed = cards[0].frame - began
        let slack = Int64(seen.count + 1) + unheard - dropped
        #expect(
            abs(elapsed - heard - silence) <= slack, "\(comment) of \(elapsed), \(heard) heard",
            sourceLocation: location)
        #expect(report.status.silence == silence, comment, sourceLocation: location)
    }

    /// The source's frames on the device's channels, all at once but for the changes.
    private func mapped(
        frames: Int, _ changes: [(position: Int64, change: (inout Source) -> Void)]
    ) -> [Float] {
        var source = reference
        var samples: [Float] = []
        func render(to end: Int, _ source: inout Source) {
            var part = [Float](repeating: 0, count: end * map.sourceChannels - samples.count)
            var span = part.mutableSpan
            source.render(into: &span)
            samples += part
        }
        for (position, change) in changes {
            render(to: Int(position), &source)
            change(&source)
        }
        render(to: frames, &source)
        var result = [Float](repeating: 0, count: frames * map.deviceChannels)
        var span = result.mutableSpan
        map.apply(samples.span, to: &span)
        return result
    }
}
