// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "payment-view",
    dependencies: [.package(name: "jackdaw", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "payment-view",
            dependencies: [
                .product(name: "Accept", package: "jackdaw"),
                .product(name: "JackdawCards", package: "jackdaw"),
                .product(name: "JackdawCryptography", package: "jackdaw"),
                .product(name: "JackdawEMV", package: "jackdaw"),
                .product(name: "JackdawLinux", package: "jackdaw"),
                .product(name: "JackdawPayments", package: "jackdaw"),
                .product(name: "JackdawSandbox", package: "jackdaw"),
                .product(name: "JackdawSimulator", package: "jackdaw"),
                .product(name: "JackdawTransport", package: "jackdaw"),
            ])
    ]
)
