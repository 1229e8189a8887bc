/// A link to a device that carries bytes both ways, in order and whole, until it ends.
///
/// What is read may hold card data: it is handed over where it lies, and overwritten behind the reader.
public protocol Transport: Sendable {
    /// The name that opens the link.
    var link: LinkName { get }

    /// Whose thread the link is read in, nil where it has none. A task that prefers it (`withTaskExecutorPreference`) receives
    /// without a change of threads, which is most of what a small packet costs. The thread is shared with other links: the task
    /// must not block it, and one that receives must not be a child that starts in its parent's place (`addImmediateTask`).
    var executor: (any TaskExecutor)? { get }

    /// Waits for what the device sends next and hands it over. For one task at a time.
    /// - Parameter take: gets the bytes, at least one; a packet link hands over one packet each time.
    /// - Returns: whether there were any; false when the device has ended its direction in good order, and ever after.
    /// - Throws: ``LinkError`` where the link was lost, again at each call, or where the task was cancelled (`cancelled`),
    ///   which loses nothing.
    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool

    /// Sends bytes, all of them, waiting while the device takes none. For one task at a time.
    /// - Parameter bytes: what to send.
    /// - Throws: ``LinkError``, with the number of bytes that were not given to the link; where the task was cancelled the
    ///   link stays open, and some of the bytes may have been sent.
    func send(_ bytes: [UInt8]) async throws(LinkError)

    /// Tells the device that nothing more will be sent; what it sends can still be received.
    func endSending() async throws(LinkError)

    /// Closes the link. Who waits gets `disconnected`; a second call does nothing.
    func close() async
}

extension Transport {
    /// None: the link is read in no thread of its own.
    public var executor: (any TaskExecutor)? { nil }
}
