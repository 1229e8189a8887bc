import Testing

@testable import Accept

/// Addresses for receipts and reminders.
@Suite struct ContactTests {
    /// `asd@asd.com` is the guide's own example (3.3).
    @Test(arguments: [
        "asd@asd.com", "first.last+tag@mail.example.co.uk", "a@b.cd", "o'neil_1@example.com", "x@1.example.com",
    ])
    func S1_74_addressesForMailAreRecognised(text: String) { #expect(AcceptContact.isEmailAddress(text)) }

    @Test(arguments: [
        "", "a", "a@", "@b.com", "a@b", "a@@b.com", "a@b@c.com", ".a@b.com", "a.@b.com", "a..b@c.com", "a b@c.com",
        "a@b..com", "a@-b.com", "a@b-.com", "a@b.c", "a@1.2.3.4", "a@b.com\n", "ä@b.com", "a@bücher.de",
        "\"a\"@b.com", "a@[1.2.3.4]", String(repeating: "a", count: 65) + "@b.com",
        "a@" + String(repeating: "b.", count: 120) + "com",
    ])
    func S1_74_otherTextsAreNoAddresses(text: String) { #expect(!AcceptContact.isEmailAddress(text)) }

    /// `987654321` is the guide's own example (3.3).
    @Test(arguments: [
        ("987654321", "987654321"), ("+49 (89) 4424-1000", "+498944241000"), ("089/4424.1000", "08944241000"),
        ("123456", "123456"), ("+123456789012345", "+123456789012345"),
    ])
    func S1_74_phoneNumbersAreRecognised(text: String, number: String) {
        #expect(AcceptContact.phoneNumber(text) == number)
    }

    @Test(arguments: ["", "+", "12345", "1234567890123456", "12a4567", "12+34567", "++1234567", "١٢٣٤٥٦", "123456\n"])
    func S1_74_otherTextsAreNoPhoneNumbers(text: String) { #expect(AcceptContact.phoneNumber(text) == nil) }
}
