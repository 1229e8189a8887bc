package import JackdawEMV

/// The commands of a payment by chip or tap, and their data.
///
/// Source: `MpiClient` of Miura's SDK for Android and `MPICommandExecutor` of that for iOS, in public repositories. The
/// objects are in the order of `MpiClient`.
extension MiuraCommand {
    /// The values of START TRANSACTION that are not those of the transaction.
    package struct StartOptions: Sendable, Hashable {
        /// Object DFA204. Both SDKs send 1.
        package var applicationSelection: UInt8
        /// Object DFA203, the stage of terminal risk management. The SDK for Android sends 0.
        package var riskManagement: UInt8

        package init(applicationSelection: UInt8 = 1, riskManagement: UInt8 = 0) {
            self.applicationSelection = applicationSelection
            self.riskManagement = riskManagement
        }
    }

    /// Begins a payment with the card in the slot.
    /// - Parameters:
    ///   - transaction: amounts, currency, kind, date and time; its number if it is not 0.
    ///   - options: the other values.
    /// - Returns: the command.
    /// - Throws: ``FrameFault`` (`field`) if an object cannot hold a value.
    package static func startTransaction(
        _ transaction: KernelTransaction, _ options: StartOptions = StartOptions()
    ) throws(FrameFault) -> MiuraCommand {
        var objects = try self.objects(of: transaction)
        objects.append(MiuraTag.applicationSelection, [options.applicationSelection])
        objects.append(MiuraTag.riskManagement, [options.riskManagement])
        objects.append(MiuraTag.currency, try currency(transaction))
        return try MiuraCommand(.startTransaction, data: commandData(objects))
    }

    /// Begins a payment that waits for a tap. A card that is inserted or swiped ends the wait.
    /// - Parameters:
    ///   - transaction: amounts, currency, kind, date and time; its number if it is not 0.
    ///   - language: two letters of ISO 639; nil for the reader's own.
    /// - Returns: the command.
    /// - Throws: ``FrameFault`` (`field`) if an object cannot hold a value.
    package static func startContactless(
        _ transaction: KernelTransaction, language: String? = nil
    ) throws(FrameFault) -> MiuraCommand {
        var objects = try self.objects(of: transaction)
        objects.append(MiuraTag.currency, try currency(transaction))
        if let language {
            guard language.utf8.count == 2, language.utf8.allSatisfy(\.isPrinted) else {
                throw FrameFault(.field, at: 10, "a language has two letters")
            }
            objects.append(MiuraTag.language, Array(language.utf8))
        }
        return try MiuraCommand(.startContactless, data: commandData(objects))
    }

    /// Continues a payment after the issuer's answer.
    /// - Parameter response: response code (8A), issuer authentication data (91) and scripts (71, 72).
    /// - Returns: the command.
    /// - Throws: ``FrameFault`` (`length`) if the scripts are longer than one command can carry.
    package static func continueTransaction(_ response: HostResponse) throws(FrameFault) -> MiuraCommand {
        try MiuraCommand(
            .continueTransaction, data: TagLengthValueBuilder.encode(MiuraTag.commandData, response.dataObjects))
    }

    /// Continues a payment with an application of the list that the reader sent.
    ///
    /// That the answer has the name as object 9F06 is known from the tests of a payment SDK that uses Miura's readers;
    /// that it goes into this command is an inference.
    /// - Parameter application: the name of the application (AID).
    /// - Returns: the command.
    /// - Throws: ``FrameFault`` (`length`) if the name is longer than a command.
    package static func continueTransaction(application: [UInt8]) throws(FrameFault) -> MiuraCommand {
        var objects = TagLengthValueBuilder()
        objects.append(MiuraTag.application, application)
        return try MiuraCommand(.continueTransaction, data: commandData(objects))
    }

    /// Has the cardholder of a swiped card enter a PIN for the issuer.
    /// - Parameters:
    ///   - transaction: amount and currency, which the reader shows.
    ///   - track: track 2 as the reader masked it.
    ///   - label: the name of the card, in ASCII, which the reader shows.
    /// - Returns: the command.
    /// - Throws: ``FrameFault`` (`field`, or `length` if label and track are longer than a command).
    package static func onlinePIN(
        _ transaction: KernelTransaction, maskedTrack2 track: [UInt8], label: String
    ) throws(FrameFault) -> MiuraCommand {
        guard label.utf8.allSatisfy(\.isPrinted) else { throw FrameFault(.field, at: 10, "a label is ASCII") }
        var objects = TagLengthValueBuilder()
        objects.append(MiuraTag.amount, try transaction.amount.decimalOctets(6))
        objects.append(MiuraTag.applicationLabel, Array(label.utf8))
        objects.append(MiuraTag.currency, try currency(transaction))
        objects.append(MiuraTag.maskedTrack2, track)
        return try MiuraCommand(.onlinePIN, 1, data: commandData(objects))
    }

    /// The objects that both kinds of payment begin with. The number of the transaction (9F41) is that of other
    /// programs' logs.
    private static func objects(of transaction: KernelTransaction) throws(FrameFault) -> TagLengthValueBuilder {
        guard transaction.time.count == 3 else { throw FrameFault(.field, at: 8, "a time has three bytes") }
        var objects = TagLengthValueBuilder()
        objects.append(MiuraTag.transactionKind, [transaction.type.rawValue])
        objects.append(MiuraTag.amount, try transaction.amount.decimalOctets(6))
        if transaction.otherAmount > 0 {
            objects.append(MiuraTag.otherAmount, try transaction.otherAmount.decimalOctets(6))
        }
        objects.append(MiuraTag.date, transaction.date.octets)
        objects.append(MiuraTag.time, transaction.time)
        if transaction.sequenceNumber > 0 {
            objects.append(MiuraTag.sequenceCounter, try transaction.sequenceNumber.decimalOctets(4))
        }
        return objects
    }

    private static func currency(_ transaction: KernelTransaction) throws(FrameFault) -> [UInt8] {
        guard transaction.currency.count == 2 else { throw FrameFault(.field, at: 8, "a currency has two bytes") }
        return transaction.currency
    }

    private static func commandData(_ objects: TagLengthValueBuilder) -> [UInt8] {
        TagLengthValueBuilder.encode(MiuraTag.commandData, objects.octets)
    }
}
