// swift-tools-version: 6.2
import PackageDescription

/// CI turns every warning into an error; a developer's build and a consumer's build only show them.
let strictWarnings: [SwiftSetting] =
    Context.environment["JACKDAW_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

let house: [SwiftSetting] =
    [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + strictWarnings

/// Over whole modules; the index that is made beside it wants a file for each source, which two threads give.
let wholeModules = ["-disable-batch-mode", "-whole-module-optimization", "-num-threads", "2"]
/// Unoptimised signal processing runs slower than the sound it listens to; bounds checks stay on.
let kernels: [SwiftSetting] = house + [.unsafeFlags(["-O"] + wholeModules, .when(configuration: .debug))]
/// The same for tests that make much sound.
let sounds: [SwiftSetting] = house + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
    name: "jackdaw",
    products: [
        .library(name: "JackdawDSP", targets: ["JackdawDSP"]),
        .library(name: "JackdawCards", targets: ["JackdawCards"]),
        .library(name: "JackdawSwipe", targets: ["JackdawSwipe"]),
        .library(name: "JackdawEMV", targets: ["JackdawEMV"]),
        .library(name: "JackdawTransport", targets: ["JackdawTransport"]),
        .library(name: "JackdawReaders", targets: ["JackdawReaders"]),
        .library(name: "JackdawSimulator", targets: ["JackdawSimulator"]),
        .library(name: "JackdawCryptography", targets: ["JackdawCryptography"]),
        .library(name: "JackdawALSA", targets: ["JackdawALSA"]),
        .library(name: "JackdawBluetooth", targets: ["JackdawBluetooth"]),
        .library(name: "JackdawPCSC", targets: ["JackdawPCSC"]),
        .library(name: "JackdawPayments", targets: ["JackdawPayments"]),
        .library(name: "JackdawSandbox", targets: ["JackdawSandbox"]),
        .library(name: "JackdawHTTP", targets: ["JackdawHTTP"]),
        .library(name: "JackdawStore", targets: ["JackdawStore"]),
        .library(name: "JackdawServices", targets: ["JackdawServices"]),
        .library(name: "Accept", targets: ["Accept"]),
        .library(name: "SwipeController", targets: ["SwipeController"]),
        .library(name: "JackdawLinux", targets: ["JackdawLinux"]),
        .library(name: "JackdawAudioFile", targets: ["JackdawAudioFile"]),
        .library(name: "JackdawSpectrum", targets: ["JackdawSpectrum"]),
        .executable(name: "jackdaw", targets: ["jackdaw-cli"]),
        .executable(name: "jackdaw-pay", targets: ["jackdaw-pay"]),
    ],
    traits: [
        .trait(name: "Command", description: "The `jackdaw` command and what only it needs."),
        .trait(name: "PCSC", description: "Links to chip cards in PC/SC readers (`pcsc:`), by libpcsclite."),
        .trait(name: "Payments", description: "The `jackdaw-pay` command, the journal in SQLite and the HTTP client."),
        .default(enabledTraits: ["Command", "PCSC"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.15.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.0.0"..<"6.0.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    ],
    targets: [
        .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CBlueZ", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CSystemD", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CFFTW", pkgConfig: "fftw3f", providers: [.apt(["libfftw3-dev"])]),
        .systemLibrary(name: "CPCSC", providers: [.apt(["libpcsclite-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // Empty without the trait: a package builds all its targets.
        .target(
            name: "CCurl", cSettings: [.define("JACKDAW_PAYMENTS", .when(traits: ["Payments"]))],
            linkerSettings: [
                .linkedLibrary("curl", .when(traits: ["Payments"])),
                .linkedLibrary("crypto", .when(traits: ["Payments"])),
            ]),

        // Optimised like the signal processing that stands on it.
        .target(name: "JackdawBytes", swiftSettings: kernels),

        // Square roots and rounding are calls into libm where the processor has no instruction for them.
        .target(
            name: "JackdawDSP", dependencies: ["JackdawBytes"], swiftSettings: kernels,
            linkerSettings: [.linkedLibrary("m")]),
        .target(name: "JackdawCards", dependencies: ["JackdawBytes"], swiftSettings: house),
        .target(
            name: "JackdawSwipe", dependencies: ["JackdawDSP", "JackdawCards", "JackdawBytes"],
            swiftSettings: kernels),
        .target(name: "JackdawEMV", dependencies: ["JackdawBytes"], swiftSettings: house),
        .target(name: "JackdawTransport", dependencies: ["JackdawBytes"], swiftSettings: house),

        .target(
            name: "JackdawReaders",
            dependencies: ["JackdawDSP", "JackdawTransport", "JackdawCards", "JackdawEMV", "JackdawBytes"],
            swiftSettings: house),
        .target(
            name: "JackdawSimulator",
            dependencies: [
                "JackdawDSP", "JackdawTransport", "JackdawCards", "JackdawEMV", "JackdawReaders", "JackdawBytes",
            ],
            swiftSettings: house),
        .target(
            name: "JackdawCryptography",
            dependencies: ["JackdawReaders", "JackdawCards", "JackdawEMV", "JackdawBytes", "COpenSSL"],
            swiftSettings: house),

        .target(
            name: "JackdawAudioFile",
            dependencies: ["JackdawTransport", "JackdawSystem", "JackdawBytes", "CSndFile"], swiftSettings: house),
        .target(
            name: "JackdawSpectrum", dependencies: ["JackdawDSP", "JackdawBytes", "CFFTW"], swiftSettings: kernels),

        .target(
            name: "JackdawSystem", dependencies: ["JackdawTransport", "JackdawBytes", "CLinux"], swiftSettings: house),
        .target(
            name: "JackdawALSA",
            dependencies: ["JackdawTransport", "JackdawSystem", "JackdawBytes", "CALSA", "CLinux"],
            swiftSettings: house),
        .target(
            name: "JackdawBluetooth",
            dependencies: ["JackdawTransport", "JackdawSystem", "JackdawBytes", "CBlueZ", "CSystemD", "CLinux"],
            swiftSettings: house),

        .target(
            name: "JackdawPCSC", dependencies: ["JackdawTransport", "JackdawSystem", "JackdawBytes", "CPCSC"],
            swiftSettings: house),

        .target(
            name: "JackdawPayments",
            dependencies: ["JackdawReaders", "JackdawEMV", "JackdawCards", "JackdawTransport", "JackdawBytes"],
            swiftSettings: house),
        .target(
            name: "JackdawSandbox",
            dependencies: [
                "JackdawPayments", "JackdawSimulator", "JackdawReaders", "JackdawEMV", "JackdawCards", "JackdawBytes",
            ],
            swiftSettings: house),

        .target(
            name: "Accept",
            dependencies: [
                "JackdawPayments", "JackdawReaders", "JackdawEMV", "JackdawCards", "JackdawTransport", "JackdawBytes",
            ],
            swiftSettings: house),

        .target(
            name: "SwipeController",
            dependencies: ["JackdawReaders", "JackdawTransport", "JackdawCards", "JackdawBytes"],
            swiftSettings: house),

        .target(
            name: "JackdawLinux",
            dependencies: [
                "JackdawDSP", "JackdawTransport", "JackdawSystem", "JackdawALSA", "JackdawBluetooth",
                "JackdawAudioFile", "JackdawReaders", "JackdawSimulator", "JackdawBytes", "SwipeController",
                .target(name: "JackdawPCSC", condition: .when(traits: ["PCSC"])),
            ],
            swiftSettings: house),

        .target(
            name: "JackdawConsole",
            dependencies: ["JackdawReaders", "JackdawTransport", "JackdawSystem", "JackdawBytes"],
            swiftSettings: house),
        .target(
            name: "JackdawHTTP",
            dependencies: [
                "JackdawPayments", "JackdawCards", "JackdawSystem", "JackdawTransport", "JackdawBytes",
                .target(name: "CCurl", condition: .when(traits: ["Payments"])),
            ],
            swiftSettings: house),
        .target(
            name: "JackdawStore",
            dependencies: [
                "JackdawPayments", "JackdawCryptography", "JackdawSystem", "JackdawCards", "JackdawBytes",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Payments"])),
            ],
            swiftSettings: house),
        .target(
            name: "JackdawServices",
            dependencies: [
                "JackdawPayments", "JackdawTransport",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Payments"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Payments"])
                ),
            ],
            swiftSettings: house),
        .target(
            name: "JackdawSoak",
            dependencies: [
                "Accept", "JackdawSandbox", "JackdawPayments", "JackdawSimulator", "JackdawReaders", "JackdawTransport",
                "JackdawEMV", "JackdawCards", "JackdawBytes",
            ],
            swiftSettings: house),

        .executableTarget(
            name: "jackdaw-cli",
            dependencies: [
                "JackdawDSP", "JackdawCards", "JackdawSwipe", "JackdawTransport", "JackdawSystem", "JackdawALSA",
                "JackdawBluetooth", "JackdawAudioFile", "JackdawSpectrum", "JackdawReaders", "JackdawSimulator",
                "JackdawCryptography", "JackdawEMV", "JackdawLinux", "JackdawBytes", "SwipeController",
                "JackdawConsole",
                .target(name: "JackdawPCSC", condition: .when(traits: ["PCSC"])),
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
            ],
            swiftSettings: house),

        .executableTarget(
            name: "jackdaw-pay",
            dependencies: [
                "Accept", "JackdawHTTP", "JackdawStore", "JackdawServices", "JackdawLinux", "JackdawConsole",
                "JackdawSoak", "JackdawSandbox", "JackdawPayments", "JackdawSimulator", "JackdawCryptography",
                "JackdawReaders", "JackdawTransport", "JackdawSystem", "JackdawEMV", "JackdawCards", "JackdawBytes",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Payments"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Payments"])),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: ["Payments"])),
                .product(name: "X509", package: "swift-certificates", condition: .when(traits: ["Payments"])),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["Payments"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Payments"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Payments"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Payments"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Payments"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Payments"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Payments"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Payments"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Payments"])
                ),
            ],
            swiftSettings: house),

        .target(
            name: "JackdawTestSupport", dependencies: ["JackdawTransport", "JackdawSystem"],
            path: "Tests/JackdawTestSupport", swiftSettings: house),
        .target(
            name: "JackdawSandboxTestSupport",
            dependencies: [
                "JackdawSandbox", "JackdawPayments", "JackdawSimulator", "JackdawReaders", "JackdawEMV",
                "JackdawTestSupport",
            ],
            path: "Tests/JackdawSandboxTestSupport", swiftSettings: house),
        .target(
            name: "JackdawSoundTestSupport",
            dependencies: [
                "JackdawDSP", "JackdawReaders", "JackdawSimulator", "JackdawTransport", "JackdawTestSupport",
            ],
            path: "Tests/JackdawSoundTestSupport", swiftSettings: house),
        .executableTarget(
            name: "JackdawSwipeStress",
            dependencies: [
                "SwipeController", "JackdawReaders", "JackdawSimulator", "JackdawTransport", "JackdawTestSupport",
                "JackdawSoundTestSupport", "JackdawLinux",
            ],
            path: "Tests/JackdawSwipeStress", swiftSettings: house),
        .target(
            name: "JackdawALSATestSupport", dependencies: ["JackdawALSA", "JackdawSystem", "JackdawTransport"],
            path: "Tests/JackdawALSATestSupport", swiftSettings: house),
        .executableTarget(
            name: "JackdawAudioPath",
            dependencies: ["JackdawALSA", "JackdawDSP", "JackdawReaders", "JackdawTransport"],
            path: "Tests/JackdawAudioPath", swiftSettings: house),
        .executableTarget(
            name: "JackdawBluetoothLab", dependencies: ["JackdawBluetooth", "JackdawTransport"],
            path: "Tests/JackdawBluetoothLab", swiftSettings: house),
        .testTarget(
            name: "JackdawBytesTests", dependencies: ["JackdawBytes", "JackdawTestSupport"], swiftSettings: house),
        .testTarget(
            name: "JackdawDSPTests", dependencies: ["JackdawDSP", "JackdawBytes", "JackdawTestSupport"],
            swiftSettings: sounds),
        .testTarget(
            name: "JackdawCardsTests", dependencies: ["JackdawCards", "JackdawBytes", "JackdawTestSupport"],
            resources: [.copy("Resources")], swiftSettings: house),
        .testTarget(
            name: "JackdawEMVTests",
            dependencies: ["JackdawEMV", "JackdawCards", "JackdawBytes", "JackdawTestSupport"],
            resources: [.copy("Cases"), .copy("Vectors")], swiftSettings: house),
        .testTarget(
            name: "JackdawSwipeTests",
            dependencies: ["JackdawSwipe", "JackdawDSP", "JackdawCards", "JackdawTestSupport"], swiftSettings: sounds),
        .testTarget(
            name: "JackdawReadersTests",
            dependencies: [
                "JackdawReaders", "JackdawTransport", "JackdawDSP", "JackdawEMV", "JackdawBytes", "JackdawTestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "JackdawCryptographyTests",
            dependencies: [
                "JackdawCryptography", "JackdawReaders", "JackdawSimulator", "JackdawCards", "JackdawEMV",
                "JackdawTransport", "JackdawTestSupport", "COpenSSL",
            ],
            resources: [.copy("Vectors")], swiftSettings: house),
        .testTarget(
            name: "JackdawSimulatorTests",
            dependencies: [
                "JackdawSimulator", "JackdawReaders", "JackdawDSP", "JackdawCards", "JackdawEMV", "JackdawTransport",
                "JackdawTestSupport", "JackdawSoundTestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "JackdawPaymentsTests",
            dependencies: [
                "JackdawPayments", "JackdawReaders", "JackdawTransport", "JackdawEMV", "JackdawCards", "JackdawBytes",
                "JackdawTestSupport", "JackdawJournalTestSupport",
            ],
            swiftSettings: house),
        .target(
            name: "JackdawJournalTestSupport", dependencies: ["JackdawPayments", "JackdawEMV"],
            path: "Tests/JackdawJournalTestSupport", swiftSettings: house),
        // Empty without the trait, as CCurl.
        .target(
            name: "CFaultVFS", path: "Tests/CFaultVFS",
            cSettings: [.define("JACKDAW_PAYMENTS", .when(traits: ["Payments"]))],
            linkerSettings: [.linkedLibrary("sqlite3", .when(traits: ["Payments"]))]),
        .testTarget(
            name: "JackdawStoreTests",
            dependencies: [
                "JackdawStore", "JackdawPayments", "JackdawCards", "JackdawTestSupport", "JackdawJournalTestSupport",
                .target(name: "CFaultVFS", condition: .when(traits: ["Payments"])),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Payments"])),
            ],
            swiftSettings: house),
        .testTarget(
            name: "JackdawHTTPTests",
            dependencies: ["JackdawHTTP", "JackdawPayments", "JackdawCards", "JackdawTestSupport", "COpenSSL"],
            resources: [.copy("Peers")], swiftSettings: house),
        .testTarget(
            name: "JackdawServicesTests",
            dependencies: [
                "JackdawServices", "JackdawPayments", "JackdawTransport", "JackdawEMV", "JackdawTestSupport",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Payments"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Payments"])
                ),
            ],
            swiftSettings: house),
        .testTarget(
            name: "JackdawSandboxTests",
            dependencies: [
                "JackdawSandbox", "JackdawPayments", "JackdawSimulator", "JackdawReaders", "JackdawEMV", "JackdawCards",
                "JackdawBytes", "JackdawTestSupport", "JackdawSandboxTestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "AcceptTests",
            dependencies: [
                "Accept", "JackdawHTTP", "jackdaw-pay", "JackdawSandbox", "JackdawPayments", "JackdawSimulator",
                "JackdawCryptography", "JackdawReaders", "JackdawTransport", "JackdawEMV", "JackdawCards",
                "JackdawBytes", "JackdawTestSupport", "JackdawSandboxTestSupport",
            ],
            swiftSettings: house),
        .executableTarget(
            name: "JackdawSoakRunner",
            dependencies: ["JackdawSoak", "JackdawSimulator", "JackdawSystem", "JackdawTransport"],
            path: "Tests/JackdawSoakRunner", swiftSettings: house),
        .executableTarget(
            name: "JackdawKillsTill",
            dependencies: [
                "Accept", "JackdawHTTP", "JackdawStore", "JackdawConsole", "JackdawSoak", "JackdawSandbox",
                "JackdawPayments", "JackdawSimulator", "JackdawCryptography", "JackdawReaders", "JackdawTransport",
                "JackdawSystem", "JackdawEMV", "JackdawCards", "JackdawBytes",
            ],
            path: "Tests/JackdawKillsTill", swiftSettings: house),
        .testTarget(
            name: "JackdawSoakTests", dependencies: ["JackdawSoak", "JackdawSimulator", "JackdawPayments", "Accept"],
            swiftSettings: house),
        .testTarget(
            name: "SwipeControllerTests",
            dependencies: [
                "SwipeController", "JackdawReaders", "JackdawSimulator", "JackdawTransport", "JackdawCards",
                "JackdawTestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "JackdawAudioFileTests",
            dependencies: ["JackdawAudioFile", "JackdawDSP", "JackdawTransport", "JackdawTestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "JackdawTransportTests", dependencies: ["JackdawTransport", "JackdawTestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "JackdawSystemTests", dependencies: ["JackdawSystem", "JackdawTransport", "JackdawTestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "JackdawALSATests",
            dependencies: [
                "JackdawALSA", "JackdawSystem", "JackdawReaders", "JackdawTransport", "JackdawDSP", "JackdawAudioFile",
                "JackdawTestSupport", "JackdawALSATestSupport", "JackdawAudioPath",
            ],
            swiftSettings: house),
        .testTarget(
            name: "JackdawBluetoothTests",
            dependencies: ["JackdawBluetooth", "JackdawSystem", "JackdawTransport", "JackdawTestSupport"],
            resources: [.copy("Resources")], swiftSettings: house),
        .testTarget(
            name: "JackdawPCSCTests",
            dependencies: ["JackdawPCSC", "JackdawSystem", "JackdawTransport", "JackdawTestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "JackdawSpectrumTests",
            dependencies: ["JackdawSpectrum", "JackdawDSP", "JackdawTestSupport"], swiftSettings: sounds),
        .testTarget(
            name: "JackdawLinuxTests",
            dependencies: [
                "JackdawLinux", "JackdawALSA", "JackdawBluetooth", "JackdawSimulator", "JackdawReaders", "JackdawCards",
                "JackdawCryptography", "JackdawDSP", "JackdawEMV", "JackdawSystem", "JackdawTransport",
                "SwipeController", "JackdawTestSupport", "JackdawALSATestSupport", "JackdawSwipeStress",
                .target(name: "JackdawPCSC", condition: .when(traits: ["PCSC"])),
            ],
            swiftSettings: house),
        .testTarget(
            name: "JackdawPayTests",
            dependencies: [
                "jackdaw-pay", "Accept", "JackdawStore", "JackdawHTTP", "JackdawLinux", "JackdawConsole",
                "JackdawSandbox",
                "JackdawPayments", "JackdawSimulator", "JackdawCryptography", "JackdawReaders", "JackdawTransport",
                "JackdawSystem", "JackdawEMV", "JackdawCards", "JackdawBytes", "JackdawTestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "JackdawCommandTests",
            dependencies: [
                "jackdaw-cli", "JackdawConsole", "JackdawLinux", "JackdawTransport", "JackdawALSA", "JackdawBluetooth",
                "JackdawSystem",
                "JackdawDSP", "JackdawCards", "JackdawSwipe", "JackdawAudioFile", "JackdawSpectrum", "JackdawReaders",
                "JackdawSimulator", "JackdawCryptography", "JackdawEMV", "JackdawBytes", "SwipeController",
                "JackdawTestSupport", "JackdawALSATestSupport",
                .target(name: "JackdawPCSC", condition: .when(traits: ["PCSC"])),
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
            ],
            swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
