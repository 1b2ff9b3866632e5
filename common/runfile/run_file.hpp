#pragma once

#include "common/job/run_spec.hpp"
#include "common/providers/provider_config.hpp"
#include "common/runfile/fault.hpp"

#include <boost/system/result.hpp>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::runfile {

/// Who names the addresses and keys of a run's providers.
enum class ProvidersFrom {
    run_file,       ///< `evalfleet run`, self-contained: the run file's own `providers` block
    operator_file,  ///< a coordinator: its operator's file; the run file must have no such block
    either,         ///< not known yet: a block is checked if there is one
};

/// A run file that was read and found right, as far as that can be said without its dataset.
struct RunFile {
    std::filesystem::path path;
    job::RunSpec spec;                        ///< its dataset's (and labels') path is absolute
    std::vector<std::string> provider_names;  ///< of its `providers` block
    providers::Providers providers;           ///< the block itself, or the operator's
    std::vector<std::string> warnings;        ///< what is allowed, but probably not meant
    /// Prompts that do not show the task: faults, unless all samples are chats, which are sent as
    /// they are. See `check_prompts`.
    std::vector<Fault> prompts_without_task;
    /// Where it belongs that the run has too many trials; see `check_trials`.
    Fault trials_place;
    /// Where `dataset.last_assistant` stands; see `check_chats`.
    Fault last_assistant_place;
    bool names_profile = false;  ///< the judge's; else the dataset decides, see `settle_profile`
};

/// Reads a run file: YAML, or JSON of the same shape if the name ends in ".json". Finds everything
/// that is wrong with it in one pass: shape, ranges, size (run_bounds.hpp), names of providers,
/// template fields that no sample can have, braces that are left over, floating models, budgets
/// without prices, files that are not there. What only the providers can tell is left to who has
/// them, with a warning; `operators` are those of an operator whose file is known. Paths in it are
/// relative to its own folder. Blocks: it reads files.
[[nodiscard]] boost::system::result<RunFile, FaultList> blocking_read_run_file(
    const std::filesystem::path& path, ProvidersFrom providers = ProvidersFrom::run_file,
    std::optional<providers::Providers> operators = std::nullopt);

/// The providers that a run calls models of for which nobody says what they cost.
[[nodiscard]] std::set<std::string> providers_without_prices(const job::RunSpec& spec,
                                                             const providers::Providers& known);

/// A run file that came over the wire.
struct RunText {
    std::string_view text;
    std::string name = "run file";  ///< stands for the file in messages
    bool is_json = false;           ///< else YAML, of which most JSON is a part
    /// The operator's providers. Absent: not known here, but to whom the text goes on to, who
    /// checks it again. Empty: known to workers only, so that no name of one is refused, a model
    /// must have a version and a budget of money cannot be kept.
    std::optional<providers::Providers> providers{};
};

/// The same for such a text, as a coordinator takes it: it must have no `providers` of its own.
/// Paths in it are left as they are, and not looked at.
[[nodiscard]] boost::system::result<RunFile, FaultList> read_run_text(const RunText& text);

/// Found by argument-dependent look-up when `value()` is called on a list of faults.
[[noreturn]] void throw_exception_from_error(const FaultList& faults,
                                             const boost::source_location&);

}  // namespace evalfleet::runfile
