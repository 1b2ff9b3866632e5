#include "common/config/command_line.hpp"

#include "common/config/validator.hpp"
#include "common/config/yaml.hpp"
#include "common/text/nearest.hpp"
#include "common/version/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace evalfleet::config {
namespace {

/// A question to put behind a message; nothing if no name is near.
std::string ask_if_meant(std::string_view typed, std::string_view prefix,
                         std::span<const std::string> known) {
    const auto name = text::nearest(typed, known);
    return name ? fmt::format("Did you mean '{}{}'?", prefix, *name) : "";
}

Error usage_error(std::string message) {
    return {ErrorKind::invalid, std::move(message)};
}

/// A list out of an environment variable: its parts between commas.
std::vector<std::string> split_at_commas(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t comma = 0; comma != std::string::npos; begin = comma + 1) {
        comma = text.find(',', begin);
        if (comma != begin && begin < text.size())
            parts.push_back(text.substr(begin, comma - begin));
    }
    return parts;
}

}  // namespace

Environment process_environment() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* const value = std::getenv(name.c_str());
        if (value == nullptr) return std::nullopt;
        return std::string(value);
    };
}

Command::Command(std::string name, std::string help)
    : name_(std::move(name)), help_(std::move(help)) {}

Option& Command::add(std::string name, std::string help, std::string default_text,
                     Option::Assign assign) {
    return options_.emplace_back(std::move(name), std::move(help), std::move(default_text),
                                 std::move(assign));
}

Command& Command::example(std::string line) {
    examples_.push_back(std::move(line));
    return *this;
}

Option& Command::flag(std::string name, bool& field, std::string help) {
    Option& added = option(std::move(name), field, std::move(help));
    added.is_flag_ = true;
    return added;
}

Command& Command::subcommand(std::string name, std::string help) {
    return subcommands_.emplace_back(std::move(name), std::move(help));
}

/// One reading of one command line. CLI11 splits the arguments and lays out the help; where a value
/// comes from and what it means is decided here, so that all four sources are treated alike.
struct CommandLine::Parsing {
    explicit Parsing(CommandLine& line) : self(line), app(line.help_, line.name_) {
        app.set_version_flag("--version", version_line(line.name_), "Print the version and exit");
        app.get_formatter()->column_width(34);
        declare(app, line);
        for (Command& command : line.subcommands_) {
            CLI::App* const sub = app.add_subcommand(command.name_, command.help_);
            sub->group(command.group_)->fallthrough();
            declare(*sub, command);
            apps[sub] = &command;
        }
        if (!line.subcommands_.empty()) app.require_subcommand(1);
    }

    void declare(CLI::App& to, Command& command) {
        for (const Option& option : command.options_)
            declare(to, option);
        if (command.examples_.empty()) return;
        std::string footer = "Examples:";
        for (const std::string& example : command.examples_)
            footer += "\n  " + example;
        to.footer(footer);
    }

    void declare(CLI::App& to, const Option& option) {
        std::string names = option.positional_ ? option.name_ : "--" + option.name_;
        if (option.short_name_ != '\0') names = fmt::format("-{},{}", option.short_name_, names);
        std::string help = option.help_;
        if (!option.only_flag_) help += " [" + option.environment_name() + "]";
        if (option.is_flag_) {
            declared[&option] = to.add_flag(names)->description(help)->group(option.group_);
            return;
        }
        CLI::Option* const added = to.add_option(names)->description(help);
        added->group(option.positional_ ? "Positionals" : option.group_);
        added->type_name(option.positional_           ? ""
                         : option.value_name_.empty() ? "VALUE"
                                                      : option.value_name_);
        if (option.repeated_) {
            if (option.positional_) {
                added->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
            } else {
                added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
            }
        }
        if (!option.default_text_.empty() && !option.secret_) {
            added->default_str(option.default_text_);
        }
        declared[&option] = added;
    }

    /// Lets CLI11 split the arguments. The answer is help or version, if asked for.
    Result<std::optional<std::string>> split(std::span<const char* const> arguments) {
        try {
            app.parse(static_cast<int>(arguments.size()), arguments.data());
        } catch (const CLI::CallForHelp&) {
            return std::optional(app.help());
        } catch (const CLI::CallForVersion& version) {
            return std::optional(std::string(version.what()) + "\n");
        } catch (const CLI::ParseError& problem) {
            return usage_error(explain(problem, arguments));
        }
        for (const CLI::App* sub : app.get_subcommands()) {
            chosen = apps.at(sub);
        }
        return std::optional<std::string>{};
    }

    std::string explain(const CLI::ParseError& problem, std::span<const char* const> arguments) {
        for (const std::string& extra : app.remaining(true)) {
            if (!extra.starts_with("-")) continue;
            const std::string name = extra.substr(extra.find_first_not_of('-') == std::string::npos
                                                      ? 0
                                                      : extra.find_first_not_of('-'));
            std::vector<std::string> known = {"help", "version"};
            for (const auto& [option, unused] : declared) {
                if (!option->positional_) known.push_back(option->name_);
            }
            return fmt::format("{}: unknown option. {}", extra,
                               ask_if_meant(name.substr(0, name.find('=')), "--", known));
        }
        std::vector<std::string> commands;
        for (const Command& command : self.subcommands_)
            commands.push_back(command.name_);
        if (!commands.empty() && app.get_subcommands().empty()) {
            for (const char* argument : arguments.subspan(1)) {
                if (argument[0] == '-') continue;
                return fmt::format("'{}' is no command. {}", argument,
                                   ask_if_meant(argument, "", commands));
            }
            return "a command is required.";
        }
        return problem.what();
    }

