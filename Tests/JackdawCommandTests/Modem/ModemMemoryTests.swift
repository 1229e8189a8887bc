import Foundation
import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// An endless stream, in a process of its own whose memory can be measured.
@Suite struct ModemMemoryTests {
    /// Noise that is clipped at full scale, then silence.
    private static let sound: [UInt8] = {
        var noise = GaussianNoise(seed: 12)
        let samples = (0..<96_000).map { _ in Float(min(max(0.3 * noise.next(), -1), 1)) }
        return (samples.map { $0 * 0.99 } + [Float](repeating: 0, count: 32_000)).sixteenBitBytes
    }()

    @Test(arguments: [
        (["bell202"], 24), (["bell202", "--framing", "raw"], 24), (["unimag"], 24), (["udynamo"], 24),
        (["hijack"], 24), (["auto"], 48),
    ])
    func memoryStaysTheSame(mode: [String], pieces: Int) throws {
        let input = Pipe()
        let process = try SpawnedProcess(
            ChildProcess.executable.path, ["demodulate", "--raw", "48000,s16,1", "-", "--mode"] + mode,
            input: .pipe(input))
        // A quarter of the sound, to reach the process's usual memory.
        for _ in 0..<pieces / 4 { try input.fileHandleForWriting.write(contentsOf: Data(Self.sound)) }
        let early = try peakMemory(of: "\(process.identifier)")
        for _ in pieces / 4..<pieces { try input.fileHandleForWriting.write(contentsOf: Data(Self.sound)) }
        let late = try peakMemory(of: "\(process.identifier)")
        // Samples that are kept would take twice this memory.
        #expect(1_024 * (late - early) < (pieces - pieces / 4) * Self.sound.count / 2)
        try input.fileHandleForWriting.close()
        guard case .exit = process.end() else {
            Issue.record("a signal ended it")
            return
        }
    }
}
