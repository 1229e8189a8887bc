// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "example-driver",
    dependencies: [.package(name: "jackdaw", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "example-driver",
            dependencies: [
                .product(name: "JackdawLinux", package: "jackdaw"),
                .product(name: "JackdawReaders", package: "jackdaw"),
                .product(name: "JackdawTransport", package: "jackdaw"),
            ])
    ]
)
