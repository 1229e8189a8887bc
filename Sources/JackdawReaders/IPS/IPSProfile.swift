extension ReaderProfile {
    /// What is taken for known of IPS's readers: times alone.
    static let ips = ReaderProfile(family: "ips", "IPS's readers, as an OEM's sample code suggests")
}
