/// The encoder of a ``LineMode``; ``LineMode/encoder(sampleRate:level:)`` makes it.
public struct LineModeEncoder: LineEncoder {
    let mode: LineMode
    let sampleRate: Double
    private var sender: Sender

    init(mode: LineMode, sampleRate: Double, level: Double) throws(LineCodeError) {
        self.mode = mode
        self.sampleRate = sampleRate
        let line: Sender.Line =
            switch mode.code {
            case .frequencyShift(let shift, let framing):
                .frequencyShift(Box(try FSKEncoder(shift, framing: framing, sampleRate: sampleRate, level: level)))
            case .frequencyShiftBits(let shift):
                .frequencyShiftBits(Box(try FSKBitEncoder(shift, sampleRate: sampleRate, level: level)))
            case .nibbles(let line):
                .nibbles(Box(try NibbleLineEncoder(line, sampleRate: sampleRate, level: level)))
            case .dynamo(let line):
                .dynamo(Box(try DynamoEncoder(line, sampleRate: sampleRate, level: level)))
            case .serialManchester(let line):
                .serialManchester(Box(try SerialManchesterEncoder(line, sampleRate: sampleRate, level: level)))
            }
        sender = Sender(line)
    }

    public mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        makeUnique()
        sender.encode(bytes, into: &samples)
    }

    public mutating func finish(into samples: inout [Float]) {
        makeUnique()
        sender.finish(into: &samples)
    }

    public mutating func idle(seconds: Double, into samples: inout [Float]) {
        makeUnique()
        sender.idle(seconds: seconds, into: &samples)
    }

    public mutating func reset() {
        makeUnique()
        sender.reset()
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&sender) { sender = sender.copy() }
    }

    /// An encoder that is changed in its place: one that is taken out of an enumeration would share its held bytes.
    private final class Box<Encoder: LineEncoder>: @unchecked Sendable {
        /// Changed only by a sole holder.
        var encoder: Encoder

        init(_ encoder: Encoder) { self.encoder = encoder }

        func copy() -> Box { Box(encoder) }
    }

    /// The encoder for any line code. A closed enumeration, as Embedded Swift has no values of a protocol.
    ///
    /// Copies of an encoder share it. It is the only holder of its box, and changed only by a sole holder.
    private final class Sender: Sendable {
        enum Line: Sendable {
            case frequencyShift(Box<FSKEncoder>)
            case frequencyShiftBits(Box<FSKBitEncoder>)
            case nibbles(Box<NibbleLineEncoder>)
            case dynamo(Box<DynamoEncoder>)
            case serialManchester(Box<SerialManchesterEncoder>)
        }

        private let line: Line

        init(_ line: Line) { self.line = line }

        func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
            switch line {
            case .frequencyShift(let box): box.encoder.encode(bytes, into: &samples)
            case .frequencyShiftBits(let box): box.encoder.encode(bytes, into: &samples)
            case .nibbles(let box): box.encoder.encode(bytes, into: &samples)
            case .dynamo(let box): box.encoder.encode(bytes, into: &samples)
            case .serialManchester(let box): box.encoder.encode(bytes, into: &samples)
            }
        }

        func finish(into samples: inout [Float]) {
            switch line {
            case .frequencyShift(let box): box.encoder.finish(into: &samples)
            case .frequencyShiftBits(let box): box.encoder.finish(into: &samples)
            case .nibbles(let box): box.encoder.finish(into: &samples)
            case .dynamo(let box): box.encoder.finish(into: &samples)
            case .serialManchester(let box): box.encoder.finish(into: &samples)
            }
        }

        func idle(seconds: Double, into samples: inout [Float]) {
            switch line {
            case .frequencyShift(let box): box.encoder.idle(seconds: seconds, into: &samples)
            case .frequencyShiftBits(let box): box.encoder.idle(seconds: seconds, into: &samples)
            case .nibbles(let box): box.encoder.idle(seconds: seconds, into: &samples)
            case .dynamo(let box): box.encoder.idle(seconds: seconds, into: &samples)
            case .serialManchester(let box): box.encoder.idle(seconds: seconds, into: &samples)
            }
        }

        func reset() {
            switch line {
            case .frequencyShift(let box): box.encoder.reset()
            case .frequencyShiftBits(let box): box.encoder.reset()
            case .nibbles(let box): box.encoder.reset()
            case .dynamo(let box): box.encoder.reset()
            case .serialManchester(let box): box.encoder.reset()
            }
        }

        func copy() -> Sender {
            switch line {
            case .frequencyShift(let box): Sender(.frequencyShift(box.copy()))
            case .frequencyShiftBits(let box): Sender(.frequencyShiftBits(box.copy()))
            case .nibbles(let box): Sender(.nibbles(box.copy()))
            case .dynamo(let box): Sender(.dynamo(box.copy()))
            case .serialManchester(let box): Sender(.serialManchester(box.copy()))
            }
        }
    }
}
