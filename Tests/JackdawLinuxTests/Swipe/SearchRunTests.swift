import JackdawDSP
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// A search at a sound card that does what cards do.
@Suite(.timeLimit(.minutes(30)))
struct SearchRunTests {
    private let link = LinkName(.alsa, "scripted")
    private let clock = ManualClock()

    private func candidates() throws -> [ReaderSearchCandidate] {
        [ReaderSearchCandidate(try #require(ReaderFamily.named("unimag")))]
    }

    private func failure(_ run: SearchRun<ScriptedSoundPort>) async -> LinkError.Code? {
        do throws(LinkError) {
            _ = try await run.report(isLive: true) { true }
            return nil
        } catch {
            return error.code
        }
    }

    /// A swipe as a reader sends it.
    private static func swipe() throws -> [Float] {
        let sound = try #require(try ReaderFamily.named("unimag")?.makeSound())
        var encoder = try sound.answers.encoder(sampleRate: 48_000, level: -12)
        var samples = [Float](repeating: 0, count: 4_800)
        let bytes = PublishedSwipes.original
        encoder.encode(bytes.span, into: &samples)
        encoder.finish(into: &samples)
        encoder.idle(seconds: 0.2, into: &samples)
        return samples
    }

    @Test func aCardWithoutSoundTimesOut() async throws {
        let port = ScriptedSoundPort { [clock] _ in
            clock.advance(by: .milliseconds(50))
            return nil
        }
        #expect(await failure(SearchRun(link, port, try candidates(), clock: clock)) == .timedOut)
        #expect(port.receiptCount == 400)
    }

    /// The end comes in the same block as the wish for tones.
    @Test func aReaderThatIsReceivedInALongBlockNeedsNoTones() async throws {
        let block = [Float](repeating: 0, count: 9_600) + (try Self.swipe())
        let port = ScriptedSoundPort { number in
            number == 0
                ? (.sound(CapturedBlock(frames: block.count, position: 0, time: 0)), block) : ScriptedSoundPort.silence
        }
        let report = try await SearchRun(link, port, try candidates(), clock: clock).report(isLive: true) {
            Issue.record("an unexpected question")
            return true
        }
        #expect(report.found == "unimag")
    }

    @Test func aCardThatDisappearsEndsTheSearch() async throws {
        let port = ScriptedSoundPort { $0 < 5 ? ScriptedSoundPort.silence : (.disconnected, []) }
        #expect(await failure(SearchRun(link, port, try candidates(), clock: clock)) == .disconnected)
    }

    /// A person may think for as long as they like.
    @Test func waitsForPermissionDoNotCount() async throws {
        let heard = Shared(0)
        let port = ScriptedSoundPort { [clock] number in
            clock.advance(by: .milliseconds(10))
            heard.with { $0 = number }
            return ScriptedSoundPort.silence
        }
        let asked = Shared(0)
        let report = try await SearchRun(link, port, try candidates(), clock: clock).report(isLive: true) {
            asked.with { $0 += 1 }
            try? await heard.until { $0 > 6_000 }
            return false
        }
        #expect(report.found == nil)
        #expect(report.duration < .seconds(1))
        #expect(asked.with { $0 } == 1)
    }

    @Test func aCancelledSearchEnds() async throws {
        let (questions, question) = AsyncStream<Void>.makeStream()
        let run = SearchRun(link, ScriptedSoundPort { _ in ScriptedSoundPort.silence }, try candidates(), clock: clock)
        let task = Task { () -> LinkError.Code? in
            do throws(LinkError) {
                _ = try await run.report(isLive: true) {
                    question.yield()
                    // No reader answers.
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    return true
                }
                return nil
            } catch {
                return error.code
            }
        }
        for await _ in questions { break }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    /// A swipe during the question answers it; of several channels the first one counts.
    @Test(arguments: [1, 2]) func soundIsReceivedWhilePermissionIsAwaited(channelCount: Int) async throws {
        let swipe = try Self.swipe()
        let isAsked = Shared(false)
        let blocks = Shared(0)
        let port = ScriptedSoundPort(channelCount: channelCount) { _ in
            guard isAsked.with({ $0 }) else {
                return ScriptedSoundPort.sound([Float](repeating: 0, count: 480 * channelCount), frames: 480)
            }
            let start = blocks.with { blocks in
                defer { blocks += 1 }
                return 480 * blocks
            }
            let mono = (start..<start + 480).map { $0 < swipe.count ? swipe[$0] : 0 }
            let samples = mono.flatMap { [$0] + [Float](repeating: 0.5, count: channelCount - 1) }
            return ScriptedSoundPort.sound(samples, frames: 480)
        }
        let report = try await SearchRun(link, port, try candidates(), clock: clock).report(isLive: true) {
            isAsked.with { $0 = true }
            for await _ in AsyncStream<Never>.makeStream().stream {}
            return false
        }
        #expect(report.found == "unimag")
        #expect(report.attempts.map(\.outcome) == [.heard])
    }

    /// The halves of a swipe that has a hole are none.
    @Test(arguments: [0, 480]) func aSwipeWithAGapIsNotRead(lost: Int64) async throws {
        let swipe = try Self.swipe()
        let half = swipe.count / 2
        let heard = Shared(0)
        let port = ScriptedSoundPort { number in
            heard.with { $0 = number }
            return switch number {
            case 0: ScriptedSoundPort.sound(Array(swipe[..<half]))
            case 1: ScriptedSoundPort.sound(Array(swipe[half...]), lostBefore: lost)
            default: ScriptedSoundPort.silence
            }
        }
        let report = try await SearchRun(link, port, try candidates(), clock: clock).report(isLive: true) {
            try? await heard.until { $0 > 100 }
            return false
        }
        #expect(report.found == (lost == 0 ? "unimag" : nil))
    }
}
