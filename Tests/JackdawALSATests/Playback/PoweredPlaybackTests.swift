import JackdawDSP
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawALSA

/// Power and commands reach the device as the generator makes them, whatever the device does.
@Suite struct PoweredPlaybackTests {
    private static let tone = Tone(2_000, .sine, channels: .antiphase(level: -6), isWholeFrames: true)

    private func card(channels: Int = 2, rate: Double = 48_000, period: Int = 240, buffer: Int = 960) -> ScriptedPCM {
        let format = StreamFormat(
            sampleRate: rate, channels: channels, encoding: .float, periodFrames: period, bufferFrames: buffer,
            isResampled: false)
        return ScriptedPCM(.playback, VirtualClock(), format: format)
    }

    private func noise(_ frames: Int, seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<2 * frames).map { _ in Float.random(in: -0.4...0.4, using: &random) }
    }

    /// Commands of all kinds while the tone runs, through periods and writes of odd sizes; and a
    /// late program in the midst.
    @Test(arguments: [(240, 960), (17, 251), (239, 1_000), (1_023, 4_096)], [1, 7, 239, Int.max])
    func commandsAreInsertedToTheSample(sizes: (period: Int, buffer: Int), most: Int) throws {
        let card = card(rate: 44_100, period: sizes.period, buffer: sizes.buffer)
        card.change { $0.maxFrames = most }
        let line = try PoweredLine(Self.tone, sampleRate: 44_100, ramp: .soft)
        var bench = PlaybackBench(card, line)
        bench.run(milliseconds: 30, each: 1)
        let joins: [PoweredLine.Join] = [.inserted, .added, .replacing(.soft), .inserted]
        var made: [(PlaybackChange, [Float], PoweredLine.Join)] = []
        for (number, join) in joins.enumerated() {
            let command = noise(50 + 333 * number, seed: UInt64(number))
            made.append((bench.perform { try? $0.enqueue(command, join) }, command, join))
            bench.run(milliseconds: 13, each: number.isMultiple(of: 2) ? 1 : 3)
            if number == 1 { bench.run(milliseconds: 96, each: 96) }
        }
        bench.run(milliseconds: 200, each: 2)
        #expect(bench.seen.count == 1)
        #expect(made.allSatisfy { $0.0.beginning != nil })
        bench.check(
            changes: made.map { change, command, join in
                (change.beginning?.position ?? 0, { try? $0.enqueue(command, join) })
            })
        // The check has to see the commands at all.
        #expect(bench.played.count > 2 * 44_100 / 5)
        #expect(bench.played.contains(made[0].1[0]))
        bench.close()
    }

    /// A change reports when its first frame is played: after the device's buffer, by the device's own time if it
    /// reports one.
    @Test(arguments: [nil, 0, 2_000_000, 4_000_000] as [Int64?])
    func aChangeReportsTheTimeAtWhichItIsPlayed(stampAge: Int64?) throws {
        let card = card()
        card.change { $0.stampAge = stampAge }
        var bench = PlaybackBench(card, try PoweredLine(Self.tone, sampleRate: 48_000))
        bench.run(milliseconds: 100)
        let change = bench.perform { try? $0.stop() }
        #expect(change.beginning == nil)
        bench.run(milliseconds: 5)
        // At 105 ms there is room for a period; 15 of 20 ms are in the buffer.
        #expect(change.beginning == PlaybackMoment(position: 120 * 48, time: 120_000_000))
        bench.close()
    }

    @Test func changesWaitForADeviceThatIsAway() throws {
        let card = card()
        var bench = PlaybackBench(card, try PoweredLine(Self.tone, sampleRate: 48_000))
        bench.run(milliseconds: 100)
        card.stop(.disconnected)
        bench.run(milliseconds: 1_000)
        let command = noise(100, seed: 1)
        let change = bench.perform { try? $0.enqueue(command, .inserted) }
        bench.run(milliseconds: 1_000)
        #expect(change.beginning == nil)
        bench.plugIn(ScriptedPCM(.playback, card.clock, format: card.format))
        bench.run(milliseconds: 1_500)
        let position: Int64 = 120 * 48
        #expect(change.beginning?.position == position)
        bench.check(changes: [(position, { try? $0.enqueue(command, .inserted) })])
        bench.close()
    }

    @Test func powerOnTheLeftAndCommandsOnTheRight() throws {
        let tone = Tone(1_000, .steppedSquare, channels: [Tone.Channel(level: -3), .silent], isWholeFrames: true)
        let card = card()
        var bench = PlaybackBench(card, try PoweredLine(tone, sampleRate: 48_000, ramp: .none))
        let command = (1...400).map { Float($0) / 1_000 }
        let change = bench.perform { line in
            try? line.enqueue(PoweredLine.spread(command.span, gains: [0, 1]), .added)
        }
        bench.run(milliseconds: 100)
        bench.close()
        let played = card.record.played
        let left = stride(from: 0, to: played.count, by: 2).map { played[$0] }
        let right = stride(from: 1, to: played.count, by: 2).map { played[$0] }
        var generator = try ToneGenerator(tone, sampleRate: 48_000, ramp: .none)
        var plain: [Float] = []
        generator.append(frames: left.count, to: &plain)
        #expect(left == stride(from: 0, to: plain.count, by: 2).map { plain[$0] })
        let start = Int(try #require(change.beginning).position)
        #expect(Array(right[start..<start + 400]) == command)
        #expect(right.count { $0 != 0 } == 400)
    }

    /// The right channel is the left one upside down, on whichever channels of the device they go out.
    @Test func antiphaseOnTheLastChannelsOfFour() throws {
        let card = card(channels: 4)
        let map = ChannelMap(gains: [[0, 0], [0, 0], [1, 0], [0, 1]])
        let line = try PoweredLine(PowerToneProfile.uniMag.connecting, sampleRate: 48_000, ramp: .none)
        var bench = PlaybackBench(card, line, map: map)
        bench.run(milliseconds: 100)
        bench.check()
        bench.close()
        let played = card.record.played
        for start in stride(from: 0, to: played.count, by: 4) {
            #expect(played[start] == 0 && played[start + 1] == 0)
            #expect(played[start + 2] == -played[start + 3] && abs(played[start + 2]) == 1)
        }
    }

    /// A device with one channel gets the left one of an antiphase pair, not their sum, which is silence.
    @Test func oneChannelIsTheLeftOne() throws {
        let card = card(channels: 1)
        let line = try PoweredLine(PowerToneProfile.uniMag.connecting, sampleRate: 48_000, ramp: .none)
        var bench = PlaybackBench(card, line)
        bench.run(milliseconds: 100)
        bench.check()
        bench.close()
        #expect(card.record.played.allSatisfy { abs($0) == 1 })
    }

    /// From the first sample to the last nothing jumps: the tone comes and goes by its ramps, and the end is heard out.
    @Test func theToneComesAndGoesWithoutAClick() throws {
        let card = card()
        var bench = PlaybackBench(card, try PoweredLine(Self.tone, sampleRate: 48_000, ramp: .soft))
        bench.run(milliseconds: 100)
        bench.perform { try? $0.stop(ramp: .soft) }
        bench.report.askToFinish()
        bench.run(milliseconds: 200)
        #expect(bench.isFinished)
        let played = card.record.played
        let heard = played.dropLast(2 * Int(card.record.dropped))
        #expect(played[0] == 0)
        #expect(heard.count { $0 != 0 } > 2 * 48 * 100)
        // A sine of 2 kHz at half of full scale moves by no more than this a frame.
        let step = 0.5012 * 2 * Float.pi * 2_000 / 48_000
        for channel in 0..<2 {
            let samples = stride(from: channel, to: heard.count, by: 2).map { heard[$0] } + [0]
            #expect(zip(samples, samples.dropFirst()).allSatisfy { abs($0 - $1) < step })
        }
    }
}
