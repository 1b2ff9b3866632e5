#pragma once

#include "common/config/option.hpp"
#include "common/result/result.hpp"

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::config {

/// What a program or one of its subcommands can be told.
///
/// Each option is bound to a field, whose value at that moment is the default. The field's type
/// says what is accepted: strings, paths, integers, doubles, bools, chrono durations ("30s"; a
/// plain number counts the field's own unit), ByteSize ("64MiB"), types
/// with a `static Result<T> parse(std::string_view)`, std::optional of these, and
/// std::vector for what may be repeated. The fields must outlive the call of `parse`.
class Command {
  public:
    Command(std::string name, std::string help);

    /// `--name VALUE`
    template <class T>
    Option& option(std::string name, T& field, std::string help) {
        Option& added = add(std::move(name), std::move(help), detail::shown_default(field),
                            [&field](const Option& option, const Option::Texts& texts) {
                                return detail::assign_to(field, option, texts);
                            });
        added.repeated_ = detail::is_vector<T>;
        return added;
    }

    /// `--name VALUE` where the value is one of a few words.
    template <class E>
    Option& choice(std::string name, E& field, std::vector<std::pair<std::string, E>> words,
                   std::string help);

    /// `--name` sets a bool; `--name=false` (or the environment, or the file) unsets it.
    Option& flag(std::string name, bool& field, std::string help);

    /// An argument without a name, required unless the field is an optional or a vector; a vector
    /// takes all that are left. Only on the command line. `name` is for help: "RUN.yaml".
    template <class T>
    Option& argument(std::string name, T& field, std::string help) {
        Option& added = option(std::move(name), field, std::move(help)).only_flag();
        added.positional_ = true;
        added.required_ = !detail::is_optional<T> && !detail::is_vector<T>;
        added.default_text_.clear();
        return added;
    }

    /// `<program> <name>`: a command of its own. If there is any, exactly one must be given.
    Command& subcommand(std::string name, std::string help);

    /// What `CommandLine::main` runs once everything is parsed; returns the exit code.
    Command& action(std::function<int()> action) { return action_ = std::move(action), *this; }
    /// A check across fields, made after all of them are set: usually `Config::validate`.
    Command& validate(std::function<Status()> check) { return check_ = std::move(check), *this; }
    /// A line shown under "Examples:" in the help.
    Command& example(std::string line);
    /// Subcommands of the same group stand together in the help.
    Command& group(std::string group) { return group_ = std::move(group), *this; }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const std::string& help() const noexcept { return help_; }
    [[nodiscard]] const std::list<Option>& options() const noexcept { return options_; }
    [[nodiscard]] const std::list<Command>& subcommands() const noexcept { return subcommands_; }

  private:
    friend class CommandLine;

    Option& add(std::string name, std::string help, std::string default_text,
                Option::Assign assign);

    std::string name_;
    std::string help_;
    std::string group_ = "Commands";
    std::list<Option> options_;  ///< a list: references to options stay valid
    std::list<Command> subcommands_;
    std::vector<std::string> examples_;
    std::function<int()> action_;
    std::function<Status()> check_;
};

/// Looks up an environment variable.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
[[nodiscard]] Environment process_environment();

/// Settings come from four places; CommandLine is the only code that looks at them. A flag wins
/// over the environment variable `EVALFLEET_<FLAG>`, that over the file named by `--config` (YAML;
/// keys are the flags, with dashes or underscores), that over the default. Errors name the place:
/// `--port: found '70000', allowed: 0 to 65535`, `EVALFLEET_PORT: ...`, `fleet.yaml:3: port: ...`.
///
/// Every program has `--help` and `--version`. Options of the program itself may stand before or
/// behind a subcommand's name.
class CommandLine : public Command {
  public:
    enum class Exit { done = 0, usage = 2 };

    /// What came of reading the command line.
    struct Outcome {
        const Command* command = nullptr;   ///< the chosen subcommand, or the program itself
        std::optional<std::string> answer;  ///< help or version to print instead of running
    };

    CommandLine(std::string program, std::string help);

    /// Adds `--config FILE`.
    void enable_config_file();

    /// Fills in all fields. Error (`invalid`): what is wrong, and how to get help.
    [[nodiscard]] Result<Outcome> parse(std::span<const char* const> arguments,
                                        const Environment& environment = process_environment());

    /// Parses, prints help, version or error, or runs the action; returns the exit code: 0 for help
    /// and version, 2 for a wrong command line, else the action's.
    [[nodiscard]] int main(int argc, const char* const* argv);

  private:
    struct Parsing;

    std::optional<std::string> config_file_;
};

template <class E>
Option& Command::choice(std::string name, E& field, std::vector<std::pair<std::string, E>> words,
                        std::string help) {
    std::string default_text;
    std::string allowed;
    std::vector<std::string> names;
    for (const auto& [word, value] : words) {
        if (value == field) default_text = word;
        allowed += (allowed.empty() ? "" : ", ") + word;
        names.push_back(word);
    }
    Option& added = add(
        std::move(name), std::move(help) + " (" + allowed + ")", std::move(default_text),
        [&field, words = std::move(words), allowed](const Option&,
                                                    const Option::Texts& texts) -> Status {
            for (const auto& [word, value] : words) {
                if (word == texts.back()) {
                    field = value;
                    return {};
                }
            }
            return Error{ErrorKind::invalid, "found '" + texts.back() + "', allowed: " + allowed};
        });
    added.words_ = std::move(names);
    return added;
}

}  // namespace evalfleet::config