    [[nodiscard]] std::vector<const Option*> active_options() const {
        std::vector<const Option*> active;
        for (const Option& option : self.options_)
            active.push_back(&option);
        if (chosen != nullptr) {
            for (const Option& option : chosen->options_)
                active.push_back(&option);
        }
        return active;
    }

    /// The members of the configuration file by option, after a check that all are known.
    void read_file(const Environment& environment) {
        std::string path;
        for (const Option* option : active_options()) {
            if (option->name_ != "config") continue;
            if (declared[option]->count() > 0)
                path = declared[option]->results().back();
            else
                path = environment(option->environment_name()).value_or("");
        }
        if (path.empty()) return;
        const auto root = read_yaml_file(path);
        if (!root) return errors.add(root.error().message);
        if (!root->is_map()) return errors.add(root->error("allowed: a map").message);
        for (const YamlMember& member : root->members())
            assign_member(member);
    }

    void assign_member(const YamlMember& member) {
        std::string name = member.key;
        std::replace(name.begin(), name.end(), '_', '-');
        std::vector<std::string> known;
        for (const Option* option : active_options()) {
            if (option->only_flag_ || option->name_ == "config") continue;
            if (option->name_ == name) {
                file_values.emplace(option, member.value);
                return;
            }
            known.push_back(option->name_);
        }
        errors.add(fmt::format("{}:{}: {}: unknown option; {}allowed: {}", member.value.file(),
                               member.line, member.key, text::did_you_mean(name, known),
                               fmt::join(known, ", ")));
    }

    void assign(const Option& option, const Environment& environment) {
        const CLI::Option* const flag = declared[&option];
        if (flag->count() > 0) {
            const std::string source = option.positional_ ? option.name_ : "--" + option.name_;
            return errors.add(option.assign(flag->results(), source));
        }
        if (!option.only_flag_) {
            const std::string variable = option.environment_name();
            const std::string text = environment(variable).value_or("");
            if (!text.empty()) {
                const auto texts =
                    option.repeated_ ? split_at_commas(text) : std::vector<std::string>{text};
                return errors.add(option.assign(texts, variable));
            }
            if (const auto found = file_values.find(&option); found != file_values.end()) {
                return assign_from_file(option, found->second);
            }
        }
        if (!option.required_) return;
        if (option.positional_) return errors.add(fmt::format("{}: is required", option.name_));
        errors.add(option.only_flag_ ? fmt::format("--{}: is required", option.name_)
                                     : fmt::format("--{} (or {}): is required", option.name_,
                                                   option.environment_name()));
    }

    void assign_from_file(const Option& option, const YamlNode& node) {
        if (node.is_null()) return;
        std::vector<std::string> texts;
        const bool list = option.repeated_ && node.is_sequence();
        for (const YamlNode& item : list ? node.items() : std::vector<YamlNode>{node}) {
            if (!item.is_scalar()) {
                return errors.add(
                    item.error(fmt::format("found {}, allowed: a value", item.describe())).message);
            }
            texts.push_back(item.text());
        }
        const std::string source = fmt::format("{}:{}: {}", node.file(), node.line(), node.path());
        errors.add(option.assign(texts, source));
    }

    void check() {
        if (!errors.ok()) return;
        for (const Command* command : {static_cast<const Command*>(&self), chosen}) {
            if (command != nullptr && command->check_) errors.add(command->check_());
        }
    }

    CommandLine& self;
    CLI::App app;
    std::map<const CLI::App*, const Command*> apps;
    std::map<const Option*, CLI::Option*> declared;
    std::map<const Option*, YamlNode> file_values;
    const Command* chosen = nullptr;
    Validator errors;
};

CommandLine::CommandLine(std::string program, std::string help)
    : Command(std::move(program), std::move(help)) {}

void CommandLine::enable_config_file() {
    option("config", config_file_, "Read settings from a YAML file").value_name("FILE");
}

Result<CommandLine::Outcome> CommandLine::parse(std::span<const char* const> arguments,
                                                const Environment& environment) {
    Parsing parsing(*this);
    const std::string hint = fmt::format("\nRun '{} --help' to see what is allowed.", name_);
    auto answer = parsing.split(arguments);
    if (!answer) return usage_error(answer.error().message + hint);
    const Command* const command = parsing.chosen != nullptr ? parsing.chosen : this;
    if (*answer) return Outcome{command, *std::move(answer)};
    parsing.read_file(environment);
    for (const Option* option : parsing.active_options())
        parsing.assign(*option, environment);
    parsing.check();
    if (auto status = parsing.errors.status(); !status) {
        return usage_error(status.error().message + hint);
    }
    return Outcome{command, std::nullopt};
}

int CommandLine::main(int argc, const char* const* argv) {
    const auto outcome = parse({argv, static_cast<std::size_t>(argc)});
    if (!outcome) {
        std::fprintf(stderr, "%s: %s\n", name_.c_str(), outcome.error().message.c_str());
        return static_cast<int>(Exit::usage);
    }
    if (outcome->answer) {
        std::fputs(outcome->answer->c_str(), stdout);
        return static_cast<int>(Exit::done);
    }
    return outcome->command->action_ ? outcome->command->action_() : static_cast<int>(Exit::done);
}

}  // namespace evalfleet::config
