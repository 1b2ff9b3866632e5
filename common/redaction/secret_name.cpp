#include "common/redaction/secret_name.hpp"

#include "common/redaction/scan.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::redaction {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

constexpr std::string_view kPasswords[] = {
    "password",  "passwords", "passwd", "passwort",   "pwd",       "passphrase",
    "passcode",  "psw",       "pswd",   "contrasena", "userpass",  "kennwort",
    "psk",       "senha",     "heslo",  "haslo",      "parola",    "wachtwoord",
    "storepass", "keypass",   "dbpass", "rootpass",   "adminpass", "becomepass",
    "passord",   "salasana",  "jelszo", "losenord",   "sifre",     "adgangskode"};
constexpr std::string_view kSecrets[] = {"secret", "secrets", "passkey"};
constexpr std::string_view kTokens[] = {"token",       "apikey",     "auth",   "credential",
                                        "credentials", "authkey",    "jwt",    "sessionid",
                                        "phpsessid",   "jsessionid", "bearer", "sid"};
/// Before "key" they make it one that opens something.
constexpr std::string_view kKeyOwners[] = {"api",
                                           "private",
                                           "signing",
                                           "encryption",
                                           "master",
                                           "service",
                                           "subscription",
                                           "license",
                                           "ssh",
                                           "client",
                                           "admin",
                                           "functions",
                                           "deploy",
                                           "webhook",
                                           "auth",
                                           "app",
                                           "application",
                                           "integration",
                                           "instrumentation",
                                           "consumer",
                                           "server",
                                           "bot",
                                           "secret",
                                           "rest",
                                           "host",
                                           "gateway",
                                           "access",
                                           "azure",
                                           "openai",
                                           "anthropic",
                                           "cohere",
                                           "mistral",
                                           "google",
                                           "aws",
                                           "stripe",
                                           "groq",
                                           "datadog",
                                           "heroku",
                                           "cloudflare",
                                           "algolia",
                                           "pinecone",
                                           "twilio",
                                           "sendgrid"};
constexpr std::string_view kCloudOwners[] = {"account", "storage", "shared"};
/// Before "key" they make it an index.
constexpr std::string_view kIndexOwners[] = {
    "primary", "foreign",  "sort",  "partition", "cache", "public", "idempotency", "translation",
    "object",  "dict",     "hash",  "row",       "group", "lookup", "unique",      "composite",
    "map",     "index",    "route", "routing",   "i18n",  "state",  "feature",     "config",
    "event",   "registry", "hot",   "arrow",     "press", "json",   "s3",          "file"};
/// Behind a telling word: the name speaks about it.
constexpr std::string_view kAbout[] = {
    "count",    "counts", "type",       "length",   "len",        "min",    "max",      "limit",
    "limits",   "ttl",    "expiry",     "expires",  "expiration", "policy", "name",     "names",
    "field",    "label",  "efficiency", "usage",    "size",       "id",     "ids",      "url",
    "uri",      "path",   "file",       "ratio",    "rate",       "budget", "prompt",   "index",
    "price",    "cost",   "num",        "number",   "per",        "norm",   "endpoint", "version",
    "manager",  "store",  "provider",   "required", "enabled",    "status", "valid",    "error",
    "bucket",   "list",   "rotation",   "strength", "reset",      "date",   "at",       "age",
    "logprobs", "dict",   "embedding",  "position", "text",       "source", "env",      "ref",
    "kind",     "class",  "format",     "header",   "hint",       "input",  "output",   "api"};
/// Written together with what stands before: PGPASSWORD, accesstoken.
constexpr std::string_view kPasswordEndings[] = {"password", "passwd", "passphrase", "passwort"};
constexpr std::string_view kTokenEndings[] = {"apikey",       "authtoken",    "accesstoken",
                                              "secretkey",    "privatekey",   "clientsecret",
                                              "refreshtoken", "sessiontoken", "bottoken"};
constexpr std::string_view kCloudEndings[] = {"accountkey", "sharedaccesskey", "accesskey",
                                              "secretaccesskey"};

