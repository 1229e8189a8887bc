import JackdawEMV
import JackdawPayments

/// A world without what does not matter for its future: effects are known by their part and not by their number, and times
/// by their distance from now. Two worlds with the same key go on in the same way.
struct WorldKey: Hashable {
    private struct Record: Hashable {
        let identifier: AttemptIdentifier
        let state: AttemptState
        let flow: PaymentJournal?
        let purpose: Delivery.Purpose?

        init(_ record: AttemptRecord) {
            identifier = record.identifier
            state = record.state
            flow = record.flow
            purpose = record.delivery?.purpose
        }
    }

    private struct Course: Hashable {
        let record: Record
        let written: Record?
        let change: Int
        let writing: Int?
        let outputs: [JackdawPayments.Course.Waiting]
        let phase: PaymentPhase?
        let journal: PaymentJournal?
        let awaited: Int?
        let times: [Duration?]
        let asking: [Int?]
        let writeFailures: Int
        let mustEnquire: Bool
        let isFoundApproved: Bool
        let answerCounts: [Int]
    }

    private struct Message: Hashable {
        let operation: HostRequest.Operation
        let attempt: AttemptIdentifier
        let age: Duration
        let isAwaited: Bool
        let part: Int
    }

    private struct Answer: Hashable {
        let attempt: AttemptIdentifier
        let answer: HostReply?
        let part: Int
    }

    private let counts: [Int]
    private let host: ModelHost
    private let store: [Record]
    private let courses: [Course]
    private let messages: [Message: Int]
    private let answers: [Answer: Int]
    private let tasks: [AttemptIdentifier: PaymentAction]
    private let chips: Set<AttemptIdentifier>
    private let drain: [Duration?]
    private let drained: AttemptIdentifier?
    private let declined: Set<AttemptIdentifier>

    init(_ world: World) {
        let desk = world.desk
        let now = world.now
        func ahead(_ time: Duration?) -> Duration? { time.flatMap { $0 > now ? $0 - now : nil } }
        func age(_ time: Duration) -> Duration { min(now - time, world.rules.host.requestLifetime) }
        func part(_ effect: Int, _ attempt: AttemptIdentifier) -> Int {
            if desk.drain?.effect == effect { return 1 }
            return desk.courses.contains { $0.record.identifier == attempt && $0.asking?.effect == effect } ? 2 : 0
        }
        counts = [world.callsMade, world.faultsLeft, world.minted]
        host = world.host
        store = world.store.values.map { Record($0) }.sorted { $0.identifier < $1.identifier }
        courses = desk.courses.map { course in
            Course(
                record: Record(course.record), written: course.written.map { Record($0) },
                change: course.change - course.durable, writing: course.writing.map { $0.change - course.durable },
                outputs: course.outputs.map { .init(change: $0.change - course.durable, output: $0.output) },
                phase: course.flow?.phase, journal: course.flow?.journal, awaited: course.flow?.awaitedEffect,
                times: [
                    ahead(course.flow?.nextDeadline), ahead(course.writeAgain), ahead(course.notBefore),
                    ahead(course.asking?.limit), course.lastBookable.map(age),
                ],
                asking: [
                    course.asking?.flowEffect, course.asking == nil ? nil : 1, course.asking?.isLate == true ? 1 : nil,
                ],
                writeFailures: course.writeFailures, mustEnquire: course.mustEnquire,
                isFoundApproved: course.isFoundApproved,
                answerCounts: [course.contradictions, course.otherPayments, course.unusableAnswers])
        }
        messages = Dictionary(
            world.messages.map {
                (
                    Message(
                        operation: $0.request.operation, attempt: $0.request.attempt, age: age($0.sent),
                        isAwaited: $0.isAwaited, part: $0.isAwaited ? part($0.effect, $0.request.attempt) : 0), 1
                )
            }, uniquingKeysWith: +)
        answers = Dictionary(
            world.answers.map {
                (Answer(attempt: $0.attempt, answer: $0.answer, part: part($0.effect, $0.attempt)), 1)
            },
            uniquingKeysWith: +)
        tasks = world.tasks.mapValues { $0.action }
        chips = world.chips
        drain = [
            ahead(desk.drain?.limit), desk.drain.map { age($0.sent) }, ahead(desk.pause),
            desk.drain?.isEnquiry == true ? .zero : nil,
        ]
        drained = desk.drain?.attempt
        declined = world.checker.declined
    }
}
