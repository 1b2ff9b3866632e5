#include "tests/support/redaction/draw.hpp"
#include "tests/support/redaction/planted.hpp"

#include <iterator>

namespace evalfleet::testing {
namespace {

struct Example {
    const char* kind;
    const char* before;
    const char* value;
};

// Documented examples, never issued to anybody, with right check digits.
constexpr Example kExamples[] = {
    {"phone", "call ", "+44 20 7946 0958"},
    {"phone", "call ", "+44 (0)20 7946 0958"},
    {"phone", "mobile ", "+15551234567"},
    {"phone", "", "+1 (555) 123-4567 ext. 89"},
    {"phone", "office ", "(555) 123-4567"},
    {"phone", "office ", "555-123-4567"},
    {"phone", "office ", "555.123.4567"},
    {"phone", "à ", "06 12 34 56 78"},
    {"phone", "Tel. ", "0151/23456789"},
    {"phone", "phone: ", "4155552671"},
    {"phone", "phone_number=", "4155552671"},
    {"phone", "tel:", "02079460958"},
    {"phone", "text ", "07911123456"},
    {"phone", "call me at ", "555 0123 456"},
    {"payment card", "card ", "4111 1111 1111 1111"},
    {"payment card", "card:", "4111111111111111"},
    {"payment card", "", "5500-0055-5555-5559"},
    {"payment card", "amex ", "378282246310005"},
    {"payment card", "amex ", "3782 822463 10005"},
    {"payment card", "user-", "6011111111111117"},
    {"iban", "to ", "DE89 3704 0044 0532 0130 00"},
    {"iban", "to ", "DE89370400440532013000"},
    {"iban", "to ", "de89370400440532013000"},
    {"iban", "to ", "GB29NWBK60161331926819"},
    {"iban", "to ", "gb29 nwbk 6016 1331 9268 19"},
    {"iban", "to ", "FR1420041010050500013M02606"},
    {"iban", "to ", "NL91ABNA0417164300"},
    {"iban", "to ", "CH93 0076 2011 6238 5295 7"},
    {"iban", "to ", "ES9121000418450200051332"},
    {"iban", "to ", "IT60X0542811101000000123456"},
    {"iban", "to ", "NO9386011117947"},
    {"ipv4 address", "from ", "203.0.113.77"},
    {"ipv4 address", "host ", "10.20.30.40"},
    {"ipv4 address", "http://", "192.168.17.23:8080/x"},
    {"ipv4 address", "client=", "198.51.100.4"},
    {"ipv6 address", "from ", "2001:db8:85a3::8a2e:370:7334"},
    {"ipv6 address", "from [", "2001:0db8:85a3:0000:0000:8a2e:0370:7334"},
    {"ipv6 address", "via ", "fe80::1ff:fe23:4567:890a"},
    {"ipv6 address", "via ", "::ffff:203.0.113.9"},
    {"us social security number", "ssn ", "536-90-4399"},
    {"us social security number", "SSN: ", "536904399"},
    {"us social security number", "social security number ", "536 90 4399"},
    {"us taxpayer number", "ITIN ", "912-70-1234"},
    {"canadian insurance number", "SIN ", "046-454-286"},
    {"canadian insurance number", "SIN ", "046454286"},
    {"british insurance number", "NI ", "AB 12 34 56 C"},
    {"british insurance number", "NI ", "AB123456C"},
    {"german tax id", "Steuer-ID ", "86095742719"},
    {"german tax id", "IdNr ", "86 095 742 719"},
    {"french insee number", "nir ", "2 55 08 14 168 025 38"},
    {"french insee number", "nir ", "255081416802538"},
    {"spanish dni", "dni ", "12345678Z"},
    {"spanish nie", "nie ", "X1234567L"},
    {"italian tax code", "cf ", "RSSMRA85T10A562S"},
    {"indian aadhaar", "id ", "2341 2341 2346"},
    {"indian aadhaar", "aadhaar ", "234123412346"},
    {"indian pan", "pan ", "ABCPE1234F"},
    {"brazilian cpf", "de ", "529.982.247-25"},
    {"brazilian cpf", "CPF ", "52998224725"},
    {"chinese resident id", "id ", "11010519491231002X"},
    {"swedish personal number", "pnr ", "811218-9876"},
    {"korean resident number", "rrn ", "900101-1234568"},
    {"finnish personal code", "hetu ", "131052-308T"},
    {"swiss ahv number", "ahv ", "756.9217.0769.85"},
    {"belgian national number", "nn ", "85.07.30-033.28"},
    {"south african id", "id ", "8001015009087"},
    {"singaporean nric", "nric ", "S1234567D"},
    {"mexican curp", "curp ", "HEGG560427MVZRRL04"},
    {"polish pesel", "PESEL ", "44051401359"},
    {"passport", "passport no. ", "C01X00T47"},
    {"passport", "Passport: ", "509283746"},
    {"driving licence", "driver's license ", "D1234567"},
    {"phone", "at ", "0412345678"},
    {"phone", "at ", "09012345678"},
    {"phone", "at ", "0049 151 23456789"},
    {"phone", "at ", "004915123456789"},
    {"phone", "at ", "070-123 45 67"},
    {"phone", "at ", "138 1234 5678"},
    {"phone", "Rufnummer: ", "4915123456"},
    {"phone", "móvil ", "612345678"},
    {"phone", "电话:", "13812345678"},
    {"payment card", "card ", "4111.1111.1111.1111"},
    {"payment card", "card", "4111111111111111"},
    {"payment card", "card ", "2200700000000009"},
    {"payment card", "pan=", "9792000000000003"},
    {"iban", "IBAN", "DE89370400440532013000"},
    {"ipv4 address", "host-", "203.0.113.78"},
    {"ipv4 address", "build agent ", "10.20.30.41"},
    {"ipv4 address", "upgrade the router at ", "10.9.8.7"},
    {"ipv4 address", "if addr == ", "198.51.100.9"},
    {"ipv6 address", "ip:", "2001:db8:85a3::8a2e:370:7335"},
    {"ipv6 address", "host_", "2001:db8:85a3::8a2e:370:7336"},
    {"us social security number", "soc sec ", "536904399"},
    {"us social security number", "SSN ", "536.90.4399"},
    {"email", "write to ", "jürgen@münchen.example"},
    {"email", "write to ", "иван@почта.рф"},
    {"email", "write to ", "\"jane doe\"@example.org"},
    {"email", "write to ", "张伟@example.com"},
    {"email", "邮箱：", "wei.zhang@example.com"},
};

std::string check_digit(const std::string& digits) {
    int sum = 0;
    bool twice = true;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, twice = !twice) {
        const int value = (*digit - '0') * (twice ? 2 : 1);
        sum += value > 9 ? value - 9 : value;
    }
    return std::to_string((10 - sum % 10) % 10);
}

void add_drawn(Draw& draw, std::vector<Planted>& all) {
    static constexpr const char* kDomains[] = {"example.com", "mail.example.org",
                                               "firma.example.de", "example.co.uk"};
    for (int i = 0; i < 8; ++i) {
        const std::string name = draw.lower(5) + "." + draw.lower(6);
        const std::string mail = name + (i % 2 == 0 ? "" : "+x") + "@" + draw.one_of(kDomains);
        all.push_back({"email", "write to " + mail + " soon", mail});
        const std::string start = "4" + draw.digits(14);
        const std::string card = start + check_digit(start);
        all.push_back({"payment card", "paid with " + card, card});
        const std::string phone = "+4917" + draw.of("123456789", 9);
        all.push_back({"phone", "call " + phone + " now", phone});
        const std::string address =
            std::to_string(draw.number(11, 99)) + "." + std::to_string(draw.number(1, 250)) + "." +
            std::to_string(draw.number(1, 250)) + "." + std::to_string(draw.number(1, 250));
        all.push_back({"ipv4 address", "seen from " + address, address});
    }
}

}  // namespace

std::vector<Planted> planted_persons(unsigned seed) {
    std::vector<Planted> all;
    for (const Example& example : kExamples) {
        const std::string value = example.value;
        // What is around an address is no part of it.
        all.push_back({example.kind, std::string(example.before) + value + " and so on",
                       value.substr(0, value.find(":8080"))});
    }
    Draw draw(seed);
    add_drawn(draw, all);
    return all;
}

std::vector<Planted> planted_corpus() {
    std::vector<Planted> all = planted_secrets(11);
    std::vector<Planted> persons = planted_persons(12);
    all.insert(all.end(), std::make_move_iterator(persons.begin()),
               std::make_move_iterator(persons.end()));
    for (Planted& more : planted_secrets(13))
        all.push_back(std::move(more));
    return all;
}

}  // namespace evalfleet::testing
