#include "common/archive/s3_reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::archive {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(S3Reply, FindsTextsWhateverStandsAroundThem) {
    EXPECT_EQ(find_text("<?xml?><R xmlns=\"x\"><UploadId>a&amp;b</UploadId></R>", "UploadId"),
              "a&b");
    EXPECT_EQ(find_text("<R><KeyMarker/><Key>k</Key></R>", "Key"), "k")
        << "no name is another's begin";
    EXPECT_EQ(find_text("<R><Key/></R>", "Key"), "");
    EXPECT_EQ(find_text("<R></R>", "Key"), std::nullopt);
    EXPECT_THAT(find_all("<A>1</A><A x=\"y\">2</A><AB>3</AB>", "A"), ElementsAre("1", "2"));
}

TEST(S3Reply, TakesNothingFromBrokenText) {
    for (const char* text : {"<", "<Key", "<Key>", "<Key>k", "</Key>", "<Key>k</Ke", "<<<>>>"})
        EXPECT_EQ(find_text(text, "Key"), std::nullopt) << text;
    std::string many;
    for (int i = 0; i < 20'000; ++i)
        many += "<A>x</A>";
    EXPECT_THAT(find_all(many, "A"), SizeIs(10'000));
}

TEST(S3Reply, ReadsPartsAndWhereMoreBegin) {
    const PartList list = read_parts(
        "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>2</"
        "NextPartNumberMarker>"
        "<Part><PartNumber>1</PartNumber><ETag>&quot;aa&quot;</ETag><Size>5</Size></Part>"
        "<Part><PartNumber>2</PartNumber><ETag>\"bb\"</ETag><Size>7</Size></Part>"
        "<Part><PartNumber>x</PartNumber><ETag>\"cc\"</ETag><Size>7</Size></Part></"
        "ListPartsResult>");
    ASSERT_THAT(list.parts, SizeIs(2));
    EXPECT_EQ(list.parts.at(1).etag, "\"aa\"");
    EXPECT_EQ(list.parts.at(2).bytes, 7U);
    EXPECT_EQ(list.next_marker, 2U);
    EXPECT_FALSE(read_parts("<R><IsTruncated>false</IsTruncated></R>").next_marker);
}

TEST(S3Reply, TakesTheUploadOfExactlyItsKey) {
    const char* list =
        "<R><Upload><Key>p/records.jsonl.old</Key><UploadId>1</UploadId></Upload>"
        "<Upload><Key>p/records.jsonl</Key><UploadId>2</UploadId></Upload>"
        "<Upload><Key>p/records.jsonl</Key><UploadId>3</UploadId></Upload></R>";
    EXPECT_EQ(find_upload(list, "p/records.jsonl"), "3");
    EXPECT_EQ(find_upload(list, "p/records"), std::nullopt);
}

TEST(S3Reply, PutsPartsTogetherInTheirOrder) {
    EXPECT_EQ(
        completion_xml({{2, {"\"b\"", 1}}, {1, {"\"a\"", 1}}}),
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag></Part>"
        "<Part><PartNumber>2</PartNumber><ETag>&quot;b&quot;</ETag></Part>"
        "</CompleteMultipartUpload>");
}

TEST(S3Reply, SaysWhyItRefuses) {
    http::Response response;
    response.status = 403;
    response.body =
        "<Error><Code>SignatureDoesNotMatch</Code><Message>Check\nyour key.</Message></Error>";
    const Error denied = refusal_of(response);
    EXPECT_EQ(denied.kind, ErrorKind::denied);
    EXPECT_EQ(denied.message, "status 403: SignatureDoesNotMatch: Check your key.");
    response.status = 301;
    response.headers.set("x-amz-bucket-region", "eu-central-1");
    EXPECT_THAT(refusal_of(response).message, HasSubstr("the region eu-central-1"));
    response.status = 200;
    EXPECT_TRUE(late_refusal_of(response));
    response.body = "<CompleteMultipartUploadResult/>";
    EXPECT_FALSE(late_refusal_of(response));
}

}  // namespace
}  // namespace evalfleet::archive
