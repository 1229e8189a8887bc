import JackdawEMV
@testable import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// What Miura's simulated reader answers, read as Miura's SDKs read it (`MpiClient.resetDevice` and `getDeviceInfo` for
/// Android, `MPICommandExecutor.getDeviceCapabilitiesWithCompletion` for iOS).
struct MiuraModelTests {
    private static func answer(to command: MiuraCommand) throws -> (body: [UInt8], objects: [TagLengthValue]) {
        var device = SimulatedDevice()
        let frames = MiuraModel().answer(command.frame().span, &device)
        let frame = try #require(frames.first)
        #expect(frame.dropLast().suffix(2) == [0x90, 0x00])
        let body = Array(frame[3..<frame.count - 3])
        let objects = TagLengthValue.read(body.span)
        return (body, try #require(objects))
    }

    /// Tags that each object of a tag holds.
    private static func tags(in holder: JackdawEMV.Tag, _ objects: [TagLengthValue]) -> [[JackdawEMV.Tag]] {
        objects.filter { $0.tag == holder }.map { holder in
            objects.filter { holder.value.contains($0.start) }.map(\.tag)
        }
    }

    @Test func resetIsAnsweredWithSerialNumberAndSoftware() throws {
        let (body, objects) = try Self.answer(to: .reset())
        #expect(Self.tags(in: 0xE1, objects).first?.first == 0x9F1E)
        let number = try #require(objects.first { $0.tag == 0x9F1E })
        #expect(String(decoding: body[number.value], as: UTF8.self) == "M0000001")
        // The program's, and the operating system's.
        #expect(Self.tags(in: 0xEF, objects) == [[0xDF0D, 0xDF7F], [0xDF0D, 0xDF7F]])
    }

    @Test func deviceInformationIsAListOfCapabilitiesWithAndWithoutValues() throws {
        let (_, objects) = try Self.answer(to: .deviceInformation)
        #expect(!objects.contains { $0.tag == 0xEF || $0.tag == 0x9F1E })
        #expect(Set(Self.tags(in: 0xED, objects)) == [[0xDF0D], [0xDF0D, 0xDF7F]])
    }

    @Test func resetEndsCardReports() throws {
        var device = SimulatedDevice()
        let model = MiuraModel()
        _ = model.answer(MiuraCommand.reportCards(.all).frame().span, &device)
        #expect(device.isArmed)
        _ = model.answer(MiuraCommand.reset().frame().span, &device)
        #expect(!device.isArmed)
    }
}
