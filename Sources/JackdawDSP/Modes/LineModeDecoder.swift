/// The decoder of a ``LineMode``; ``LineMode/decoder(sampleRate:)`` makes it.
public struct LineModeDecoder: LineDecoder {
    let mode: LineMode
    let sampleRate: Double
    private var receiver: Receiver

    init(mode: LineMode, sampleRate: Double) throws(LineCodeError) {
        self.mode = mode
        self.sampleRate = sampleRate
        let line: Receiver.Line =
            switch mode.code {
            case .frequencyShift(let shift, let framing):
                .frequencyShift(try FSKDecoder(shift, framing: framing, sampleRate: sampleRate).box)
            case .frequencyShiftBits(let shift):
                .frequencyShiftBits(try FSKBitDecoder(shift, sampleRate: sampleRate).box)
            case .nibbles(let line):
                .nibbles(try NibbleLineDecoder(line, sampleRate: sampleRate).box)
            case .dynamo(let line):
                .dynamo(try DynamoDecoder(line, sampleRate: sampleRate).box)
            case .serialManchester(let line):
                .serialManchester(try SerialManchesterDecoder(line, sampleRate: sampleRate).box)
            }
        receiver = Receiver(line)
    }

    public mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        makeUnique()
        receiver.receive(samples, into: &events)
    }

    public mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        makeUnique()
        receiver.receive(samples, into: &events)
    }

    public mutating func finish(into events: inout [LineEvent]) {
        makeUnique()
        receiver.finish(into: &events)
    }

    public mutating func reset() {
        makeUnique()
        receiver.reset()
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&receiver) { receiver = receiver.copy() }
    }

    /// The state for any line code. A closed enumeration, as Embedded Swift has no values of a protocol. The code is
    /// looked up once a block of samples.
    ///
    /// Copies of a decoder share it. It is the only holder of its box, and changed only by a sole holder.
    private final class Receiver: Sendable {
        enum Line: Sendable {
            case frequencyShift(WipedBox<FSKReceiver>)
            case frequencyShiftBits(WipedBox<FSKBitReceiver>)
            case nibbles(WipedBox<NibbleReceiver<NibbleLine>>)
            case dynamo(WipedBox<NibbleReceiver<DynamoLine>>)
            case serialManchester(WipedBox<SerialManchesterReceiver>)
        }

        private let line: Line

        init(_ line: Line) { self.line = line }

        func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
            switch line {
            case .frequencyShift(let box): box.content.receive(samples, into: &events)
            case .frequencyShiftBits(let box): box.content.receive(samples, into: &events)
            case .nibbles(let box): box.content.receive(samples, into: &events)
            case .dynamo(let box): box.content.receive(samples, into: &events)
            case .serialManchester(let box): box.content.receive(samples, into: &events)
            }
        }

        func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
            switch line {
            case .frequencyShift(let box): box.content.receive(samples, into: &events)
            case .frequencyShiftBits(let box): box.content.receive(samples, into: &events)
            case .nibbles(let box): box.content.receive(samples, into: &events)
            case .dynamo(let box): box.content.receive(samples, into: &events)
            case .serialManchester(let box): box.content.receive(samples, into: &events)
            }
        }

        func finish(into events: inout [LineEvent]) {
            switch line {
            case .frequencyShift(let box): box.content.finish(into: &events)
            case .frequencyShiftBits(let box): box.content.finish(into: &events)
            case .nibbles(let box): box.content.finish(into: &events)
            case .dynamo(let box): box.content.finish(into: &events)
            case .serialManchester(let box): box.content.finish(into: &events)
            }
        }

        func reset() {
            switch line {
            case .frequencyShift(let box): box.content.reset()
            case .frequencyShiftBits(let box): box.content.reset()
            case .nibbles(let box): box.content.reset()
            case .dynamo(let box): box.content.reset()
            case .serialManchester(let box): box.content.reset()
            }
        }

        func copy() -> Receiver {
            switch line {
            case .frequencyShift(let box): Receiver(.frequencyShift(box.copy()))
            case .frequencyShiftBits(let box): Receiver(.frequencyShiftBits(box.copy()))
            case .nibbles(let box): Receiver(.nibbles(box.copy()))
            case .dynamo(let box): Receiver(.dynamo(box.copy()))
            case .serialManchester(let box): Receiver(.serialManchester(box.copy()))
            }
        }
    }
}
