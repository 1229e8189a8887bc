@testable import JackdawALSA
import JackdawSystem

/// Runs an engine on a virtual clock.
struct EngineRunner<Loop: PCMLoop> where Loop.Calls == ScriptedPCM {
    let clock: VirtualClock
    private var engine: StreamEngine<ScriptedOpener, Loop>
    private var next: StreamEngine<ScriptedOpener, Loop>.Next?
    /// How often the engine was woken.
    private(set) var steps = 0
    /// What is left of a rest that the last run has begun (ms).
    private var resting: Int32?

    init(_ engine: StreamEngine<ScriptedOpener, Loop>, _ clock: VirtualClock) {
        self.engine = engine
        self.clock = clock
    }

    /// Why it is over; nil where it is not.
    var failure: SystemFailure? { if case .over(let failure) = next { failure } else { nil } }
    /// Whether it has nothing more to do.
    var isFinished: Bool { next == .finished }

    /// Lets so much time pass.
    /// - Parameters:
    ///   - milliseconds: how much.
    ///   - step: how often the device wakes the engine; 0 for never, so that only its patience ends.
    ///   - after: what is done after each step.
    mutating func run(milliseconds: Int32, each step: Int32 = 5, _ after: () -> Void = {}) {
        var left = milliseconds
        while left > 0 {
            next = next ?? engine.begin(now: clock.now)
            let wait: Int32
            var isAnswered = false
            // The kernel answers at once, and for ever, for a device that is not well.
            let state = engine.calls?.state()
            let isUnwell = step > 0 && (state == .suspended || state == .overrun || state == .disconnected)
            switch next! {
            case .device(let patience):
                isAnswered = isUnwell || step > 0 && step <= patience
                wait = min(isUnwell ? 1 : isAnswered ? step : patience, left)
            case .time(let milliseconds):
                let rest = (resting ?? milliseconds)
                guard rest <= left else {
                    resting = rest - left
                    clock.advance(milliseconds: left)
                    return
                }
                resting = nil
                wait = rest
            case .over, .finished:
                clock.advance(milliseconds: left)
                return
            }
            clock.advance(milliseconds: max(1, wait))
            left -= max(1, wait)
            steps += 1
            let answer: PollDescriptor.Conditions = isUnwell ? [.readable, .failed] : .readable
            next = engine.step(isAnswered ? answer : [], now: clock.now)
            after()
        }
    }

    /// The device cannot be waited for any more.
    mutating func fail(_ code: Int32) { next = engine.fail(SystemFailure(code: code), now: clock.now) }

    /// How long what the device holds can still be heard (ms).
    mutating func drain() -> Int32 { engine.drain(now: clock.now) }

    mutating func close() { engine.close() }
}
