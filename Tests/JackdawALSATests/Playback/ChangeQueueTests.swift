import Foundation
import JackdawTransport
import Testing

@testable import JackdawALSA

/// Changes are made once, in their order, and their memory goes back where it came from.
@Suite struct ChangeQueueTests {
    /// A source that writes down what was changed.
    private struct Diary: SoundSource {
        var changes: [Int] = []
        var channelCount: Int { 1 }
        mutating func render(into block: inout MutableSpan<Float>) {}
    }

    @Test func changesAreMadeOnceAndInOrder() {
        let queue = ChangeQueue<Diary>()
        var diary = Diary()
        queue.run(on: &diary, at: PlaybackMoment(position: 0, time: 0))
        let first = queue.send(freeingBefore: 0) { $0.changes.append(1) }
        let second = queue.send(freeingBefore: 0) { $0.changes.append(2) }
        #expect(first.beginning == nil && second.beginning == nil)
        queue.run(on: &diary, at: PlaybackMoment(position: 240, time: 5))
        let third = queue.send(freeingBefore: 0) { $0.changes.append(3) }
        queue.run(on: &diary, at: PlaybackMoment(position: 480, time: 10))
        queue.run(on: &diary, at: PlaybackMoment(position: 720, time: 15))
        #expect(diary.changes == [1, 2, 3])
        #expect(first.beginning == PlaybackMoment(position: 240, time: 5))
        #expect(second.beginning == first.beginning)
        #expect(third.beginning == PlaybackMoment(position: 480, time: 10))
    }

    /// A source whose sounds have all ended.
    private struct Heap: SoundSource {
        var finished: [[Float]]
        var channelCount: Int { 1 }
        mutating func render(into block: inout MutableSpan<Float>) {}
        mutating func takeFinished() -> [Float]? { finished.popLast() }
    }

    /// What the source needs no longer is taken from it while there is room, and there is
    /// again when something was sent.
    @Test func finishedSoundGoesBackToTheSender() {
        let queue = ChangeQueue<Heap>()
        var heap = Heap(finished: (0..<80).map { [Float($0)] })
        queue.takeFinished(from: &heap)
        #expect(heap.finished.count == 48)
        queue.takeFinished(from: &heap)
        #expect(heap.finished.count == 48)
        queue.send(freeingBefore: 0) { _ in }
        queue.takeFinished(from: &heap)
        #expect(heap.finished.count == 16)
        queue.send(freeingBefore: 0) { _ in }
        queue.takeFinished(from: &heap)
        #expect(heap.finished.isEmpty)
    }

    /// What a change captured goes when another one is sent, long after, and not before.
    @Test func memoryIsGivenBackToTheSender() {
        final class Sound: Sendable {}
        let queue = ChangeQueue<Diary>()
        var diary = Diary()
        weak var sound: Sound?
        do {
            let captured = Sound()
            sound = captured
            queue.send(freeingBefore: 0) { [captured] _ in withExtendedLifetime(captured) {} }
        }
        queue.send(freeingBefore: 0) { _ in }
        #expect(sound != nil)
        queue.run(on: &diary, at: PlaybackMoment(position: 100, time: 0))
        #expect(sound != nil)
        queue.send(freeingBefore: 100) { _ in }
        #expect(sound != nil)
        queue.send(freeingBefore: 101) { _ in }
        #expect(sound == nil)
    }

    @Test func unusedChangesAreFreedWithTheQueue() {
        final class Sound: Sendable {}
        weak var sound: Sound?
        do {
            let queue = ChangeQueue<Diary>()
            let captured = Sound()
            sound = captured
            queue.send(freeingBefore: 0) { [captured] _ in withExtendedLifetime(captured) {} }
        }
        #expect(sound == nil)
    }

    @Test func anyThreadMaySend() {
        let queue = ChangeQueue<Diary>()
        let (senders, each) = (4, 2_000)
        for sender in 0..<senders {
            Thread {
                for number in 0..<each {
                    queue.send(freeingBefore: .max) { $0.changes.append(sender * each + number) }
                }
            }
            .start()
        }
        var diary = Diary()
        while diary.changes.count < senders * each { queue.run(on: &diary, at: PlaybackMoment(position: 0, time: 0)) }
        for sender in 0..<senders {
            let own = diary.changes.filter { $0 / each == sender }
            #expect(own == Array(sender * each..<(sender + 1) * each))
        }
    }
}
