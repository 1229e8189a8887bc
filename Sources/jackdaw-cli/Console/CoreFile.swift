import Glibc

/// What the system keeps of a process that crashes: all that is in its memory, card data too.
enum CoreFile {
    /// Lets no core file be written from now on, nor by a program to which the system hands cores: it hands over everything
    /// at a limit of 0, and nothing at a limit of 1 (core(5)). A limit that is 0 for good stays so.
    static func forbid() {
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        unsafe setrlimit(resource, &limit)
    }
}