template <std::size_t N>
bool ends_with_one_of(std::string_view word, const std::string_view (&endings)[N]) {
    return std::any_of(std::begin(endings), std::end(endings),
                       [&](std::string_view ending) { return word.ends_with(ending); });
}

NameKind classify_key(std::string_view owner) {
    if (is_one_of(owner, kIndexOwners)) return NameKind::ordinary;
    if (is_one_of(owner, kCloudOwners) || owner == "access") return NameKind::cloud;
    return is_one_of(owner, kKeyOwners) ? NameKind::token : NameKind::key;
}

NameKind classify_word(std::string_view word, std::string_view previous) {
    // Alone they are more often a test's result, and a letter or two of anything.
    if (word == "pass" || word == "pw")
        return previous.empty() ? NameKind::weak : NameKind::password;
    if (is_one_of(word, kPasswords) || ends_with_one_of(word, kPasswordEndings))
        return NameKind::password;
    if (is_one_of(word, kSecrets)) return NameKind::secret;
    if (word == "authorization" || word == "authenticate") return NameKind::header;
    if (word == "cookie") return NameKind::cookie;
    if (word == "sig" || word == "signature") return NameKind::signature;
    if (ends_with_one_of(word, kCloudEndings)) return NameKind::cloud;
    if (is_one_of(word, kTokens) || ends_with_one_of(word, kTokenEndings)) return NameKind::token;
    if (word == "id" && previous == "session") return NameKind::key;
    return word == "key" ? classify_key(previous) : NameKind::ordinary;
}

/// Words of at most 24 letters, in lower case, taken one after the other out of a name.
class WordReader {
  public:
    explicit WordReader(std::string_view name) : name_(name) {}

    [[nodiscard]] bool next() {
        while (at_ < name_.size() && !is_letter(name_[at_]))
            ++at_;
        size_ = 0;
        const std::size_t begin = at_;
        while (at_ < name_.size() && is_letter(name_[at_]) && !(at_ > begin && begins_word())) {
            if (size_ < word_.size()) word_[size_++] = to_lower(name_[at_]);
            ++at_;
        }
        return size_ > 0;
    }
    [[nodiscard]] std::string_view word() const { return {word_.data(), size_}; }

  private:
    /// A capital behind a small letter, or before one: api|Key, API|Key.
    [[nodiscard]] bool begins_word() const {
        if (!is_upper(name_[at_])) return false;
        if (is_lower(name_[at_ - 1])) return true;
        return at_ + 1 < name_.size() && is_lower(name_[at_ + 1]);
    }

    std::string_view name_;
    std::size_t at_ = 0;
    std::array<char, 24> word_{};
    std::size_t size_ = 0;
};

}  // namespace

bool names_password_abroad(std::string_view text) noexcept {
    static constexpr std::string_view kWords[] = {
        "mot de passe", "contraseña", "hasło",   "lösenord", "şifre",      "jelszó",
        "пароль",       "Пароль",     "密码",    "密碼",     "口令",       "パスワード",
        "비밀번호",     "סיסמה",      "κωδικός", "mật khẩu", "كلمة المرور"};
    return std::any_of(std::begin(kWords), std::end(kWords),
                       [&](std::string_view word) { return text.ends_with(word); });
}

NameKind classify_name(std::string_view name) {
    NameKind kind = NameKind::ordinary;
    std::array<char, 24> previous{};
    std::size_t previous_size = 0;
    WordReader reader(name);
    while (reader.next()) {
        const std::string_view word = reader.word();
        const NameKind own = classify_word(word, {previous.data(), previous_size});
        if (own != NameKind::ordinary) {
            // "secret access key": the last word decides, but never makes it less secret.
            const bool weaker =
                word == "key" && own != NameKind::cloud && kind != NameKind::ordinary;
            if (!weaker) kind = own;
        } else if (kind != NameKind::ordinary && is_one_of(word, kAbout)) {
            kind = NameKind::ordinary;
        }
        std::copy(word.begin(), word.end(), previous.begin());
        previous_size = word.size();
    }
    return kind;
}

}  // namespace evalfleet::redaction
