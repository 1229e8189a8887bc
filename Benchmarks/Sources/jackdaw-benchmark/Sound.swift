import JackdawAudioFile

/// Mono sound in the form in which a file holds it.
struct Sound: Sendable {
    /// Samples of one type.
    enum Samples: Sendable {
        case integers([Int16])
        case floats([Float])
    }

    /// Samples per second (Hz).
    let rate: Double
    let samples: Samples

    /// Number of samples.
    var count: Int {
        switch samples {
        case .integers(let samples): samples.count
        case .floats(let samples): samples.count
        }
    }

    /// Length in seconds.
    var seconds: Double { Double(count) / rate }
}

extension Sound {
    /// Frames that a file on disk holds.
    static func frames(of path: String) throws(CorpusError) -> Int {
        let reader = try asCorpus { () throws(AudioFileError) in try AudioFileReader(path: path) }
        return reader.frames ?? 0
    }

    /// Reads a whole mono file. One that is cut short is refused: it would count as a swipe that was missed.
    init(contentsOf path: String) throws(CorpusError) {
        var reader = try asCorpus { () throws(AudioFileError) in try AudioFileReader(path: path) }
        let format = reader.format
        guard format.channels == 1 else { throw CorpusError(description: "\(path): not mono sound") }
        rate = format.sampleRate
        samples = try asCorpus { () throws(AudioFileError) in
            if format.isSixteenBit {
                .integers(try all { (block) throws(AudioFileError) in try reader.read(into: &block) })
            } else {
                .floats(try all { (block) throws(AudioFileError) in try reader.read(into: &block) })
            }
        }
        guard !reader.isTruncated else { throw CorpusError(description: "\(path): cut short") }
    }
}

/// All samples that a reader gives, block by block.
private func all<Sample: ExpressibleByIntegerLiteral>(
    _ read: (inout MutableSpan<Sample>) throws(AudioFileError) -> Int
) throws(AudioFileError) -> [Sample] {
    var samples: [Sample] = []
    var block = [Sample](repeating: 0, count: AudioFileReader.blockFrames)
    while true {
        var room = block.mutableSpan
        let count = try read(&room)
        guard count > 0 else { return samples }
        samples += block[..<count]
    }
}

/// Runs a body and turns the errors of sound files into the benchmark's.
private func asCorpus<Result: ~Copyable>(
    _ body: () throws(AudioFileError) -> Result
) throws(CorpusError) -> Result {
    do throws(AudioFileError) {
        return try body()
    } catch {
        throw CorpusError(description: error.description)
    }
}
