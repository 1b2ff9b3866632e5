#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string_view>
#include <vector>

namespace evalfleet::cli {

namespace {

using config::Command;
using config::Option;

enum class Value { none, words, file, folder, run, other };

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
    for (const std::string_view end : ends)
        if (text.ends_with(end)) return true;
    return false;
}

/// What is completed where the option wants a value.
Value value_of(const Option& option) {
    if (option.is_flag()) return Value::none;
    if (!option.words().empty()) return Value::words;
    const std::string_view name =
        option.is_positional() ? std::string_view(option.name()) : option.value_name();
    if (name == "DIR") return Value::folder;
    if (name == "FILE" || ends_with_any(name, {".yaml", ".json", ".jsonl"})) return Value::file;
    if (name == "ID" || name == "RUN" || name == "BASE" || name == "CANDIDATE" ||
        name == "ID_OR_DIR")
        return Value::run;
    return Value::other;
}

constexpr std::string_view kRunsCall = "evalfleet list --quiet --limit 100 2>/dev/null";

// ---- bash

std::string bash_values(const Option& option) {
    switch (value_of(option)) {
        case Value::words:
            return fmt::format("_evalfleet_words {}", fmt::join(option.words(), " "));
        case Value::file:
            return "_evalfleet_files -f";
        case Value::folder:
            return "_evalfleet_files -d";
        case Value::run:
            return "_evalfleet_runs";
        default:
            return ":";
    }
}

void append_bash_command(std::string& out, const Command& command, const Command& program) {
    std::vector<std::string> flags{"--help"};
    std::string cases;
    std::string positional = ":";
    for (const Command* each : {&command, &program}) {
        for (const Option& option : each->options()) {
            if (option.is_positional()) {
                if (positional == ":") positional = bash_values(option);
                continue;
            }
            flags.push_back("--" + option.name());
            if (!option.is_flag())
                cases += fmt::format("                --{}) {}; return ;;\n", option.name(),
                                     bash_values(option));
        }
    }
    fmt::format_to(std::back_inserter(out),
                   "        {})\n"
                   "            case $before in\n{}"
                   "            esac\n"
                   "            if [[ $current == -* ]]; then _evalfleet_words {}; return; fi\n"
                   "            {} ;;\n",
                   command.name(), cases, fmt::join(flags, " "), positional);
}

std::string bash_script(const Command& program) {
    std::vector<std::string> commands;
    std::string cases;
    for (const Command& command : program.subcommands()) {
        commands.push_back(command.name());
        append_bash_command(cases, command, program);
    }
    return fmt::format(
        "# Completion of evalfleet for bash. Load it with: source <(evalfleet completion bash)\n"
        "_evalfleet_words() {{ COMPREPLY=($(compgen -W \"$*\" -- \"$current\")); }}\n"
        "_evalfleet_files() {{\n"
        "    compopt -o filenames 2>/dev/null\n"
        "    local IFS=$'\\n'\n"
        "    COMPREPLY=($(compgen \"$1\" -- \"$current\"))\n"
        "}}\n"
        "_evalfleet_runs() {{\n"
        "    _evalfleet_words \"$({})\"\n"
        "    if [[ ${{#COMPREPLY[@]}} == 0 ]]; then _evalfleet_files -d; fi\n"
        "}}\n"
        "_evalfleet() {{\n"
        "    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
        "    COMPREPLY=()\n"
        "    if [[ $COMP_CWORD == 1 ]]; then\n"
        "        _evalfleet_words --help --version {}\n"
        "        return\n"
        "    fi\n"
        "    case ${{COMP_WORDS[1]}} in\n"
        "{}"
        "    esac\n"
        "}}\n"
        "complete -F _evalfleet evalfleet\n",
        kRunsCall, fmt::join(commands, " "), cases);
}

// ---- zsh

/// For text inside a specification in single quotes.
std::string zsh_quoted(std::string_view text) {
    std::string quoted;
    for (const char c : text) {
        if (c == '\'') {
            quoted += "'\\''";
            continue;
        }
        if (c == '[' || c == ']' || c == ':' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted;
}

std::string zsh_values(const Option& option) {
    switch (value_of(option)) {
        case Value::words:
            return fmt::format("({})", fmt::join(option.words(), " "));
        case Value::file:
            return "_files";
        case Value::folder:
            return "_files -/";
        case Value::run:
            return "_evalfleet_runs";
        default:
            return "";
    }
}

void append_zsh_option(std::string& out, const Option& option, int& place) {
    out += " \\\n                ";
    if (option.is_positional()) {
        fmt::format_to(std::back_inserter(out), "'{}:{}:{}'", ++place, zsh_quoted(option.name()),
                       zsh_values(option));
        return;
    }
    fmt::format_to(std::back_inserter(out), "'--{}{}[{}]", option.name(),
                   option.is_flag() ? "" : "=", zsh_quoted(option.help()));
    if (!option.is_flag()) {
        const std::string name = option.value_name().empty() ? "value" : option.value_name();
        fmt::format_to(std::back_inserter(out), ":{}:{}", zsh_quoted(name), zsh_values(option));
    }
    out += '\'';
}

std::string zsh_script(const Command& program) {
    std::string commands;
    std::string cases;
    for (const Command& command : program.subcommands()) {
        fmt::format_to(std::back_inserter(commands), "        '{}:{}'\n", command.name(),
                       zsh_quoted(command.help()));
        fmt::format_to(std::back_inserter(cases), "        {})\n            _arguments",
                       command.name());
        int place = 0;
        cases += " '--help[show what is allowed]'";
        for (const Command* each : {&command, &program})
            for (const Option& option : each->options())
                append_zsh_option(cases, option, place);
        cases += " ;;\n";
    }
    return fmt::format(
        "#compdef evalfleet\n"
        "# Completion of evalfleet for zsh. Put it into a folder of $fpath as _evalfleet.\n"
        "_evalfleet_runs() {{\n"
        "    local -a runs\n"
        "    runs=(${{(f)\"$({})\"}})\n"
        "    compadd -a runs\n"
        "    _files -/\n"
        "}}\n"
        "_evalfleet() {{\n"
        "    local -a commands\n"
        "    commands=(\n"
        "{}"
        "    )\n"
        "    if (( CURRENT == 2 )); then\n"
        "        _describe command commands\n"
        "        return\n"
        "    fi\n"
        "    shift words\n"
        "    (( CURRENT-- ))\n"
        "    case $words[1] in\n"
        "{}"
        "    esac\n"
        "}}\n"
        "if [[ $funcstack[1] == _evalfleet ]]; then _evalfleet \"$@\"; else compdef _evalfleet "
        "evalfleet; fi\n",
        kRunsCall, commands, cases);
}

// ---- fish

std::string fish_quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "'";
}

/// How fish is to complete a value: `-f` where no file is meant.
std::string fish_values(const Option& option) {
    switch (value_of(option)) {
        case Value::words:
            return fmt::format(" -f -a '{}'", fmt::join(option.words(), " "));
        case Value::file:
            return " -F";
        case Value::folder:
            return " -f -a '(__fish_complete_directories)'";
        case Value::run:
            return fmt::format(" -f -a '({}; __fish_complete_directories)'", kRunsCall);
        default:
            return " -f";
    }
}

void append_fish_option(std::string& out, std::string_view condition, const Option& option) {
    fmt::format_to(std::back_inserter(out), "complete -c evalfleet -n '{}'", condition);
    if (!option.is_positional())
        fmt::format_to(std::back_inserter(out), " -l {}{} -d {}", option.name(),
                       option.is_flag() ? "" : " -r", fish_quoted(option.help()));
    out += (option.is_flag() ? "" : fish_values(option)) + '\n';
}

std::string fish_script(const Command& program) {
    std::string out =
        "# Completion of evalfleet for fish. Load it with: evalfleet completion fish | source\n"
        "complete -c evalfleet -f\n";
    for (const Option& option : program.options())
        append_fish_option(out, "true", option);
    for (const Command& command : program.subcommands()) {
        fmt::format_to(std::back_inserter(out),
                       "complete -c evalfleet -n __fish_use_subcommand -a {} -d {}\n",
                       command.name(), fish_quoted(command.help()));
        const std::string seen = "__fish_seen_subcommand_from " + command.name();
        for (const Option& option : command.options())
            append_fish_option(out, seen, option);
    }
    return out;
}

}  // namespace

std::string completion_script(const Command& program, Shell shell) {
    switch (shell) {
        case Shell::zsh:
            return zsh_script(program);
        case Shell::fish:
            return fish_script(program);
        default:
            return bash_script(program);
    }
}

}  // namespace evalfleet::cli
