#include "compile.hpp"

#include <fcntl.h>
#include <regex.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "kernels.hpp"

extern char** environ;

namespace standin {
namespace {

namespace fs = std::filesystem;

class Folder {
public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "standin-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = pattern;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string file(const char* name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// A regular expression of POSIX with up to three groups.
class Pattern {
public:
    struct Match {
        std::size_t begin;
        std::size_t end;
        std::string groups[4];
    };

    explicit Pattern(const char* text) {
        if (regcomp(&compiled_, text, REG_EXTENDED) != 0) throw std::runtime_error("not a regular expression");
    }
    ~Pattern() { regfree(&compiled_); }
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;

    std::vector<Match> all(const std::string& text) const {
        std::vector<Match> result;
        regmatch_t found[4];
        for (std::size_t from = 0; regexec(&compiled_, text.c_str() + from, 4, found, 0) == 0;) {
            Match match{};
            match.begin = from + static_cast<std::size_t>(found[0].rm_so);
            match.end = from + static_cast<std::size_t>(found[0].rm_eo);
            for (int i = 0; i < 4; ++i) {
                if (found[i].rm_so < 0) continue;
                auto length = static_cast<std::size_t>(found[i].rm_eo - found[i].rm_so);
                match.groups[i] = text.substr(from + static_cast<std::size_t>(found[i].rm_so), length);
            }
            from = match.end;
            result.push_back(match);
        }
        return result;
    }

private:
    regex_t compiled_;
};

std::vector<std::string> kernel_names(const std::string& code) {
    const Pattern kernel("__global__[[:space:]]+void[[:space:]]+(__launch_bounds__ *\\([^)]*\\)[[:space:]]*)?"
                         "([A-Za-z0-9_]+)[[:space:]]*\\(");
    std::vector<std::string> result;
    for (const auto& match : kernel.all(code)) result.push_back(match.groups[2]);
    return result;
}

std::string quoted(const std::string& text) {
    std::string result;
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c == '\n' ? ' ' : c;
    }
    return '"' + result + '"';
}

std::string without_comments(const std::string& source) {
    std::string result;
    for (std::size_t i = 0; i < source.size();) {
        bool is_line = source.compare(i, 2, "//") == 0;
        if (!is_line && source.compare(i, 2, "/*") != 0) {
            result += source[i++];
            continue;
        }
        auto end = is_line ? source.find('\n', i) : source.find("*/", i + 2);
        if (end == std::string::npos) break;
        i = is_line ? end : end + 2;
    }
    return result;
}

// A block's dynamic shared memory is an array that is large enough for any launch.
std::string with_shared_arrays(const std::string& source) {
    const Pattern dynamic("extern[[:space:]]+(__shared__[[:space:]]+[^;[]*[[:space:]])"
                          "([A-Za-z0-9_]+)[[:space:]]*\\[[[:space:]]*\\]");
    std::string result;
    std::size_t copied = 0;
    for (const auto& match : dynamic.all(source)) {
        const std::string array = match.groups[1] + match.groups[2];
        result += source.substr(copied, match.begin - copied);
        result += array + "[" + std::to_string(shared_memory_allowed) + "]";
        copied = match.end;
    }
    return result + source.substr(copied);
}

// NVRTC tells the names of instances of templates; here it is done for NAME<decltype(&KERNEL)>, by the type's own name.
bool is_described(const std::string& expression) { return expression.find("<decltype(&") != std::string::npos; }

std::string exported(const std::string& expression, bool has_barriers) {
    if (is_described(expression)) {
        const auto open = expression.find('<'), close = expression.rfind('>');
        return "extern \"C\" __attribute__((visibility(\"default\"))) const char* " + lowered_name(expression) +
               "() { return typeid(" + expression.substr(open + 1, close - open - 1) + ").name(); }\n";
    }
    const std::string symbol = "cpu_kernel_" + lowered_name(expression);
    return "extern \"C\" __attribute__((visibility(\"default\"))) const ::cpu_kernel " + symbol + ";\n" +
           "extern \"C\" const ::cpu_kernel " + symbol + " = ::cpu_kernels::Entry<&" + expression + ", " +
           (has_barriers ? "true" : "false") + ", decltype(&" + expression + ")>::value;\n";
}

std::string as_cpp(const std::string& source, const std::string& name, std::vector<std::string> expressions) {
    const std::string code = without_comments(source);
    if (expressions.empty()) expressions = kernel_names(code);
    bool has_barriers = code.find("__sync") != std::string::npos || code.find("_sync(") != std::string::npos;
    std::string result = "#include " + quoted(STANDIN_PRELUDE) + "\n#line 1 " + quoted(name) + "\n";
    result += with_shared_arrays(source) + "\n#line 1 \"name expressions\"\n";
    for (const std::string& expression : expressions) result += exported(expression, has_barriers);
    return result;
}

// The exit status of a command whose messages go to a file.
int run(const std::vector<std::string>& command, const std::string& messages) {
    std::vector<char*> arguments;
    for (const std::string& text : command) arguments.push_back(const_cast<char*>(text.c_str()));
    arguments.push_back(nullptr);
    // What was loaded to watch this process has nothing to say of a compiler, which takes several times as long with it.
    std::vector<char*> settings;
    for (char** each = environ; *each != nullptr; ++each) {
        if (std::strncmp(*each, "LD_PRELOAD=", 11) != 0) settings.push_back(*each);
    }
    settings.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, messages.c_str(), O_WRONLY | O_CREAT, 0600);
    pid_t child = 0;
    int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), settings.data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("cannot start " + command[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) throw std::runtime_error("lost " + command[0]);
    }
    return status;
}

}  // namespace

std::string lowered_name(const std::string& expression) {
    std::string result;
    for (char c : expression) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return result;
}

Compiled compile_for_host(const std::string& source, const std::string& name,
                          const std::vector<std::string>& expressions, const std::vector<std::string>& flags) {
    Folder folder;
    std::ofstream(folder.file("kernels.cpp"), std::ios::binary) << as_cpp(source, name, expressions);
    const char* compiler = std::getenv("CXX");
    // Without unique symbols, for an image that has them is never unloaded.
    std::vector<std::string> command = {compiler == nullptr || *compiler == '\0' ? "g++" : compiler,
                                        "-std=c++17", "-O1", "-w", "-fPIC", "-shared", "-fno-gnu-unique",
                                        "-ffp-contract=off"};
    command.push_back("-I" + fs::path(STANDIN_PRELUDE).parent_path().string());  // before CUDA's own cuda_fp16.h
    command.insert(command.end(), flags.begin(), flags.end());
    for (const std::string& last : {folder.file("kernels.cpp"), std::string("-o"), folder.file("kernels.so")}) {
        command.push_back(last);
    }
    int status = run(command, folder.file("messages"));
    std::string log = read(folder.file("messages"));
    if (status != 0) return {false, "", log, {}};
    Compiled result{true, read(folder.file("kernels.so")), log, {}};
    for (const std::string& expression : expressions) {
        const std::string name = lowered_name(expression);
        if (!is_described(expression)) {
            result.lowered[expression] = name;
            continue;
        }
        const auto image = Image::load(result.image.data(), result.image.size());
        const auto type = reinterpret_cast<const char* (*)()>(image->symbol(name));
        const std::string function = expression.substr(0, expression.find('<'));
        result.lowered[expression] = "_Z" + std::to_string(function.size()) + function + "I" + type() + "Evv";
    }
    return result;
}

}  // namespace standin
