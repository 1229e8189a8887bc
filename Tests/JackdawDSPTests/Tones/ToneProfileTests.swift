import JackdawDSP
import Testing

@Suite struct ToneProfileTests {
    @Test func commandsOfUniMagAreAsReported() throws {
        let commands: [(UniMagCommand, [UInt8])] = [
            (.version, [0x02, 0x52, 0x22, 0x03, 0x71]), (.settings, [0x02, 0x52, 0x1F, 0x03, 0x4C]),
            (.serialNumber, [0x02, 0x52, 0x4E, 0x03, 0x1D]), (.nextKeySerialNumber, [0x02, 0x52, 0x51, 0x03, 0x02]),
            (.tripleDES, [0x02, 0x53, 0x4C, 0x01, 0x31, 0x03, 0x2E]),
            (.aes, [0x02, 0x53, 0x4C, 0x01, 0x32, 0x03, 0x2D]), (.longTest, [0x02, 0x52, 0x20, 0x03, 0x73]),
            (try .set(0x4C, data: [0x31]), [0x02, 0x53, 0x4C, 0x01, 0x31, 0x03, 0x2E]),
        ]
        for (command, bytes) in commands { #expect(command.bytes == bytes) }
    }

    @Test func baudAndLevelShareAByte() {
        var values: Set<UInt8> = []
        for (baud, code) in [(UniMagCommand.Baud.baud2400, UInt8(3)), (.baud4800, 4), (.baud9600, 5)] {
            for (level, offset) in [(UniMagCommand.Level.one, UInt8(0x30)), (.two, 0x20), (.x, 0x08), (.n, 0)] {
                let bytes = UniMagCommand.setBaud(baud, level: level).bytes
                #expect(bytes.dropLast() == [0x02, 0x53, 0x41, 0x01, code + offset, 0x03])
                #expect(bytes.reduce(0, ^) == 0)
                values.insert(bytes[4])
            }
        }
        #expect(values.count == 12)
    }

    @Test func settingsOfAnyLength() throws {
        #expect(try UniMagCommand.set(0x40, data: []).bytes == [0x02, 0x53, 0x40, 0x03, 0x12])
        let long = try UniMagCommand.set(0x40, data: [UInt8](repeating: 7, count: 255)).bytes
        #expect(long.count == 261 && long[3] == 255 && long.reduce(0, ^) == 0)
        let error = #expect(throws: LineCodeError.self) {
            try UniMagCommand.set(0x40, data: [UInt8](repeating: 7, count: 256))
        }
        #expect(error?.code == .outOfRange)
    }

    /// Rising edges a second give the frequency of a power tone.
    @Test(arguments: [44_100.0, 48_000, 96_000]) func powerTonesHaveTheirFrequency(rate: Double) throws {
        let expected = [
            "unimag": [2_400.0, 2_000], "udynamo": [1_000, 1_000], "udynamo-sine": [1_000, 1_000],
            "hijack": [22_050, 22_050], "flojack": [22_050, 22_050],
        ]
        #expect(Set(PowerToneProfile.all.map(\.name)) == Set(expected.keys))
        for profile in PowerToneProfile.all {
            for (tone, frequency) in zip([profile.connecting, profile.holding], expected[profile.name] ?? []) {
                var generator = try ToneGenerator(tone, sampleRate: rate, ramp: profile.ramp)
                var samples: [Float] = []
                generator.append(frames: Int(rate) * 2, to: &samples)
                let right = Array(channel(1, of: samples, count: 2).suffix(Int(rate)))
                let edges = zip(right, right.dropFirst()).count { $0 < 0 && $1 >= 0 }
                // Whole frames: half a frame a period.
                let exact = tone.isWholeFrames ? rate / (rate / frequency).rounded() : frequency
                #expect(abs(Double(edges) - exact) <= 1.5, "\(profile.name)")
                #expect((right.map { abs($0) }.max() ?? 0) > 0.99)
            }
        }
    }

    @Test func hiJackLeavesTheLeftChannelToData() throws {
        var generator = try ToneGenerator(PowerToneProfile.hiJack.holding, sampleRate: 44_100, ramp: .none)
        var samples: [Float] = []
        generator.append(frames: 1_000, to: &samples)
        #expect(channel(0, of: samples, count: 2).allSatisfy { $0 == 0 })
        for (frame, sample) in channel(1, of: samples, count: 2).enumerated() {
            #expect(abs(sample - (frame.isMultiple(of: 2) ? 1 : -1)) < 1e-6)
        }
    }
}
