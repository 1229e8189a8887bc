import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// The data objects of payments at an EMVSwiper: when they are kept, and how many.
@Suite struct BBPOSBatchDataTests {
    /// The stages in which the card decides nothing.
    enum Stage: CaseIterable {
        case idle, preparing, accepting, presented, online, swiped, stopped, ended

        func bench() throws -> BBPOSPaymentBench {
            var bench = try BBPOSPaymentBench()
            switch self {
            case .idle: break
            case .preparing: bench.carryOut(.prepare)
            case .accepting: bench.prepare()
            case .presented:
                bench.prepare()
                bench.report(.card(.chip, nil))
            case .online:
                bench.insertCard()
                bench.ask(.issuer, "9F3602002A")
            case .swiped:
                bench.prepare()
                bench.report(.card(.badSwipe, nil))
            case .stopped:
                bench.insertCard()
                bench.carryOut(.stopReader)
            case .ended:
                bench.insertCard()
                bench.report(.transactionEnded(.declined))
            }
            _ = bench.takeLog()
            return bench
        }
    }

    @Test(arguments: Stage.allCases) func objectsWithoutADecisionAreIgnoredAndReported(_ stage: Stage) throws {
        var bench = try stage.bench()
        let before = bench.payment.objects
        bench.report(.batchData(ReaderBytes("9F270140")), .reversalData(ReaderBytes("9F270100")))
        let (log, objects) = (bench.takeLog(), bench.payment.objects)
        #expect(log == [])
        #expect(objects == before)
        #expect(
            bench.notes.suffix(2) == [
                "batch data without a decision of the card", "reversal data without an answer of the issuer",
            ])
    }

    /// An approval in advance is none: the objects of its TC came before the kernel began.
    @Test func objectsBeforeTheStartDoNotApprove() throws {
        var bench = try Stage.presented.bench()
        bench.report(.batchData(ReaderBytes("9F270140")))
        bench.carryOut(.processCard)
        bench.report(.started(true))
        _ = bench.takeLog()
        bench.report(.transactionEnded(.approved))
        #expect(bench.takeLog() == ["kernel_error"])
    }

    /// The first card gave a TC, and could not be read to its end; the second gave none.
    @Test func objectsOfAnEarlierCardDoNotApprove() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.report(.batchData(ReaderBytes("9F270140")), .transactionEnded(.notChip))
        bench.carryOut(.acceptCard)
        bench.report(.card(.chip, nil))
        bench.carryOut(.processCard)
        bench.report(.started(true))
        _ = bench.takeLog()
        bench.report(.transactionEnded(.approved))
        #expect(bench.takeLog() == ["kernel_error"])
    }

    @Test func reversalDataIsKeptAfterTheIssuersAnswerOnly() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.report(.reversalData(ReaderBytes("9F3602002A")))
        let early = bench.payment.objects
        #expect(early.count == 0)
        bench.askIssuer("9F270180")
        bench.carryOut(.completeCard(.approved))
        _ = bench.takeLog()
        bench.report(.reversalData(ReaderBytes("9F270100 9F3602002A")), .transactionEnded(.declined))
        #expect(bench.takeLog() == ["ac2_aac 4"])
        let objects = bench.payment.objects
        #expect(objects.tags == [0x9F27, 0x9F36])
    }

    /// Objects without octets, whose tags of three octets begin with DF81 and DF82.
    private static func objects(_ range: Range<Int>) -> String {
        range.map { "DF" + hexadecimal([0x81 + UInt8($0 / 128), UInt8($0 % 128), 0]) }.joined()
    }

    @Test(arguments: [(256, true), (257, false)]) func aReportHasAtMost256Objects(_ count: Int, _ isKept: Bool) throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.report(.batchData(ReaderBytes(Self.objects(0..<count))))
        let objects = bench.payment.objects
        #expect(objects.count == (isKept ? 256 : 0))
        #expect(bench.notes.count == (isKept ? 0 : 1))
    }

    @Test func allReportsTogetherHaveAtMost256Objects() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.report(.batchData(ReaderBytes(Self.objects(0..<200))))
        bench.report(.batchData(ReaderBytes(Self.objects(100..<256))))
        bench.report(.batchData(ReaderBytes(Self.objects(256..<257) + "9F270140")))
        let objects = bench.payment.objects
        #expect(objects.count == 256)
        #expect(!objects.contains(0x9F27))
        #expect(bench.notes == ["batch data that cannot be read, or with too many objects"])
        bench.report(.transactionEnded(.approved))
        #expect(bench.takeLog() == ["kernel_error"])
    }

    /// A request for the issuer with more objects is one that cannot be read: the payment fails, and the card declines.
    @Test func aRequestForTheIssuerHasAtMost256Objects() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.ask(.issuer, Self.objects(0..<257))
        #expect(bench.takeLog() == ["> \(BBPOSCall.sendIssuerAnswer(hex("8A025A33")))", "kernel_error"])
    }
}
