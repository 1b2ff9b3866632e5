#pragma once

#include "common/job/sample.hpp"
#include "common/json/document.hpp"
#include "common/runfile/fault.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace evalfleet::runfile {

/// What a dataset has to offer; tells whether a template asks for what is not there.
struct DatasetContent {
    std::size_t with_reference = 0;  ///< samples that have a reference answer
    std::size_t with_context = 0;
    std::size_t with_format = 0;  ///< samples that have an expected format
    std::size_t chats = 0;        ///< samples given as messages
    std::size_t long_chats = 0;   ///< of those, that ask with more than one turn
    std::size_t with_images = 0;
    std::size_t first_with_images = 0;        ///< its line, from 1
    std::size_t image_files = 0;              ///< samples whose images are files beside the dataset
    std::size_t assistant_ends = 0;           ///< chats whose last turn is an assistant's
    std::size_t first_assistant_end = 0;      ///< its line, from 1
    std::size_t first_without_reference = 0;  ///< of those, the first that cannot become one
    std::map<std::string, std::size_t, std::less<>> task_types;  ///< the first kMaxNames, counted
    /// Members that we do not know and skip: how often, and in which line first.
    struct Unknown {
        std::size_t count = 0;
        std::size_t first_line = 0;
    };
    std::map<std::string, Unknown, std::less<>> unknown_members;  ///< the first kMaxNames

    static constexpr std::size_t kMaxNames = 64;
};

/// Decides whether lines of a dataset are samples. One a file; not safe for several threads.
class SampleChecker {
  public:
    SampleChecker(std::string file, std::size_t max_line_bytes);

    /// The sample of line `number` (from 1), or what is wrong with it.
    [[nodiscard]] boost::system::result<job::Sample, Fault> check(std::string_view line,
                                                                  std::size_t number);

    [[nodiscard]] const DatasetContent& content() const noexcept { return content_; }

  private:
    [[nodiscard]] Fault fault(std::size_t line, std::string_view error) const;
    [[nodiscard]] std::optional<std::string> format_fault(const job::ExpectedFormat& format);
    [[nodiscard]] bool has_room_for_tags(const job::Sample& sample);
    void count(const job::Sample& sample, std::size_t line);
    void count_chat(const job::Sample& sample, std::size_t line);
    void count_unknown(json::Value sample, std::size_t line);

    std::string file_;
    json::Parser parser_;
    DatasetContent content_;
    std::unordered_set<std::uint64_t> tag_combinations_;  ///< hashes of those seen
    std::unordered_set<std::uint64_t> good_formats_;      ///< hashes of formats that compile
};

/// Found by argument-dependent look-up when `value()` is called on a fault.
[[noreturn]] void throw_exception_from_error(const Fault& fault, const boost::source_location&);

}  // namespace evalfleet::runfile
