#pragma once

#include "cli/exit_code.hpp"
#include "cli/remote/connection.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The commands that need neither network nor services; only `compare` can also ask a coordinator.
/// Each reads files ("-" is standard input),
/// writes its result to `out` or to standard output, and returns the program's exit code; an error
/// says what is wrong, with file and line.
namespace evalfleet::cli {

struct DeriveOptions {
    std::string trials;
    std::optional<std::string> labels;
    std::optional<std::string> policy;
    std::optional<std::string> out;
};
/// Fills in the derived fields of each trial. Members it does not know come through. With a labels
/// file, answered trials are scored from it, whatever a judge said before.
[[nodiscard]] Result<ExitCode> run_derive(const DeriveOptions& options);

struct ReduceOptions {
    /// One records file, or a run's folder, whose policy counts; with `group`: runs' folders.
    std::vector<std::string> inputs;
    bool group = false;
    bool force = false;
    bool text = false;
    std::optional<std::string> policy;
    std::optional<std::uint32_t> bootstrap;
    std::optional<std::uint64_t> seed;
    std::optional<std::string> out;
};
/// Records in, summary out: the same code as the coordinator's. `failed` unless release-ready.
/// A group's folders in, group summary out: `failed` if a run is worse than the first,
/// `unfinished` if that cannot be told.
[[nodiscard]] Result<ExitCode> run_reduce(const ReduceOptions& options);

struct CaseOptions {
    std::string cases;
    std::optional<std::string> out;
};
/// {"profile", "rationale_limit", "reply"} in, what the strict parser makes of the reply out.
[[nodiscard]] Result<ExitCode> run_judge_parse(const CaseOptions& options);
/// {"template", "vars"} in, {"text"} out.
[[nodiscard]] Result<ExitCode> run_render(const CaseOptions& options);

struct SchemaOptions {
    bool duckdb = false;
};
/// Prints the tables that exports fit into.
[[nodiscard]] Result<ExitCode> run_schema(const SchemaOptions& options);

struct VerifyOptions {
    std::string folder;
};
/// Checks a run's folder against its manifest, and its summary against its records; of a group's
/// folder every run, and the group's file against them. Prints every difference; `failed` if there
/// is one.
[[nodiscard]] Result<ExitCode> run_verify(const VerifyOptions& options);

enum class CompareFormat { text, json, html };

struct CompareOptions {
    std::string base;  ///< both are folders, or both are ids of runs at a coordinator
    std::string candidate;
    remote::ConnectionOptions connection;
    bool force = false;
    bool json = false;
    CompareFormat format = CompareFormat::text;  ///< `json` goes before it
    std::optional<std::string> margin;           ///< METRIC=NUMBER, separated by commas
    std::optional<std::string> detect;           ///< likewise
    std::optional<std::uint32_t> bootstrap;
    std::optional<std::uint64_t> seed;
    std::optional<std::string> out;
};
/// Compares two runs over the trials they share; `failed` if the candidate is worse, `unfinished`
/// if that cannot be told.
[[nodiscard]] Result<ExitCode> run_compare(const CompareOptions& options);

}  // namespace evalfleet::cli
