#include "common/redis/reply_reader.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <new>
#include <string>
#include <utility>

namespace evalfleet::redis {

/// Lets hiredis build our own `Reply` tree. hiredis calls the static functions below from C, with
/// the parser in `privdata`; they never throw, and a null pointer makes hiredis give up.
class ReplyReader::Parser {
  public:
    explicit Parser(ReplyLimits limits)
        : limits_(limits), functions_(make_functions()), reader_(make_reader(functions_)) {
        reader_->privdata = this;
    }

    Status feed(std::string_view bytes) {
        if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK)
            return failure();
        return {};
    }

    Result<std::optional<Reply>> next() {
        void* root = nullptr;
        if (redisReaderGetReply(reader_.get(), &root) != REDIS_OK) return failure();
        if (root == nullptr) {
            if (reader_->len - reader_->pos > limits_.max_bytes) return too_many_bytes();
            return std::optional<Reply>();
        }
        const std::unique_ptr<Reply> reply(static_cast<Reply*>(root));
        bytes_ = 0;
        elements_ = 0;
        return std::optional<Reply>(std::move(*reply));
    }

  private:
    struct FreeReader {
        void operator()(redisReader* reader) const noexcept { redisReaderFree(reader); }
    };
    using Reader = std::unique_ptr<redisReader, FreeReader>;

    static Reader make_reader(redisReplyObjectFunctions& functions) {
        Reader reader(redisReaderCreateWithFunctions(&functions));
        if (!reader) throw std::bad_alloc();
        return reader;
    }

    static redisReplyObjectFunctions make_functions() {
        redisReplyObjectFunctions functions{};
        functions.createString = create_string;
        functions.createArray = create_array;  // int or std::size_t, by the version of hiredis
        functions.createInteger = create_integer;
        functions.createNil = create_nil;
        functions.freeObject = free_object;
        refuse_resp3(functions);
        return functions;
    }

    /// hiredis 1.x knows RESP3, which we never ask for; without these it would make up pointers.
    template <class Functions>
    static void refuse_resp3(Functions& functions) {
        if constexpr (requires { functions.createDouble; }) {
            functions.createDouble = [](const auto*, double, char*, std::size_t) -> void* {
                return nullptr;
            };
            functions.createBool = [](const auto*, int) -> void* { return nullptr; };
        }
    }

    static void* create_string(const redisReadTask* task, char* text, std::size_t size) noexcept {
        return parser_of(task).place(task, size, [&] {
            std::string copy(text, size);
            switch (task->type) {
                case REDIS_REPLY_STATUS:
                    return Reply::status(std::move(copy));
                case REDIS_REPLY_ERROR:
                    return Reply::error(std::move(copy));
                default:
                    return Reply::string(std::move(copy));
            }
        });
    }

    template <class Count>
    static void* create_array(const redisReadTask* task, Count count) noexcept {
        Parser& parser = parser_of(task);
        parser.elements_ += static_cast<std::size_t>(count);
        // Room is made as elements arrive, not for what the server announces.
        return parser.place(task, 0, [] { return Reply::array({}); });
    }

    static void* create_integer(const redisReadTask* task, long long value) noexcept {
        return parser_of(task).place(task, 0, [&] { return Reply::integer(value); });
    }

    static void* create_nil(const redisReadTask* task) noexcept {
        return parser_of(task).place(task, 0, [] { return Reply(); });
    }

    static void free_object(void* root) noexcept { delete static_cast<Reply*>(root); }

    static Parser& parser_of(const redisReadTask* task) noexcept {
        return *static_cast<Parser*>(task->privdata);
    }

    static bool is_resp2(int type) noexcept {
        return type >= REDIS_REPLY_STRING && type <= REDIS_REPLY_ERROR;
    }

    /// Puts what `make` returns in its place: behind its elder siblings, or alone on the heap. An
    /// array does not grow while one of its elements is being read, so pointers into it hold.
    template <class Make>
    void* place(const redisReadTask* task, std::size_t size, Make make) noexcept {
        bytes_ += size;
        if (bytes_ > limits_.max_bytes || elements_ > limits_.max_elements) exceeded_ = true;
        if (exceeded_ || !is_resp2(task->type)) return nullptr;
        try {
            if (task->parent == nullptr) return new Reply(make());
            return &static_cast<Reply*>(task->parent->obj)->items().emplace_back(make());
        } catch (...) {
            return nullptr;
        }
    }

    [[nodiscard]] Error failure() const {
        if (exceeded_) {
            if (elements_ > limits_.max_elements)
                return Error{
                    ErrorKind::too_large,
                    fmt::format("redis: a reply has more than {} elements", limits_.max_elements)};
            return too_many_bytes();
        }
        if (reader_->err == REDIS_ERR_OOM)
            return Error{ErrorKind::internal, "redis: out of memory, or a reply that is not RESP2"};
        return Error{ErrorKind::invalid, fmt::format("redis: the reply makes no sense: {}",
                                                     std::string_view(reader_->errstr))};
    }

    [[nodiscard]] Error too_many_bytes() const {
        return Error{ErrorKind::too_large,
                     fmt::format("redis: a reply has more than {} bytes", limits_.max_bytes)};
    }

    ReplyLimits limits_;
    std::size_t bytes_ = 0;     // of the reply that is being read
    std::size_t elements_ = 0;  // announced in it so far
    bool exceeded_ = false;
    redisReplyObjectFunctions functions_;  // referred to by reader_
    Reader reader_;
};

ReplyReader::ReplyReader(ReplyLimits limits) : parser_(std::make_unique<Parser>(limits)) {}
ReplyReader::~ReplyReader() = default;
ReplyReader::ReplyReader(ReplyReader&&) noexcept = default;
ReplyReader& ReplyReader::operator=(ReplyReader&&) noexcept = default;

Status ReplyReader::feed(std::string_view bytes) {
    return parser_->feed(bytes);
}

Result<std::optional<Reply>> ReplyReader::next() {
    return parser_->next();
}

}  // namespace evalfleet::redis
