extension SandboxDirectory {
    /// The text of a directory for tests: a merchant with two tills and one terminal each. Its names, passwords and
    /// secrets are examples of this project, and those of no real host.
    public static let readyText = """
        {
          "note": "Test data only: nothing in it is of a real host.",
          "name": "ready", "brand": "Jackdaw sandbox",
          "clients": [{"id": "jackdaw", "secret": "jackdaw-secret"}],
          "merchants": [
            {
              "id": "1", "name": "Jackdaw Test Shop", "mid": "000000000000001", "country": "DE",
              "currencies": ["EUR", "USD", "JPY", "KWD"], "tax_rates": [0, 700, 1900], "net_taxation": false,
              "limits": {"lower": 1, "upper": 500000}, "service_charge": {"amount": 0, "tax_rate": 0},
              "utc_offset": 60,
              "product_list": {
                "version": "1", "url": "https://localhost/products.csv", "md5": "d41d8cd98f00b204e9800998ecf8427e"
              }
            },
            {
              "id": "2", "name": "Other Test Shop", "mid": "000000000000002", "country": "DE", "currencies": ["EUR"],
              "tax_rates": [1900], "limits": {"lower": 100, "upper": 20000, "daily": 50000}
            }
          ],
          "users": [
            {
              "id": "1", "external_id": "till-1", "merchant": "1", "first_name": "Test", "last_name": "Till",
              "email": "till-1@example.com", "phone": "+490000000001", "password": "till-1-password",
              "terminal": "SN00000001", "created": "2016-01-01"
            },
            {
              "id": "2", "external_id": "till-2", "merchant": "1", "email": "till-2@example.com",
              "password": "till-2-password", "terminal": "SN00000002", "created": "2016-01-01"
            },
            {
              "id": "3", "external_id": "other", "merchant": "2", "email": "other@example.com",
              "password": "other-password", "terminal": "SN00000003", "created": "2016-01-01"
            }
          ],
          "terminals": [
            {"serial": "SN00000001", "id": "T0000001", "type": "spire_posmate", "merchant": "1"},
            {"serial": "SN00000002", "id": "T0000002", "type": "spire_posmate", "merchant": "1"},
            {"serial": "SN00000003", "id": "T0000003", "type": "spire_posmate", "merchant": "2"}
          ],
          "firmware": [
            {
              "terminal_type": "spire_posmate", "version": "1.0", "url": "https://localhost/firmware.bin",
              "md5": "d41d8cd98f00b204e9800998ecf8427e"
            }
          ],
          "configuration": {
            "version": "1", "terminals": ["PosMate", "SPm2"], "md5": "59746162977075cfff0f483bd266017d"
          },
          "aid_configurations": []
        }
        """

    /// The directory of ``readyText``.
    public static let ready: SandboxDirectory = {
        do throws(SandboxFileError) { return try SandboxDirectory(json: Array(readyText.utf8)) } catch {
            preconditionFailure("the directory inside the module is wrong: \(error)")
        }
    }()
}
