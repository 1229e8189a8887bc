// Commands to the card, and the records of its application: EMV Book 3, section 10.2, with contacts and without.

/// A kernel that reads the records of an application.
protocol RecordReading {
    /// The meanings of answers.
    associatedtype Waiting: RecordCase
    /// The steps for observers.
    associatedtype Step: RecordCase

    var objects: KernelObjects { get set }

    mutating func ask(_ task: KernelEffect.Task, _ meaning: Waiting)
    mutating func note(_ step: Step)
    /// Goes on after the last record.
    mutating func finishReading() throws(KernelTermination)
}

/// A type with a case for a record.
protocol RecordCase {
    static func record(_ record: ApplicationFileLocator.Record) -> Self
}

extension RecordReading {
    /// Sends a command to the card, and remembers the meaning of its answer.
    /// - Throws: the object as malformed if there is no command, as its values have an invalid length.
    mutating func transmit(_ command: CardCommand?, of tag: Tag, _ meaning: Waiting) throws(KernelTermination) {
        guard let command else { throw KernelTermination(.malformed, tag) }
        ask(.transmit(command), meaning)
    }

    /// Reads the next record of the file locator, if there is one.
    mutating func readRecord() throws(KernelTermination) {
        guard let record = objects.nextRecord() else { return try finishReading() }
        let command = try? CardCommand.readRecord(record.number, file: record.file)
        try transmit(command, of: .applicationFileLocator, .record(record))
    }

    mutating func takeRecord(
        _ response: CardResponse, _ record: ApplicationFileLocator.Record
    ) throws(KernelTermination) {
        try objects.add(record, response)
        note(.record(record))
        try readRecord()
    }
}

extension KernelStep: RecordCase {}
extension ContactKernel: RecordReading {}
extension ContactKernel.Waiting: RecordCase {}
