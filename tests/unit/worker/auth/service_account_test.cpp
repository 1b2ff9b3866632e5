#include "worker/auth/service_account.hpp"

#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The key of RFC 7515, appendix A.2. In two parts, so that nobody takes it for somebody's.
const std::string kPem = std::string("-----BEGIN RSA PRIVATE") +
                         " KEY-----\n"
                         "MIIEowIBAAKCAQEAofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd/wWJcyQoTbji9k0\n"
                         "l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL+yRT+SFd2lZS+pC\n"
                         "gNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb/7OMg0LOL+bSf63kpaSHSX\n"
                         "ndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uD\n"
                         "Zlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxXFvUK+DWNmoudF8NAco9/h9iaGNj8\n"
                         "q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQIDAQABAoIBABKucaRpzQorw35S\n"
                         "bEUAVx8dYXUdZOlJcHtiWQ+dC6V8ljxAHj/PLyzTveyI5QO/xkObCyjIL303l2cf\n"
                         "UhPu2MFaJdjVzqACXuOrLot/eSFvxjvqVidTtAZExqFRJ9mylUVAoLvhowVWmC1O\n"
                         "n95fZCXxTUtxNEG1Xcc7m0rtzJKs45J+N/V9DP1edYH6USyPSWGp6wuA+KgHRnKK\n"
                         "Vf9GRx80JQY7nVNkL17eHoTWEwga+lwi0FEoW9Y7lDtWXYmKBWhUE+U8PGxlJf8f\n"
                         "40493HDw1WRQ/aSLoS4QTp3rn7gYgeHEvfJdkkf0UMhlknlo53M09EFPdadQ4TlU\n"
                         "bjqKc50CgYEA4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH/5IB3jw3bcxGn6QLvnE\n"
                         "tfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw/Py5PJdTJNPY8cQn7ouZ2KKDcmnPG\n"
                         "BY5t7yLc1QlQ5xHdwW1VhvKn+nXqhJTBgIPgtldC+KDV5z+y2XDwGUcCgYEAuQPE\n"
                         "fgmVtjL0Uyyx88GZFF1fOunH3+7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYs\n"
                         "p1ZSe7zFYHj7C6ul7TjeLQeZD/YwD66t62wDmpe/HlB+TnBA+njbglfIsRLtXlnD\n"
                         "zQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdcCgYAHAp9XcCSrn8wVkMVkKdb7\n"
                         "DOX4IKjzdahm+ctDAJN4O/y7OW5FKebvUjdAIt2GuoTZ71iTG+7F0F+lP88jtjP4\n"
                         "U4qe7VHoewl4MKOfXZKTe+YCS1XbNvfgwJ3Ltyl1OH9hWvu2yza7q+d5PCsDzqtm\n"
                         "27kxuvULVeya+TEdAB1ijQKBgQCH/3r6YrVH/uCWGy6bzV1nGNOdjKc9tmkfOJmN\n"
                         "54dxdixdpozCQ6U4OxZrsj3FcOhHBsqAHvX2uuYjagqvo3cOj1TRqNocX40omfCC\n"
                         "Mx3bD1yPPf/6TI2XECva/ggqEY2mYzmIiA5LVVmc5nrybr+lssFKneeyxN2Wq93S\n"
                         "0iJMdQKBgCGHewxzoa1r8ZMD0LETNrToK423K377UCYqXfg5XMclbrjPbEC3YI1Z\n"
                         "NqMtuhdBJqUnBi6tjKMF+34Xf0CUN8ncuXGO2CAYvO8PdyCixHX52ybaDjy1FtCE\n"
                         "6yUXjoKNXKvUm7MWGsAYH6f4IegOetN5NvmUMFStCSkh7ixZLkN1\n"
                         "-----END RSA PRIVATE KEY-----\n";

TEST(ServiceAccount, EncodesAsTheRfcDoes) {
    EXPECT_EQ(base64url(""), "");
    EXPECT_EQ(base64url("f"), "Zg");
    EXPECT_EQ(base64url("fo"), "Zm8");
    EXPECT_EQ(base64url("foo"), "Zm9v");
    EXPECT_EQ(base64url("\x03\xec\xff\xe0\xc1"), "A-z_4ME");  // RFC 7515, appendix C
}

TEST(ServiceAccount, SignsTheExampleOfTheRfc) {
    const auto signature = sign_rs256(
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
        kPem);
    ASSERT_TRUE(signature) << signature.error().message;
    EXPECT_EQ(
        *signature,
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_"
        "O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARN"
        "PvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1p"
        "hCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw");
}

TEST(ServiceAccount, ClaimsWhatGoogleAsksFor) {
    const ServiceAccount account{"me@p.iam.gserviceaccount.com", kPem, "key-1", "https://t"};
    const auto token =
        make_assertion(account, "scope", "https://t",
                       std::chrono::system_clock::time_point(std::chrono::seconds(1'700'000'000)));
    ASSERT_TRUE(token) << token.error().message;
    EXPECT_THAT(*token,
                StartsWith(base64url(R"({"alg":"RS256","typ":"JWT","kid":"key-1"})") + "." +
                           base64url(R"({"iss":"me@p.iam.gserviceaccount.com","scope":"scope",)"
                                     R"("aud":"https://t","iat":1700000000,"exp":1700003600})") +
                           "."));
}

TEST(ServiceAccount, SaysWhatIsMissingAndNeverWhatIsThere) {
    EXPECT_THAT(read_service_account("[]").error().message, HasSubstr("no JSON object"));
    const auto half = read_service_account(R"({"private_key": "very secret"})");
    EXPECT_THAT(half.error().message, HasSubstr("client_email"));
    EXPECT_THAT(half.error().message, ::testing::Not(HasSubstr("very secret")));
    const auto whole =
        read_service_account(R"({"client_email": "a@b", "private_key": "k", "type": "x"})");
    EXPECT_EQ(whole->token_uri, "https://oauth2.googleapis.com/token");
    EXPECT_FALSE(sign_rs256("x", "no key"));
}

}  // namespace
}  // namespace evalfleet::worker
