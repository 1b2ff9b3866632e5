#include "tests/support/redaction/draw.hpp"
#include "tests/support/redaction/planted.hpp"

namespace evalfleet::testing {
namespace {

/// A key by its prefix. The prefixes are in two pieces, so that no scanner of repositories takes
/// this file for a leak.
struct Prefixed {
    const char* kind;
    const char* first;
    const char* second;
    std::size_t size;
    std::string (Draw::*draw)(std::size_t);
};

constexpr Prefixed kPrefixed[] = {
    {"openai key", "sk", "-", 48, &Draw::key},
    {"openai project key", "sk-", "proj-", 60, &Draw::key},
    {"openai service key", "sk-", "svcacct-", 60, &Draw::key},
    {"anthropic key", "sk-", "ant-api03-", 80, &Draw::key},
    {"openrouter key", "sk-", "or-v1-", 64, &Draw::hex},
    {"google key", "AI", "za", 35, &Draw::key},
    {"hugging face token", "h", "f_", 34, &Draw::key},
    {"groq key", "g", "sk_", 52, &Draw::key},
    {"xai key", "xa", "i-", 80, &Draw::key},
    {"replicate token", "r", "8_", 37, &Draw::key},
    {"perplexity key", "pp", "lx-", 48, &Draw::key},
    {"nvidia key", "nva", "pi-", 64, &Draw::key},
    {"aws key id", "AK", "IA", 16, &Draw::upper_key},
    {"aws temporary key id", "AS", "IA", 16, &Draw::upper_key},
    {"github token", "gh", "p_", 36, &Draw::key},
    {"github oauth token", "gh", "o_", 36, &Draw::key},
    {"github user token", "gh", "u_", 36, &Draw::key},
    {"github server token", "gh", "s_", 36, &Draw::key},
    {"github fine-grained token", "github", "_pat_", 70, &Draw::key},
    {"gitlab token", "gl", "pat-", 20, &Draw::key},
    {"gitlab deploy token", "gl", "dt-", 20, &Draw::key},
    {"gitlab runner token", "gl", "rt-", 20, &Draw::key},
    {"bitbucket password", "AT", "BB", 32, &Draw::key},
    {"npm token", "np", "m_", 36, &Draw::key},
    {"pypi token", "py", "pi-AgEI", 80, &Draw::key},
    {"docker token", "dckr", "_pat_", 27, &Draw::key},
    {"slack bot token", "xo", "xb-", 40, &Draw::key},
    {"slack user token", "xo", "xp-", 40, &Draw::key},
    {"slack app token", "xa", "pp-1-", 50, &Draw::key},
    {"mailgun key", "ke", "y-", 32, &Draw::hex},
    {"brevo key", "xkey", "sib-", 64, &Draw::hex},
    {"twilio account", "A", "C", 32, &Draw::hex},
    {"twilio key", "S", "K", 32, &Draw::hex},
    {"stripe key", "sk_", "live_", 24, &Draw::key},
    {"stripe restricted key", "rk_", "live_", 24, &Draw::key},
    {"stripe webhook secret", "wh", "sec_", 32, &Draw::key},
    {"shopify token", "sh", "pat_", 32, &Draw::hex},
    {"digitalocean token", "do", "p_v1_", 64, &Draw::hex},
    {"databricks token", "da", "pi", 32, &Draw::hex},
    {"doppler token", "dp", ".pt.", 40, &Draw::key},
    {"vault token", "hv", "s.", 90, &Draw::key},
    {"atlassian token", "ATA", "TT3x", 90, &Draw::key},
    {"linear key", "lin", "_api_", 40, &Draw::key},
    {"notion token", "nt", "n_", 46, &Draw::key},
    {"square token", "sq0", "atp-", 22, &Draw::key},
    {"grafana token", "gl", "sa_", 32, &Draw::key},
    {"new relic key", "NR", "AK-", 27, &Draw::upper_key},
    {"postman key", "PM", "AK-", 58, &Draw::key},
    {"age key", "AGE-", "SECRET-KEY-1", 58, &Draw::upper_key},
    {"openai session key", "se", "ss-", 40, &Draw::key},
    {"elevenlabs key", "s", "k_", 48, &Draw::hex},
    {"langsmith key", "lsv2", "_sk_", 40, &Draw::key},
    {"pinecone key", "pc", "sk_", 60, &Draw::key},
    {"netlify token", "nf", "p_", 36, &Draw::key},
    {"sonarqube token", "sq", "u_", 40, &Draw::hex},
    {"contentful token", "CF", "PAT-", 43, &Draw::key},
    {"pulumi token", "pu", "l-", 40, &Draw::hex},
    {"dynatrace token", "dt0", "c01.", 90, &Draw::upper_key},
    {"gitlab registration token", "GR13", "48941", 20, &Draw::key},
    {"payment key of any service", "rzp", "_live_", 14, &Draw::key},
    {"token of any service", "acme", "_pat_", 40, &Draw::key},
};

/// A value that a name gives away: the text is before + value + after.
struct Named {
    const char* kind;
    const char* before;
    std::size_t size;
    std::string (Draw::*draw)(std::size_t);
    const char* after;
};

constexpr Named kNamed[] = {
    {"bearer token", "Authorization: Bearer ", 40, &Draw::key, ""},
    {"bearer token", "sent bearer ", 32, &Draw::key, " to it"},
    {"token header", "Authorization: Token ", 40, &Draw::hex, "\r\nAccept: */*"},
    {"api key header", "Authorization: ApiKey ", 40, &Draw::key, ""},
    {"x-api-key header", "x-api-key: ", 40, &Draw::key, ""},
    {"azure key header", "api-key: ", 32, &Draw::hex, ""},
    {"azure key header", "Ocp-Apim-Subscription-Key: ", 32, &Draw::hex, ""},
    {"cookie", "Cookie: sessionid=", 32, &Draw::key, "; theme=dark"},
    {"cookie", "Set-Cookie: sid=", 32, &Draw::key, "; Path=/; HttpOnly"},
    {"aws secret key", "aws_secret_access_key = ", 40, &Draw::key, ""},
    {"aws secret key", "AWS_SECRET_ACCESS_KEY=", 40, &Draw::key, ""},
    {"azure account key", "AccountName=acme;AccountKey=", 86, &Draw::key, "==;x=y"},
    {"azure shared access key", "SharedAccessKeyName=root;SharedAccessKey=", 43, &Draw::key, "="},
    {"azure sas", "?sv=2022-11-02&ss=b&sig=", 43, &Draw::key, "%3D"},
    {"password", "password=", 12, &Draw::key, ""},
    {"password", "DB_PASSWORD=", 14, &Draw::key, " ./start"},
    {"password", "dbPassword: '", 14, &Draw::key, "'"},
    {"password", R"({"password": ")", 16, &Draw::key, R"("})"},
    {"password", R"({\"password\": \")", 16, &Draw::key, R"(\"})"},
    {"password", "Server=db;User Id=sa;Password=", 16, &Draw::key, ";Timeout=5"},
    {"password", "mysql --password ", 16, &Draw::key, " -h db"},
    {"password", "'pwd' => '", 12, &Draw::key, "'"},
    {"password", "<password>", 12, &Draw::key, "</password>"},
    {"password", "the password is ", 12, &Draw::key, ", keep it"},
    {"password", "curl -u admin:", 12, &Draw::key, " http://db"},
    {"password", "passphrase: ", 20, &Draw::key, ""},
    {"client secret", "client_secret=", 32, &Draw::key, "&grant_type=code"},
    {"client secret", "clientSecret: \"", 32, &Draw::key, "\""},
    {"paypal secret", "PAYPAL_CLIENT_SECRET=E", 79, &Draw::key, ""},
    {"api key", "OPENAI_API_KEY=", 40, &Draw::key, ""},
    {"api key", R"("cohere_api_key": ")", 40, &Draw::key, R"(")"},
    {"api key", "mistral --api-key ", 32, &Draw::key, ""},
    {"access token", "?access_token=", 40, &Draw::key, "&x=1"},
    {"refresh token", R"("refresh_token":")", 60, &Draw::key, R"(")"},
    {"credential", "credentials: ", 32, &Draw::key, ""},
    {"postgres url", "postgres://app:", 16, &Draw::key, "@db.internal:5432/x"},
    {"redis url", "redis://:", 16, &Draw::key, "@cache:6379/0"},
    {"mongodb url", "mongodb+srv://app:", 16, &Draw::key, "@cluster0.mongodb.net/x"},
    {"amqp url", "amqp://guest:", 16, &Draw::key, "@mq:5672/%2F"},
    {"https url", "https://deploy:", 16, &Draw::key, "@git.internal/x.git"},
    {"unescaped url", "postgres://app:a/b?c#", 16, &Draw::key, "@db.internal/x"},
    {"oracle url", "jdbc:oracle:thin:scott/", 12, &Draw::key, "@//db:1521/x"},
    {"odbc", "DRIVER={ODBC};UID=x;PWD={", 12, &Draw::key, "};"},
    {"name and value", R"({"name":"DB_PASSWORD","value":")", 14, &Draw::key, R"("})"},
    {"name and value", "- name: API_TOKEN\n  value: ", 30, &Draw::key, "\n"},
    {"name and value", R"(<add key="DbPassword" value=")", 14, &Draw::key, R"("/>)"},
    {"name and value", R"({"key": "X-Api-Key", "value": ")", 40, &Draw::key, R"("})"},
    {"list", "('Authorization', 'Token ", 40, &Draw::hex, "')"},
    {"list", "define('DB_PASSWORD', '", 14, &Draw::key, "');"},
    {"block", "password: |\n  ", 20, &Draw::key, "\n"},
    {"block", "password: >-\n    ", 20, &Draw::key, "\n"},
    {"next line", "\"password\":\n   \"", 16, &Draw::key, "\""},
    {"next line", "API_KEY=\\\n  ", 32, &Draw::key, ""},
    {"index", "os.environ[\"APP_SECRET\"] = \"", 20, &Draw::key, "\""},
    {"type", "TOKEN: str = \"", 30, &Draw::key, "\""},
    {"element", "<wsse:Password Type=\"x\">", 14, &Draw::key, "</wsse:Password>"},
    {"element", "<secret><![CDATA[", 20, &Draw::key, "]]></secret>"},
    {"digest", "Authorization: Digest username=\"x\", response=\"", 32, &Draw::hex, "\""},
    {"shared key", "Authorization: SharedKey acct:", 43, &Draw::key, "="},
    {"other words", "mot de passe : ", 12, &Draw::key, ""},
    {"other words", "contraseña: ", 12, &Draw::key, ""},
    {"other words", "пароль: ", 12, &Draw::key, ""},
    {"other words", "密码:", 12, &Draw::key, ""},
    {"flag", "mysql -u root -p", 12, &Draw::key, " db"},
    {"flag", "docker login -u x -p ", 30, &Draw::key, " r"},
    {"flag", "redis-cli -a ", 16, &Draw::key, " ping"},
    {"told", "the API key is ", 32, &Draw::key, ""},
    {"told", "your secret token ", 32, &Draw::key, " was leaked"},
    {"told", "machine h login u password ", 14, &Draw::key, ""},
    {"macro", "#define API_KEY \"", 30, &Draw::key, "\""},
    {"odd password", "DB_PASSWORD=%", 12, &Draw::key, ""},
    {"odd password", R"({"password": "*)", 12, &Draw::key, R"("})"},
    {"query", "https://x.example/cb?access_token=", 24, &Draw::lower, "&state=1"},
    {"query", "GET /v1/x?api_key=", 24, &Draw::lower, " HTTP/1.1"},
    {"query", "https://x.example/f?key=", 40, &Draw::hex, "&v=2"},
    {"query", "https://x.example/#id_token=", 24, &Draw::lower, "&x=1"},
    {"flag", "tool --token ", 16, &Draw::lower, " run"},
    {"flag", "tool --token=", 16, &Draw::lower, " run"},
    {"flag", "tool --password ", 12, &Draw::lower, ""},
    {"flag", "redis-cli -a ", 12, &Draw::lower, " ping"},
    {"redis command", "AUTH default ", 12, &Draw::lower, ""},
    {"redis command", "AUTH ", 16, &Draw::key, ""},
    {"redis command", "requirepass ", 12, &Draw::lower, ""},
    {"redis command", "ACL SETUSER app on >", 14, &Draw::key, " ~* +@all"},
    {"told", "set password ", 12, &Draw::key, ""},
    {"told", "the password was changed to ", 12, &Draw::key, ""},
    {"told", "the root pwd is ", 12, &Draw::key, ""},
    {"told", "Das Passwort ist ", 12, &Draw::key, ""},
    {"kaggle key", R"({"username":"jane","key":")", 32, &Draw::hex, R"("})"},
    {"paypal secret", "PAYPAL_CLIENT_SECRET=", 80, &Draw::key, ""},
    {"call", R"(ds.setPassword(")", 12, &Draw::key, R"(");)"},
    {"call", "requests.get(u, auth=('bob', '", 12, &Draw::key, "'))"},
    {"jwk", R"({"kty":"EC","crv":"P-256","d":")", 43, &Draw::key, R"("})"},
};

Planted named(const Named& named, Draw& draw) {
    const std::string value = (draw.*named.draw)(named.size);
    return {named.kind, named.before + value + named.after, value};
}

std::string encoded(const std::string& text, const std::string& name) {
    for (const Encoding& encoding : log_encodings()) {
        if (encoding.name == name) return encoding.encode(text);
    }
    return {};
}

std::string base64_of(const std::string& text) {
    return encoded(text, "base64");
}

Planted private_key(const std::string& label, Draw& draw) {
    const std::string line = draw.base64(64);
    return {"private key",
            "-----BEGIN " + label + "-----\n" + line + "\n" + draw.base64(64) + "\n" +
                draw.base64(20) + "==\n-----END " + label + "-----",
            line};
}

std::vector<Planted> composed(Draw& draw) {
    const std::string sendgrid =
        "S"
        "G." +
        draw.key(22) + "." + draw.key(43);
    const std::string mailchimp = draw.hex(32) + "-us" + std::to_string(draw.number(1, 21));
    const std::string telegram = draw.of("123456789", 10) + ":AA" + draw.key(33);
    const std::string discord = "M" + draw.key(23) + "." + draw.key(6) + "." + draw.key(27);
    const std::string hook =
        "T" + draw.upper_key(8) + "/B" + draw.upper_key(8) + "/" + draw.key(24);
    const std::string jwt = base64_of(R"({"alg":"HS256","typ":"JWT"})") + "." +
                            base64_of(R"({"sub":"12345","iat":1516239022})") + "." + draw.key(43);
    const std::string basic = base64_of("robot:" + draw.key(12));
    std::vector<Planted> all{
        {"sendgrid key", "mail by " + sendgrid, sendgrid},
        {"mailchimp key", "list of " + mailchimp, mailchimp},
        {"telegram token", "https://api.telegram.org/bot" + telegram + "/getMe", telegram},
        {"discord token", "bot " + discord, discord},
        {"slack webhook", "https://hooks.slack.com/services/" + hook, hook},
        {"jwt", "session " + jwt, jwt},
        {"basic credentials", "Authorization: Basic " + basic, basic},
        {"basic credentials", "header was Basic " + basic, basic},
    };
    const std::string line = draw.base64(64);
    all.push_back({"private key",
                   std::string("-----BEGIN RSA PRIVATE") + " KEY-----\nProc-Type: 4,ENCRYPTED\n" +
                       "DEK-Info: AES-128-CBC,0A1B\n\n" + line + "\n" + draw.base64(64),
                   line});
    const std::string sealed = draw.key(60);
    all.push_back({"encrypted token",
                   encoded(R"({"alg":"dir","enc":"A128GCM"})", "base64url") + ".." + draw.key(16) +
                       "." + sealed + "." + draw.key(22),
                   sealed});
    for (const char* label : {"RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "})
        all.push_back(private_key(std::string(label) + "PRIVATE" + " KEY", draw));
    all.push_back(private_key(std::string("PGP PRIVATE") + " KEY BLOCK", draw));
    return all;
}

}  // namespace

std::vector<Planted> planted_secrets(unsigned seed) {
    Draw draw(seed);
    std::vector<Planted> all;
    for (const Prefixed& known : kPrefixed) {
        const std::string value =
            std::string(known.first) + known.second + (draw.*known.draw)(known.size);
        all.push_back({known.kind, "use " + value + " for now", value});
    }
    for (const Named& known : kNamed)
        all.push_back(named(known, draw));
    for (Planted& planted : composed(draw))
        all.push_back(std::move(planted));
    return all;
}

}  // namespace evalfleet::testing
