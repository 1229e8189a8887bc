package import JackdawTransport

extension Transport {
    /// What comes next; nil at the end.
    package func received() async throws(LinkError) -> [UInt8]? {
        var bytes: [UInt8] = []
        return try await receive { span in bytes = span.indices.map { span[$0] } } ? bytes : nil
    }
}
