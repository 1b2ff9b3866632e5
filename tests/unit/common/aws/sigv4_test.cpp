#include "common/aws/sigv4.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::aws {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// The account, moment and scope of AWS's own test suite ("aws-sig-v4-test-suite").
const Credentials kExample{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
const Scope kScope{"us-east-1", "service"};
constexpr std::chrono::system_clock::time_point kMoment{std::chrono::seconds(1'440'938'160)};

http::Request request(std::string method, std::string_view target) {
    http::Request out;
    out.method = std::move(method);
    out.url = http::Url::parse("https://example.amazonaws.com" + std::string(target)).value();
    return out;
}

std::string signature_of(http::Request sent, const Scope& scope = kScope) {
    sign(sent, kExample, scope, kMoment);
    const std::string header(sent.headers.find("authorization").value());
    return header.substr(header.rfind('=') + 1);
}

TEST(SigV4, SignsTheRequestsOfThePublishedSuite) {
    EXPECT_EQ(timestamp(kMoment), "20150830T123600Z");
    EXPECT_EQ(signature_of(request("GET", "/")),
              "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    EXPECT_EQ(signature_of(request("POST", "/")),
              "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    EXPECT_EQ(signature_of(request("GET", "/?Param1=value1")),
              "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb");
    EXPECT_EQ(signature_of(request("GET", "/?Param2=value2&Param1=value1")),
              "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
    http::Request form = request("POST", "/");
    form.headers.add("Content-Type", "application/x-www-form-urlencoded");
    form.body = "Param1=value1";
    EXPECT_EQ(signature_of(form),
              "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
}

TEST(SigV4, SignsTheExampleOfTheManual) {
    http::Request list;
    list.url =
        http::Url::parse("https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08").value();
    list.headers.add("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
    EXPECT_EQ(signature_of(list, {"us-east-1", "iam"}),
              "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
    sign(list, kExample, {"us-east-1", "iam"}, kMoment);
    EXPECT_THAT(std::string(list.headers.find("authorization").value()),
                HasSubstr("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/"
                          "aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature="));
}

// "Authenticating Requests: Using the Authorization Header" of the manual of S3.
TEST(SigV4, SignsTheExamplesOfTheManualOfS3) {
    const Credentials keys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
    constexpr std::chrono::system_clock::time_point kDay{std::chrono::seconds(1'369'353'600)};
    const auto signature = [&](const char* method, const std::string& target,
                               const std::vector<std::pair<const char*, const char*>>& headers,
                               const char* body) {
        http::Request sent;
        sent.method = method;
        sent.url = http::Url::parse("https://examplebucket.s3.amazonaws.com" + target).value();
        for (const auto& [name, value] : headers)
            sent.headers.add(name, value);
        sent.body = body;
        sign(sent, keys, {"us-east-1", "s3"}, kDay);
        const std::string header(sent.headers.find("authorization").value());
        return header.substr(header.rfind('=') + 1);
    };
    EXPECT_EQ(signature("GET", "/test.txt", {{"Range", "bytes=0-9"}}, ""),
              "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    EXPECT_EQ(signature("PUT", "/test%24file.text",
                        {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                         {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                        "Welcome to Amazon S3."),
              "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
    EXPECT_EQ(signature("GET", "/?lifecycle", {}, ""),
              "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    EXPECT_EQ(signature("GET", "/?max-keys=2&prefix=J", {}, ""),
              "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(SigV4, EncodesAPathOnceMoreAndFoldsHeaders) {
    http::Request call = request("POST", "/model/a.b-v2%3A0/converse?b=2&a=%7E&c");
    call.headers.add("My-Header", "  a   b ");
    call.headers.add("my-header", "c");
    const std::string canonical = canonical_request(call);
    EXPECT_THAT(canonical, HasSubstr("POST\n/model/a.b-v2%253A0/converse\na=~&b=2&c=\nhost:"));
    EXPECT_THAT(canonical, HasSubstr("\nmy-header:a b,c\n\nhost;my-header\n"));
    EXPECT_THAT(canonical,
                EndsWith("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}

TEST(SigV4, SendsTheTokenOfTemporaryCredentialsAndNeverTheSecret) {
    http::Request call = request("GET", "/");
    Credentials temporary = kExample;
    temporary.session_token = "session";
    sign(call, temporary, kScope, kMoment);
    EXPECT_EQ(call.headers.find("x-amz-security-token"), "session");
    std::string sent;
    call.headers.append_to(sent);
    EXPECT_THAT(sent, HasSubstr("SignedHeaders=host;x-amz-date;x-amz-security-token"));
    EXPECT_THAT(sent, ::testing::Not(HasSubstr(kExample.secret_access_key)));
}

}  // namespace
}  // namespace evalfleet::aws
