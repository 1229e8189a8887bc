import Foundation

/// A recording of a modem and what was sent; the decoder gets the nominal keying.
struct ModemRecording: Sendable, Decodable {
    /// Where the sound is; relative to the manifest unless it is absolute.
    var path: String
    /// A family of recordings and the condition of this one, with a slash between.
    var cell: String
    /// Name of the mode.
    let mode: String
    /// Bits a second.
    let baud: Double
    /// Frequency of a 1 in Hz; nil where the mode has no tones and its name says everything.
    let mark: Double?
    /// Frequency of a 0 in Hz; nil likewise.
    let space: Double?
    /// Samples per second (Hz).
    let rate: Double
    /// Energy of a bit over the noise density in dB; nil where there is no noise, or nothing else.
    let ebn0: Double?
    /// What was sent; empty where there is noise alone.
    let bytes: [UInt8]
    /// A word that was sent, where it is not known what came between the words.
    let word: String?
    /// How often it was sent.
    let words: Int

    private enum CodingKeys: CodingKey { case path, cell, mode, baud, mark, space, rate, ebn0, bytes, word, words }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decode(String.self, forKey: .path)
        cell = try container.decodeIfPresent(String.self, forKey: .cell) ?? ""
        mode = try container.decode(String.self, forKey: .mode)
        baud = try container.decode(Double.self, forKey: .baud)
        mark = try container.decodeIfPresent(Double.self, forKey: .mark)
        space = try container.decodeIfPresent(Double.self, forKey: .space)
        rate = try container.decode(Double.self, forKey: .rate)
        ebn0 = try container.decodeIfPresent(Double.self, forKey: .ebn0)
        let digits = try container.decode(String.self, forKey: .bytes)
        guard let bytes = [UInt8](hexadecimal: digits) else {
            throw DecodingError.dataCorruptedError(forKey: .bytes, in: container, debugDescription: "not hexadecimal")
        }
        self.bytes = bytes
        word = try container.decodeIfPresent(String.self, forKey: .word)
        words = try container.decodeIfPresent(Int.self, forKey: .words) ?? 0
    }

    /// The part of the cell before the slash.
    var family: String { String(cell.prefix { $0 != "/" }) }
    /// The part of the cell after the slash.
    var condition: String { String(cell.dropFirst(family.count + 1)) }
}

/// The modem recordings of a manifest. Those without a cell belong to a family of the folder's name, under the
/// condition of their noise.
func modemRecordings(ofManifest path: String) throws(CorpusError) -> [ModemRecording] {
    var recordings = try decoded([ModemRecording].self, from: path)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    for index in recordings.indices {
        recordings[index].path = URL(fileURLWithPath: recordings[index].path, relativeTo: folder).path
        guard recordings[index].cell.isEmpty else { continue }
        let condition = recordings[index].ebn0.map { "\($0.formatted(.number.locale(Locale(identifier: "C"))))dB" }
        recordings[index].cell = "\(folder.lastPathComponent)/\(condition ?? "clean")"
    }
    return recordings
}

extension [UInt8] {
    /// Bytes of two digits each; nil for anything else.
    init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
