import Glibc

/// The core file that the kernel writes for a crashed process: all of its memory, card data included.
package enum CoreFile {
    /// Prevents core files from now on, including those that the kernel pipes to a program: at a limit of 0 the kernel
    /// pipes all of the memory, at a limit of 1 nothing (core(5)). A hard limit of 0 stays unchanged.
    package static func forbid() {
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        unsafe setrlimit(resource, &limit)
    }
}
