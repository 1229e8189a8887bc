import JackdawReaders
import JackdawTransport

extension AcceptReaderTerminals {
    /// The time for the answer about a battery. It is shorter than ``closingLimit``, so that a payment can follow. It is our
    /// choice.
    static let questionLimit = Duration.seconds(4)

    /// Asks a reader for its charge over a link of its own. The reader is not in use.
    func askForBattery(_ reader: Reader) async throws(LinkError) -> AcceptBatteryLevel {
        switch reader.model {
        case .posMate, .uniMag: return .notAvailable
        case .miura:
            guard let dialect = try? ReaderFamily.named(reader.model.rawValue)?.makeDialect(reader.profile) else {
                return .notAvailable
            }
            let session = ReaderSession(try await reader.open(), dialect, clock: driverClock)
            let level = await within(Self.questionLimit) { await Self.level(of: session) } ?? .noAnswer
            await session.close()
            return level
        case .emvSwiper:
            guard let settings = try? BBPOSPaymentSettings(profile: reader.profile) else { return .notAvailable }
            let link = try await reader.open()
            let level = await within(Self.questionLimit) { await Self.level(over: link, settings.wire) } ?? .noAnswer
            await link.close()
            return level
        }
    }

    /// - Returns: the answer of the body; nil if it does not come in time.
    func within<Answer: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async -> Answer
    ) async -> Answer? {
        let (answers, answer) = AsyncStream<Answer>.makeStream()
        let question = Task {
            answer.yield(await body())
            answer.finish()
        }
        var timer = DeadlineTimer(clock)
        timer.arm(for: clock.now() + limit) { _ in answer.finish() }
        defer {
            timer.cancel()
            question.cancel()
        }
        for await answer in answers { return answer }
        return nil
    }

    /// Asks a Miura reader.
    private static func level(of session: ReaderSession) async -> AcceptBatteryLevel {
        await session.perform(.connect)
        var isAsked = false
        for await event in session.events {
            switch event {
            case .ready where !isAsked:
                isAsked = true
                await session.perform(.ask(.battery))
            case .answered(.battery, let facts):
                for case .battery(let report) in facts {
                    if report.isCharging == true { return .charging }
                    if let percent = report.percent { return .percent(percent) }
                }
                return .notAvailable
            // A reader without a battery may refuse the question.
            case .failed(let error): return isAsked && error.code == .refused ? .notAvailable : .noAnswer
            default: break
            }
        }
        return .noAnswer
    }

    /// Asks an EMVSwiper, whose information does not say if it is being charged.
    private static func level(over link: any Transport, _ wire: BBPOSPaymentWire) async -> AcceptBatteryLevel {
        var frames = FrameReader(wire.format)
        do throws(LinkError) {
            try await link.send(wire.frame(.getDeviceInfo))
            while let bytes = try await link.receiveBytes() {
                var level: AcceptBatteryLevel?
                frames.receive(bytes.span) { event, frame in
                    guard case .frame = event, case .deviceInfo(let facts)? = wire.report(frame) else { return }
                    level = facts["batteryPercentage"].flatMap { Int($0) }.map { .percent($0) } ?? .notAvailable
                }
                if let level { return level }
            }
        } catch {}
        return .noAnswer
    }
}
