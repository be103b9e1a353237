#include "compile.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
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

std::vector<std::string> kernel_names(const std::string& code) {
    static const std::regex kernel(R"(__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\()");
    std::vector<std::string> result;
    for (std::sregex_iterator found(code.begin(), code.end(), kernel), end; found != end; ++found) {
        result.push_back((*found)[1]);
    }
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

// A block's dynamic shared memory is an array that is as large as it may be.
std::string with_shared_arrays(const std::string& source) {
    static const std::regex dynamic(R"(\bextern(\s+__shared__\s+)([^;\[\]]*?)\b(\w+)\s*\[\s*\])");
    const std::string shared = std::to_string(shared_memory_allowed);
    return std::regex_replace(source, dynamic, "$1$2$3[" + shared + " / sizeof($2)] __attribute__((aligned(16)))");
}

std::string exported(const std::string& expression, bool has_barriers) {
    const std::string symbol = "host_kernel_" + lowered_name(expression);
    return "extern \"C\" __attribute__((visibility(\"default\"))) const ::host_kernel " + symbol + ";\n" +
           "extern \"C\" const ::host_kernel " + symbol + " = ::host_kernels::Entry<&" + expression + ", " +
           (has_barriers ? "true" : "false") + ", decltype(&" + expression + ")>::value;\n";
}

std::string as_cpp(const std::string& source, const std::string& name, std::vector<std::string> expressions) {
    const std::string code = without_comments(source);
    if (expressions.empty()) expressions = kernel_names(code);
    bool has_barriers = code.find("__syncthreads") != std::string::npos;
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
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, messages.c_str(), O_WRONLY | O_CREAT, 0600);
    pid_t child = 0;
    int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
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
    command.insert(command.end(), flags.begin(), flags.end());
    for (const std::string& last : {folder.file("kernels.cpp"), std::string("-o"), folder.file("kernels.so")}) {
        command.push_back(last);
    }
    int status = run(command, folder.file("messages"));
    std::string log = read(folder.file("messages"));
    if (status != 0) return {false, "", log};
    return {true, read(folder.file("kernels.so")), log};
}

}  // namespace standin
