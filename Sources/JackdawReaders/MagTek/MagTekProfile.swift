extension ReaderProfile {
    /// What is known of MagneSafe V5 readers that send lines, beside what never changes: times alone.
    static let magtek = ReaderProfile(family: "magtek", "MagTek's readers, as their manuals have them")
}
