import Foundation
import JackdawDSP

/// Something that reads modems: Jackdaw's library, its command, or another program.
enum ModemReader: Sendable, Hashable {
    /// The library, within this process; without its squelch it gives what noise may have made, too.
    case library(isSquelched: Bool)
    /// The command, at a path.
    case jackdaw(String)
    /// minimodem at a path, with its own confidence limit or another.
    case minimodem(String, limit: String?)
    /// multimon-ng at a path, fed with what sox at another path made of the sound.
    case multimon(String, sox: String)

    /// What stands over its column.
    var name: String {
        switch self {
        case .library(true), .jackdaw: "Jackdaw"
        case .library(false): "Jackdaw, no squelch"
        case .minimodem(_, nil): "minimodem"
        case .minimodem(_, let limit?): "minimodem -c \(limit)"
        case .multimon: "multimon-ng"
        }
    }

    /// What one recording gave.
    struct Outcome: Sendable {
        /// The bytes that were read.
        let bytes: [UInt8]
        /// Seconds of processor time of the whole process.
        let processorSeconds: Double
        /// Samples that it had to read.
        let samples: Int
    }

    /// Reads a recording.
    /// - Returns: nil where this reader has no such mode.
    /// - Throws: what the file or the program is not.
    func read(_ recording: ModemRecording) throws -> Outcome? {
        switch self {
        case .library(let isSquelched):
            return try inProcess(recording, isSquelched: isSquelched)
        case .jackdaw(let path):
            let tones = tones(recording, "--mark", "--space").map { ["--baud", "\(recording.baud)"] + $0 }
            let arguments = ["demodulate"] + (tones ?? ["--mode", recording.mode])
            return try outcome(ChildProgram(path, arguments + [recording.path], accepted: [0, 1]), recording)
        case .minimodem(let path, let limit):
            guard let tones = tones(recording, "--mark", "--space") else { return nil }
            let limits = limit.map { ["--confidence", $0] } ?? []
            let arguments = ["--rx", "--quiet", "-8"] + limits + tones
            return try outcome(
                ChildProgram(path, arguments + ["--file", recording.path, "\(recording.baud)"], accepted: [0, 1]),
                recording)
        case .multimon(let path, let sox):
            guard recording.mode == "bell202" else { return nil }
            let resampled = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: resampled) }
            let format = ["-t", "raw", "-e", "signed", "-b", "16", "-c", "1", "-r", "22050"]
            // Without dither, which differs from run to run.
            _ = try ChildProgram(sox, ["-D", recording.path] + format + [resampled])
            let child = try ChildProgram(path, ["-q", "-n", "-t", "raw", "-a", "UFSK1200", resampled])
            let samples = try contents(of: resampled).count / 2
            return Outcome(
                bytes: Self.unescaped(child.output), processorSeconds: child.processorSeconds, samples: samples)
        }
    }

    /// Samples handed over at once.
    private static let block = 32_768

    private func inProcess(_ recording: ModemRecording, isSquelched: Bool) throws -> Outcome {
        let sound = try Sound(contentsOf: recording.path)
        var bytes: [UInt8] = []
        let seconds = try processorSeconds {
            var decoder = try decoder(of: recording, sampleRate: sound.rate, isSquelched: isSquelched)
            var events: [LineEvent] = []
            func take() {
                for case .character(let character) in events where character.isFramed {
                    bytes.append(UInt8(truncatingIfNeeded: character.value))
                }
                events.removeAll(keepingCapacity: true)
            }
            for start in stride(from: 0, to: sound.count, by: Self.block) {
                let range = start..<min(start + Self.block, sound.count)
                switch sound.samples {
                case .integers(let samples): decoder.receive(samples.span.extracting(range), into: &events)
                case .floats(let samples): decoder.receive(samples.span.extracting(range), into: &events)
                }
                take()
            }
            decoder.finish(into: &events)
            take()
        }
        return Outcome(bytes: bytes, processorSeconds: seconds, samples: sound.count)
    }

    private func decoder(
        of recording: ModemRecording, sampleRate: Double, isSquelched: Bool
    ) throws -> any LineDecoder {
        guard let mark = recording.mark, let space = recording.space else {
            return try LineMode(named: recording.mode).decoder(sampleRate: sampleRate)
        }
        let shift = FrequencyShift(baud: recording.baud, mark: mark, space: space)
        return try FSKDecoder(shift, sampleRate: sampleRate, isSquelched: isSquelched)
    }

    private func outcome(_ child: ChildProgram, _ recording: ModemRecording) throws -> Outcome {
        Outcome(
            bytes: child.output, processorSeconds: child.processorSeconds,
            samples: try Sound.frames(of: recording.path))
    }

    /// The tones as options; nil where there are none.
    private func tones(_ recording: ModemRecording, _ mark: String, _ space: String) -> [String]? {
        guard let high = recording.mark, let low = recording.space else { return nil }
        return [mark, "\(high)", space, "\(low)"]
    }

    /// Bytes out of what multimon-ng prints, which writes those that are no text as `[0x1F]`.
    static func unescaped(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let first = rest.first {
            let escape = rest.prefix(6)
            if escape.count == 6, escape.starts(with: Array("[0x".utf8)), escape.last == UInt8(ascii: "]"),
                let byte = UInt8(String(decoding: escape.dropFirst(3).prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(byte)
                rest = rest.dropFirst(6)
            } else {
                bytes.append(first)
                rest = rest.dropFirst()
            }
        }
        return bytes
    }
}

extension ModemReader {
    /// The other programs that are installed, and a line about each that is not.
    static func peers() -> (readers: [ModemReader], notes: [String]) {
        var readers: [ModemReader] = []
        var notes: [String] = []
        if let minimodem = ChildProgram.find("minimodem") {
            readers += [.minimodem(minimodem, limit: nil), .minimodem(minimodem, limit: "0.5")]
        } else {
            notes.append("minimodem is not installed and left out: apt install minimodem")
        }
        if let multimon = ChildProgram.find("multimon-ng"), let sox = ChildProgram.find("sox") {
            readers.append(.multimon(multimon, sox: sox))
        } else {
            notes.append("multimon-ng or sox is not installed and left out: apt install multimon-ng sox")
        }
        return (readers, notes)
    }
}
