import JackdawSystem
import JackdawTransport

/// Where saved levels are kept from one run to the next: files, or a test's memory.
protocol MixerStateStorage: Sendable {
    /// Does something while no other process does the like.
    func locked<Result>(_ body: () throws(LinkError) -> Result) throws(LinkError) -> Result
    /// What was saved under a name, or nil; one byte more than the most a record can have, at most.
    func load(_ name: String) throws(LinkError) -> [UInt8]?
    /// Saves, all of it or nothing, and so that it outlasts a loss of power.
    func save(_ bytes: [UInt8], as name: String) throws(LinkError)
    /// Removes what was saved.
    func remove(_ name: String) throws(LinkError)
    /// Puts what was saved out of the way.
    /// - Returns: where to.
    func setAside(_ name: String) throws(LinkError) -> String
}

extension StateDirectory: MixerStateStorage {}
