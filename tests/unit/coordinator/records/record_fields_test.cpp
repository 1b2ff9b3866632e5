#include "common/job/json_copy.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/scoring/json_schema.hpp"
#include "coordinator/records/record_filter.hpp"
#include "coordinator/records/record_text.hpp"
#include "coordinator/records/trial_table.hpp"
#include "coordinator/reduce/record_field.hpp"
#include "coordinator/reduce/record_parser.hpp"
#include "coordinator/report/rows.hpp"
#include "tests/support/full_record.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

/// A field of the trial record is told in several places: the writer and strict reader (one table
/// in common/job), the quick readers of coordinator/reduce and coordinator/records, the published
/// schema, the columns of the CSV and docs/semantics.md. Here they are held to each other.
namespace evalfleet::records {
namespace {

using scoring::JsonNode;
using scoring::JsonSchema;
using Names = std::set<std::string, std::less<>>;
using Members = std::vector<std::pair<std::string, std::string>>;  // name, JSON

/// Written by the coordinator behind the members of a record that it takes over as it is.
constexpr std::string_view kTakenOverFrom = "taken_over_from";

std::string read_text(const std::string& path) {
    std::ifstream in(std::filesystem::path(EVALFLEET_TEST_DATA_DIR).parent_path() / path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Members members_of(const std::string& json) {
    const auto document = json::Document::parse(json).value();
    Members members;
    for (const auto [name, value] : document.root().as_object().value())
        members.emplace_back(name, job::json_text(value));
    return members;
}

const Members& full_members() {
    static const Members members = members_of(job::to_json(testing::full_record()));
    return members;
}

Names names_of(const Members& members) {
    Names names;
    for (const auto& [name, json] : members)
        names.insert(name);
    return names;
}

/// The full record with one member as it is given here.
std::string full_with(std::string_view changed, std::string_view json) {
    std::string out;
    for (const auto& [name, own] : full_members()) {
        out += (out.empty() ? "{\"" : ",\"") + name + "\":";
        out += name == changed ? json : own;
    }
    return out + "}";
}

const std::string& schema_text() {
    static const std::string text = read_text("docs/schemas/record.schema.json");
    return text;
}

const JsonNode& schema_node() {
    static const JsonNode node = scoring::parse_json_tree(schema_text()).value();
    return node;
}

Names words_of(const JsonNode& list) {
    Names words;
    for (const JsonNode& item : list.items)
        if (item.kind == JsonNode::Kind::string) words.insert(item.text);
    return words;
}

bool fits_schema(const std::string& record) {
    static const JsonSchema schema = JsonSchema::compile(schema_text()).value();
    return !schema.violation(scoring::parse_json_tree(record).value());
}

/// The record as the strict reader takes it, written again; nothing if it refuses it.
std::optional<std::string> taken_strictly(const std::string& record) {
    const auto document = json::Document::parse(record).value();
    job::UnknownMembers unknown;
    const auto read = job::read_trial_record(document.root(), &unknown);
    if (!read) return std::nullopt;
    std::string out;
    json::Writer writer(out);
    job::write(writer, *read, unknown);
    return out;
}

/// With the bytes behind it that the quick readers need.
class Padded {
  public:
    explicit Padded(std::string line) : size_(line.size()), bytes_(std::move(line)) {
        bytes_.append(json::FieldReader::kPaddingBytes, '\0');
    }
    [[nodiscard]] std::string_view line() const {
        return std::string_view(bytes_).substr(0, size_);
    }

  private:
    std::size_t size_;
    std::string bytes_;
};

bool is_taken_as_row(const std::string& record) {
    reduce::RecordParser parser;
    std::vector<reduce::TrialRow> rows;
    return parser.parse(Padded(record).line(), rows).has_value();
}

Result<TrialEntry> read_as_entry(const std::string& record, reduce::SliceDictionary& slices) {
    return TrialReader().read(Padded(record).line(), slices);
}

// What may stand where a member is: of every kind, and at the edges of what numbers may be.
constexpr std::array kValues{"null",
                             "true",
                             "false",
                             "0",
                             "1",
                             "2",
                             "3",
                             "-1",
                             "0.5",
                             "2.0",
                             "-0.5",
                             "999",
                             "1000",
                             "\"\"",
                             "\"x\"",
                             "[]",
                             "[1]",
                             "[\"x\"]",
                             "{}",
                             R"({"x":1})",
                             R"({"x":0})",
                             R"({"x":-1})",
                             R"({"x":"y"})",
                             "4294967294",
                             "4294967295",
                             "9007199254740992"};
// Numbers that the schema leaves to the readers.
constexpr std::array kLargeValues{"1e100", "1.1e100", "-1e100", "-1.1e100", "1e308"};

TEST(RecordFields, AreAllSetInTheFullRecordOfTheTests) {
    std::map<std::string, std::string> blank;
    for (const auto& [name, json] : members_of(job::to_json(job::TrialRecord{})))
        blank.emplace(name, json);
    for (const auto& [name, json] : full_members()) {
        const auto unset = blank.find(name);
        EXPECT_TRUE(unset == blank.end() || unset->second != json)
            << name << " is missing in tests/support/full_record.hpp";
    }
    for (const auto& [name, json] : blank)
        EXPECT_TRUE(names_of(full_members()).contains(name)) << name;
}

TEST(RecordFields, HaveTheSameNamesInTheSchema) {
    const JsonNode* const described = schema_node().find("properties");
    Names expected = names_of(full_members());
    expected.emplace(kTakenOverFrom);
    EXPECT_EQ(Names(described->keys.begin(), described->keys.end()), expected);
    const Names always = names_of(members_of(job::to_json(job::TrialRecord{})));
    for (const std::string& name : words_of(*schema_node().find("required")))
        EXPECT_TRUE(always.contains(name)) << name << " is required, and not always written";
}

TEST(RecordFields, HaveTheTypesOfTheSchemaInTheStrictReader) {
    ASSERT_TRUE(fits_schema(job::to_json(testing::full_record())));
    for (const auto& [name, own] : full_members()) {
        for (const std::string_view value : kValues) {
            const std::string record = full_with(name, value);
            const auto taken = taken_strictly(record);
            EXPECT_TRUE(taken || !fits_schema(record)) << "refuses " << name << ": " << value;
            // Texts sealed by workers are opened where they are needed.
            if (!taken || name == "answer_original") continue;
            EXPECT_TRUE(fits_schema(*taken)) << "takes " << name << ": " << value;
        }
    }
}

TEST(RecordFields, HaveTheWordsOfTheSchema) {
    const auto list = [](const auto& words) { return Names(words.begin(), words.end()); };
    const std::map<std::string, Names> vocabularies{
        {"evaluation_schema_version", list(job::Names<job::SchemaVersion>::values)},
        {"judged_answer", list(job::Names<job::JudgedAnswer>::values)},
        {"error_kind", list(job::Names<job::CallError>::values)},
        {"latency_model_source", list(job::Names<job::LatencySource>::values)},
        {"tokens_source", list(job::Names<job::TokensSource>::values)},
        {"hallucination_source", list(job::Names<job::HallucinationSource>::values)},
        {"evaluator_error", list(job::Names<job::EvaluatorError>::values)}};
    const JsonNode& described = *schema_node().find("properties");
    for (std::size_t i = 0; i < described.keys.size(); ++i) {
        const JsonNode* const words = described.items[i].find("enum");
        if (words == nullptr || words_of(*words).empty()) continue;
        const auto known = vocabularies.find(described.keys[i]);
        ASSERT_NE(known, vocabularies.end()) << described.keys[i];
        EXPECT_EQ(words_of(*words), known->second) << described.keys[i];
    }
    EXPECT_EQ(words_of(*schema_node().find("$defs")->find("label")->find("enum")),
              list(job::Names<job::FailureLabel>::values));
}

TEST(RecordFields, AreTakenAndRefusedByTheReducerAsByTheStrictReader) {
    const auto check = [](std::string_view name, std::string_view value) {
        // Only a derived record can be reduced; the strict reader takes those that are not as well.
        if (value == "null" && (name == "rubric_passed" || name == "spec_passed")) return;
        const std::string record = full_with(name, value);
        EXPECT_EQ(is_taken_as_row(record), taken_strictly(record).has_value())
            << name << ": " << value;
    };
    const Names known = names_of(full_members());
    for (const std::string_view name : reduce::field_names()) {
        EXPECT_TRUE(known.contains(name)) << name << " is no field of records";
        for (const std::string_view value : kValues)
            check(name, value);
        for (const std::string_view value : kLargeValues)
            check(name, value);
    }
}

TEST(RecordFields, AreTakenByListsOfTrialsWhereTheStrictReaderTakesThem) {
    for (const auto& [name, own] : full_members()) {
        for (const std::string_view value : kValues) {
            const std::string record = full_with(name, value);
            reduce::SliceDictionary slices;
            if (!taken_strictly(record)) continue;
            EXPECT_TRUE(read_as_entry(record, slices)) << name << ": " << value;
            EXPECT_TRUE(RecordKeyReader().read(Padded(record).line(), 0)) << name << ": " << value;
        }
    }
}

TEST(RecordFields, AreFoundByListsOfTrials) {
    job::TrialRecord record = testing::full_record();
    record.total_tokens = 77;
    reduce::SliceDictionary slices;
    const TrialEntry entry = read_as_entry(job::to_json(record), slices).value();
    EXPECT_EQ(entry.sample_index, 7U);
    EXPECT_EQ(entry.repeat, 3U);
    EXPECT_FLOAT_EQ(entry.latency_ms, 1200.5F);
    EXPECT_FLOAT_EQ(entry.cost_usd, 0.75F);
    EXPECT_FLOAT_EQ(entry.score, 0.625F);
    EXPECT_EQ(entry.total_tokens, 77U);
    EXPECT_EQ(entry.label, static_cast<std::uint8_t>(job::FailureLabel::other));
    EXPECT_EQ(entry.error_kind, static_cast<std::uint8_t>(job::CallError::http_429));
    EXPECT_EQ(entry.accuracy, 1);
    EXPECT_EQ(entry.faithfulness, 2);
    EXPECT_TRUE(entry.passed && entry.spec_passed && entry.judge_retried && entry.timed_out);
    EXPECT_EQ(entry.finished_ms % 1000, 878) << "started at .678, and took 1,200 ms";
    const auto& set = slices.sets()[entry.slice_set];
    EXPECT_EQ(set.task_type, "qa");
    EXPECT_EQ(set.tags.size(), 2U);

    const std::string line = job::to_json(record);
    const RecordKey key = RecordKeyReader().read(Padded(line).line(), 0).value();
    EXPECT_EQ(key.label, entry.label);
    EXPECT_TRUE(key.passed);
    EXPECT_EQ(key.task_type_hash, hash_text("qa"));
    const RecordFilter filter{.sample_id = "s7", .tags = {{"lang", "en"}}};
    EXPECT_TRUE(RecordMatcher(filter).fits(Padded(line).line()));
}

std::vector<std::string> cells_of(std::string line) {
    line.resize(line.size() - 2);  // CR LF
    std::vector<std::string> cells;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = line.find(',', begin);
        cells.push_back(line.substr(begin, end == std::string::npos ? end : end - begin));
    }
    return cells;
}

TEST(RecordFields, HaveTheirNamesAndValuesInCsv) {
    // What a row has besides fields of the record.
    const Names others{"run_id",          "run_name",         "model",
                       "prompt_template", "outcome",          "question",
                       "context",         "reference_answer", "prompt"};
    const auto names = cells_of(report::csv_header());
    const auto cells = cells_of(report::csv_row(testing::full_record(), {}, {}));
    ASSERT_EQ(names.size(), cells.size());
    const std::map<std::string, std::string> fields(full_members().begin(), full_members().end());
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (others.contains(names[i]) || names[i] == "tags") continue;
        const auto field = fields.find(names[i]);
        ASSERT_NE(field, fields.end()) << names[i] << " is no field of records";
        const bool is_text = field->second.front() == '"';
        EXPECT_EQ(is_text ? '"' + cells[i] + '"' : cells[i], field->second) << names[i];
    }
}

/// The names between backticks; what is not spelled as a name is left out.
Names quoted_in(const std::string& text) {
    Names names;
    std::size_t begin = text.find('`');
    while (begin != std::string::npos) {
        const std::size_t end = text.find('`', begin + 1);
        if (end == std::string::npos) break;
        const std::string name = text.substr(begin + 1, end - begin - 1);
        if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos)
            names.insert(name);
        begin = text.find('`', end + 1);
    }
    return names;
}

TEST(RecordFields, AreAllInTheTableOfTheSemantics) {
    const std::string text = read_text("docs/semantics.md");
    const auto begin = text.find("## 2. The trial record");
    const auto table = text.find("| group |", begin);
    ASSERT_NE(table, std::string::npos);
    const Names told = quoted_in(text.substr(table, text.find("\n\n", table) - table));
    Names fields = names_of(full_members());
    fields.emplace(kTakenOverFrom);
    for (const std::string& field : fields)
        EXPECT_TRUE(told.contains(field)) << field << " is not in docs/semantics.md, section 2";
    for (const std::string& word : told) {
        const bool is_word = schema_text().find('"' + word + '"') != std::string::npos;
        EXPECT_TRUE(fields.contains(word) || is_word) << word << " is no field of records";
    }
}

std::string written_by_evalfleet() {
    std::string out;
    json::Writer writer(out);
    job::write(writer, testing::full_record(),
               {{std::string(kTakenOverFrom), "\"r0\""}, {"later", R"([1,{"b":2.5}])"}});
    return out;
}

TEST(RecordBytes, AreTheSameAfterTheStrictReader) {
    const std::string blank = job::to_json(job::TrialRecord{});
    EXPECT_EQ(taken_strictly(blank), blank);
    const std::string full = job::to_json(testing::full_record());
    EXPECT_EQ(taken_strictly(full), full);
    const std::string with_more = written_by_evalfleet();
    EXPECT_EQ(taken_strictly(with_more), with_more);
}

TEST(RecordBytes, AreGivenByListsOfTrialsAsTheyStandInTheFile) {
    const testing::TemporaryFolder folder;
    const std::string first = written_by_evalfleet();
    const std::string second = full_with("repeat", "4");
    std::ofstream(folder / "records.jsonl") << first << "\r\n\n" << second << '\n';
    const auto table = TrialTable::blocking_load(folder / "records.jsonl").value();
    auto text = RecordText::blocking_open(table).value();
    ASSERT_EQ(table.trials().size(), 2U);
    EXPECT_EQ(text.blocking_read(table.trials()[0]).value(), first);
    EXPECT_EQ(text.blocking_read(table.trials()[1]).value(), second);
}

}  // namespace
}  // namespace evalfleet::records
