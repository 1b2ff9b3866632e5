#include "common/redaction/redactor.hpp"

#include <gtest/gtest.h>

namespace evalfleet::redaction {
namespace {

struct Case {
    const char* text;
    const char* expected;  ///< null: stays as it is
};

class Assignments : public ::testing::TestWithParam<Case> {};
class Addresses : public ::testing::TestWithParam<Case> {};
class Numbers : public ::testing::TestWithParam<Case> {};

void check(const Case& example) {
    const std::string expected = example.expected == nullptr ? example.text : example.expected;
    EXPECT_EQ(Redactor().redact(example.text).text, expected) << example.text;
}

TEST_P(Assignments, AreJudgedByNameAndValue) {
    check(GetParam());
}
TEST_P(Addresses, AreToldFromVersionsAndCode) {
    check(GetParam());
}
TEST_P(Numbers, AreToldByShapeCheckDigitsAndWords) {
    check(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Redacted, Assignments,
    ::testing::Values(
        Case{"password=hunter2secret", "password=[REDACTED:credential]"},
        Case{"API_KEY=onionHKwDMXZO", "API_KEY=[REDACTED:credential]"},
        Case{"SERVICE_TOKEN=correcthorse x", "SERVICE_TOKEN=[REDACTED:credential] x"},
        Case{"X-Vault-Token: onionHKwDMXZO", "X-Vault-Token: [REDACTED:credential]"},
        Case{"  jwt_secret: onionHKwDMXZO", "  jwt_secret: [REDACTED:credential]"},
        Case{"the wifi pass is: lantern4Df", "the wifi pass is: [REDACTED:credential]"},
        Case{"Das Passwort lautet: lantern4Df", "Das Passwort lautet: [REDACTED:credential]"},
        Case{"la contrase\xC3\xB1"
             "a es: lantern4Df",
             "la contrase\xC3\xB1"
             "a es: [REDACTED:credential]"},
        Case{"the password for the router is lantern4Df",
             "the password for the router is [REDACTED:credential]"},
        Case{R"(const TOKEN: &'static str = "a1b2c3d4e5f6g7h8i9";)",
             R"(const TOKEN: &'static str = "[REDACTED:credential]";)"},
        Case{"PGPASSWORD=swordfish psql", "PGPASSWORD=[REDACTED:credential] psql"},
        Case{"dbPassword: 'swordfish'", "dbPassword: '[REDACTED:credential]'"},
        Case{"password: swordfish\nuser: x", "password: [REDACTED:credential]\nuser: x"},
        Case{R"("passphrase" : "correct horse battery")",
             R"("passphrase" : "[REDACTED:credential]")"},
        Case{"user=x;pwd=abc123;host=y", "user=x;pwd=[REDACTED:credential];host=y"},
        Case{"secret_key_base = 'abcdef'", "secret_key_base = '[REDACTED:credential]'"},
        Case{"X-Auth-Token: a1b2c3d4e5", "X-Auth-Token: [REDACTED:credential]"},
        Case{"token => \"a1b2c3d4e5\"", "token => \"[REDACTED:credential]\""},
        Case{"--client-secret a1b2c3d4e5 x", "--client-secret [REDACTED:credential] x"},
        Case{"<clientSecret>a1b2c3d4</clientSecret>",
             "<clientSecret>[REDACTED:credential]</clientSecret>"},
        Case{"OPENAI_KEY=a1b2c3d4e5f6a7b8c9", "OPENAI_KEY=[REDACTED:credential]"},
        Case{"API key: 9f8e7d6c5b4a3928", "API key: [REDACTED:credential]"},
        Case{"AccountKey=a1b2C3d4e5f6==;", "AccountKey=[REDACTED:cloud_key];"},
        Case{"Cookie: a=1234567; b=2", "Cookie: [REDACTED:credential]"},
        Case{"curl -u me:pa55 http://x", "curl -u me:[REDACTED:credential] http://x"},
        Case{"My password is hunter2!", "My password is [REDACTED:credential]"},
        Case{"IDENTIFIED WITH PASSWORD 'open sesame'",
             "IDENTIFIED WITH PASSWORD '[REDACTED:credential]'"},
        Case{R"({\"api_key\":\"a1b2c3d4e5\"})", R"({\"api_key\":\"[REDACTED:credential]\"})"}));

INSTANTIATE_TEST_SUITE_P(
    RedactedWhereNamesStandApart, Assignments,
    ::testing::Values(
        Case{"DB_PASSWORD=hunter2secret psql", "DB_PASSWORD=[REDACTED:credential] psql"},
        Case{"POSTGRES_PASSWORD=mysecretpassword", "POSTGRES_PASSWORD=[REDACTED:credential]"},
        Case{"ALTER USER 'r'@'h' IDENTIFIED BY 'Salmon77';",
             "ALTER USER 'r'@'h' IDENTIFIED BY '[REDACTED:credential]';"},
        Case{"identified with caching_sha2_password by \"x y z\"",
             "identified with caching_sha2_password by \"[REDACTED:credential]\""},
        Case{"variable \"db_password\" {\n  default = \"Salmon77\"\n}",
             "variable \"db_password\" {\n  default = \"[REDACTED:credential]\"\n}"},
        Case{R"("password": {"type": "string", "default": "Salmon77"})",
             R"("password": {"type": "string", "default": "[REDACTED:credential]"})"},
        Case{"keytool -storepass Salmon77 -list", "keytool -storepass [REDACTED:credential] -list"},
        Case{"7z x -pSalmon77 a.7z", "7z x -p[REDACTED:credential] a.7z"},
        Case{"unzip -P Salmon77 a.zip", "unzip -P [REDACTED:credential] a.zip"},
        Case{"smbclient //h/s -U bob%Salmon77", "smbclient //h/s -U bob%[REDACTED:credential]"},
        Case{"openssl rsa -passin pass:Salmon77", "openssl rsa -passin pass:[REDACTED:credential]"},
        Case{"machine h login bob password Salmon77",
             "machine h login bob password [REDACTED:credential]"},
        Case{"username: bob\npass: Salmon77!", "username: bob\npass: [REDACTED:credential]"},
        Case{"Use the password \"Salmon77\" here",
             "Use the password \"[REDACTED:credential]\" here"},
        Case{"passphrase for the key: Salmon77", "passphrase for the key: [REDACTED:credential]"},
        Case{"password -> Salmon77", "password -> [REDACTED:credential]"},
        Case{"| password | Salmon77 |", "| password | [REDACTED:credential] |"},
        Case{"WIFI:T:WPA;S:home;P:Salmon77;;", "WIFI:T:WPA;S:home;P:[REDACTED:credential];;"},
        Case{"ConvertTo-SecureString -String 'Salmon77' -Force",
             "ConvertTo-SecureString -String '[REDACTED:credential]' -Force"},
        Case{"define('DB_PASSWORD', 'red-salmon-7');",
             "define('DB_PASSWORD', '[REDACTED:credential]');"},
        Case{"The API key you asked for is 9f8e7d6c5b4a39281706x.",
             "The API key you asked for is [REDACTED:credential]."}));

INSTANTIATE_TEST_SUITE_P(
    Left, Assignments,
    ::testing::Values(
        Case{"token: parseHTTPRequest", nullptr}, Case{"the pass is: granted", nullptr},
        Case{"the password for the portal is stored twice", nullptr},
        Case{"AUTH=required x", nullptr}, Case{"SORT_KEY=created_at", nullptr},
        Case{"password=", nullptr}, Case{"password: str", nullptr},
        Case{"password: required", nullptr}, Case{"password=None", nullptr},
        Case{"password=$DB_PASSWORD", nullptr}, Case{"password=${X}", nullptr},
        Case{"password=<your password>", nullptr}, Case{"password=****", nullptr},
        Case{"password = getpass()", nullptr}, Case{"password=args.password", nullptr},
        Case{"if (password == \"x1y2z3\")", nullptr}, Case{"password_file: /etc/pw1", nullptr},
        Case{"password_min_length: 1234", nullptr}, Case{"token_count=123456789", nullptr},
        Case{"tokens: 812345678", nullptr}, Case{"token = tokens[10]", nullptr},
        Case{"\"token\": \"Paris\"", nullptr}, Case{"token: nextToken,", nullptr},
        Case{"secret: the garden", nullptr}, Case{"primary_key=a1b2c3d4e5f6a7b8c9d0", nullptr},
        Case{"key: value", nullptr}, Case{"primary key: 9f8e7d6c5b4a39281706", nullptr},
        Case{"PASS: test_login_2", nullptr}, Case{"use --password option", nullptr},
        Case{"the password is required", nullptr}, Case{"Cookie: yes please", nullptr},
        Case{"auth::token::next()", nullptr}, Case{"PASSWORD=DB_PASSWORD", nullptr},
        Case{"stand by 'Salmon77'", nullptr}, Case{"node -> Salmon77", nullptr},
        Case{"node->token1a2b3c4d", nullptr}, Case{"EVENT_SID = 0x00000080,", nullptr},
        Case{"<pwd.h>  for getpwnam()", nullptr}, Case{"C<passwd>, C<uid>", nullptr},
        Case{"run<MyPass>().getBPI2() x", nullptr},
        Case{"'StartToken' => 'https://github.com/a/b2c3'", nullptr},
        Case{"user => $u, pass => $password", nullptr}, Case{"password -> hash", nullptr},
        Case{"| password | string | required |", nullptr}, Case{"| user | Salmon77 |", nullptr},
        Case{"a | b | password | c", nullptr}, Case{"-password prompt", nullptr},
        Case{"the password \"field\" is required", nullptr},
        Case{"password for the account: ask the admin", nullptr},
        Case{"{\"type\": \"string\", \"default\": \"Salmon77\"}", nullptr},
        Case{"make -U bob", nullptr}, Case{"S:home;P:Salmon77;", nullptr},
        Case{"the API key you asked for is not active", nullptr}));

INSTANTIATE_TEST_SUITE_P(Redacted, Addresses,
                         ::testing::Values(Case{"from 10.1.2.3:80.",
                                                "from [REDACTED:ip_address]:80."},
                                           Case{"10.1.2.0/24", "[REDACTED:ip_address]/24"},
                                           Case{"ip=192.168.100.200", "ip=[REDACTED:ip_address]"},
                                           Case{"root@10.1.2.3", "root@[REDACTED:ip_address]"},
                                           Case{"[2001:db8::1]:443", "[[REDACTED:ip_address]]:443"},
                                           Case{"fe80::1%eth0", "[REDACTED:ip_address]%eth0"},
                                           Case{"1:2:3:4:5:6:7:8", "[REDACTED:ip_address]"},
                                           Case{"::ffff:10.1.2.3", "[REDACTED:ip_address]"}));

INSTANTIATE_TEST_SUITE_P(
    Left, Addresses,
    ::testing::Values(Case{"127.0.0.1:80", nullptr}, Case{"0.0.0.0", nullptr},
                      Case{"255.255.255.0", nullptr}, Case{"::1", nullptr}, Case{"[::]", nullptr},
                      Case{"v1.2.3.4", nullptr}, Case{"version 1.2.3.4", nullptr},
                      Case{"Section 1.2.3.4", nullptr}, Case{"1.2.3.4-beta", nullptr},
                      Case{"a==1.2.3.4", nullptr}, Case{"a >= 1.2.3.4", nullptr},
                      Case{"1.2.3.4.5", nullptr}, Case{"1.2.3.256", nullptr},
                      Case{"01.2.3.4", nullptr}, Case{"dead::beef", nullptr},
                      Case{"std::dec::x", nullptr}, Case{"12:34:56", nullptr},
                      Case{"00:1a:2b:3c:4d:5e", nullptr}, Case{"00:1a:2b:3c:4d:5e:6f:70", nullptr},
                      Case{"a:b:c", nullptr}));

INSTANTIATE_TEST_SUITE_P(
    Redacted, Numbers,
    ::testing::Values(Case{"phone 4155552671", "phone [REDACTED:phone]"},
                      Case{"+44 (0)20 7946 0958 ext 12", "[REDACTED:phone]"},
                      Case{"555-123-4567 x89", "[REDACTED:phone]"},
                      Case{"07911123456", "[REDACTED:phone]"},
                      Case{"HTTP 400: x (989.555.8851)", "HTTP 400: x ([REDACTED:phone])"},
                      Case{"user_4111111111111111", "user_[REDACTED:payment_card]"},
                      Case{"card:4111111111111111", "card:[REDACTED:payment_card]"},
                      Case{"SSN 536904399", "SSN [REDACTED:national_id]"},
                      Case{"ssn-536-90-4399-x1", nullptr},
                      Case{"ssn-536-90-4399-old", "ssn-[REDACTED:national_id]-old"},
                      Case{"DE89 3704 0044 0532 0130 00.", "[REDACTED:iban]."},
                      Case{"gb29nwbk60161331926819", "[REDACTED:iban]"},
                      Case{"1,536-90-4399,3", "1,[REDACTED:national_id],3"},
                      Case{"7,4111111111111111,29", "7,[REDACTED:payment_card],29"},
                      Case{"7,10.1.2.3,4", "7,[REDACTED:ip_address],4"},
                      Case{"bob,10.1.2.3,x", "bob,[REDACTED:ip_address],x"},
                      Case{"7,415-555-2671,4", "7,[REDACTED:phone],4"},
                      Case{"passport C01X00T47", "passport [REDACTED:national_id]"},
                      Case{"a\xC3\xA9@x.org", "[REDACTED:email]"}));

INSTANTIATE_TEST_SUITE_P(
    Left, Numbers,
    ::testing::Values(
        Case{"1,234,567.89", nullptr}, Case{"12,10.1 and 1,078-79", nullptr},
        Case{"4155552671", nullptr}, Case{"order 4155552671", nullptr},
        Case{"phone order 4155552671", nullptr}, Case{"0306406152", nullptr},
        Case{"536904399", nullptr}, Case{"DE88370400440532013000", nullptr},
        Case{"DE8937040044053201300", nullptr}, Case{"ab12cd34ef56", nullptr},
        Case{"2341 2341 2347", nullptr}, Case{"2001 2002 2003", nullptr},
        Case{"icon@2x.png", nullptr}, Case{"git@github.com:a/b", nullptr},
        Case{"5f3e-4111111111111111", nullptr}, Case{"20261116-155501-394212-demo", nullptr},
        Case{"771 667 874 1423", nullptr}, Case{"667 874 1423 12", nullptr},
        Case{"695 75 7275 367", nullptr}, Case{"bb34 0998 0944 6037 9c4c", nullptr},
        Case{"arn:aws:iam::016058455345:role/x", nullptr}, Case{"NSN 0019-08-663-1307", nullptr},
        Case{"Boston, MA 02110-1301 USA", nullptr}, Case{"'Text::Tabs' => '2021.0804'", nullptr},
        Case{"641E 5353 6354 4111 1111 1111 1111 64FF", nullptr},
        Case{"4111 1111 1111 1111 1227", "[REDACTED:payment_card] 1227"}));

INSTANTIATE_TEST_SUITE_P(
    RedactedInForms, Numbers,
    ::testing::Values(Case{"q=card+4111+1111+1111+1111&n=1", "q=card+[REDACTED:payment_card]&n=1"},
                      Case{"/s?q=call+4155552671+now", "/s?q=call+[REDACTED:phone]+now"},
                      Case{"My+password+is+Salmon77%2C", "My+password+is+[REDACTED:credential]%2C"},
                      Case{"a=1+2", nullptr}, Case{"sum = a+b+4155552671", nullptr}));

TEST(RedactName, KeepsEqualNamesEqualAndDifferentOnesDifferent) {
    const Redactor redactor;
    const auto name = [&](std::string_view text) { return redactor.redact_name(text).text; };
    const std::string jane = name("case-jane@example.org-1");
    EXPECT_EQ(jane.substr(0, 16), "[REDACTED:email:");
    EXPECT_EQ(jane.substr(32), "]-1");
    EXPECT_EQ(name("case-jane@example.org-1"), jane);
    EXPECT_NE(name("case-john@example.org-1"), jane);
    EXPECT_EQ(Redactor({"some-key"}).redact_name("case-jane@example.org-1").text, jane);
    EXPECT_EQ(name(jane), jane);
    EXPECT_EQ(redactor.redact(jane).text, jane);
    EXPECT_EQ(name("plain-17"), "plain-17");
}

TEST(RedactName, CountsLikeAnyText) {
    EXPECT_EQ(Redactor().redact_name("jane@example.org").count(Kind::email), 1U);
}

TEST(Redactor, LeavesAddressesWhereItIsToldTo) {
    const Redactor redactor = Redactor().without_ip_addresses();
    EXPECT_EQ(redactor.redact("10.1.2.3 fe80::1 a@b.org").text,
              "10.1.2.3 fe80::1 [REDACTED:email]");
}

TEST(Redactor, AddsCountsByTheNamesOfKinds) {
    NamedCounts counts{{"email", 2}};
    add(counts, Redactor().redact("a@b.org 10.1.2.3").counts);
    EXPECT_EQ(counts, (NamedCounts{{"email", 3}, {"ip_address", 1}}));
}

}  // namespace
}  // namespace evalfleet::redaction
