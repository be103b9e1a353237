// A stand-in for NVRTC beside the one for the runtime: it compiles CUDA C for this machine, with the C++ compiler.
//
// The image is a shared object, as "cubin" and as "PTX"; see kernels.hpp for who loads it. Its version is one that
// NVRTC never has, and another one for each build of it, because images are cached by it.
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calls.hpp"
#include "compile.hpp"

using namespace standin;

namespace {

enum nvrtcResult : int {  // as NVRTC numbers them
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    NVRTC_ERROR_INTERNAL_ERROR = 11,
};

struct Program {
    std::string source;
    std::string name;
    std::vector<std::string> expressions;
    std::map<std::string, std::string> lowered;
    std::string image;
    std::string log;
};

// The options of the C++ compiler for one of NVRTC's; none when NVRTC would refuse it.
std::optional<std::vector<std::string>> translate(const std::string& option) {
    auto starts = [&option](const char* text) { return option.rfind(text, 0) == 0; };
    if (starts("-D") || starts("-I")) return std::vector<std::string>{option};
    if (starts("--define-macro=")) return std::vector<std::string>{"-D" + option.substr(15)};
    if (starts("--include-path=")) return std::vector<std::string>{"-I" + option.substr(15)};
    for (const char* known : {"--gpu-architecture=", "-arch=", "--std=", "-std=", "--fmad=", "--use_fast_math",
                              "-use_fast_math", "-default-device", "--device-debug", "-lineinfo"}) {
        if (starts(known)) return std::vector<std::string>{};
    }
    return std::nullopt;
}

template <typename Work>
nvrtcResult answer(const char* function, const Work& work) noexcept {
    try {
        switch (count_call(function)) {
            case cudaSuccess: return work();
            case cudaErrorMemoryAllocation: return NVRTC_ERROR_OUT_OF_MEMORY;
            default: return NVRTC_ERROR_INTERNAL_ERROR;
        }
    } catch (const std::bad_alloc&) {
        return NVRTC_ERROR_OUT_OF_MEMORY;
    } catch (...) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
}

template <typename Work>
nvrtcResult answer_about(const char* function, Program* program, const Work& work) noexcept {
    return answer(function, [&] { return program == nullptr ? NVRTC_ERROR_INVALID_PROGRAM : work(*program); });
}

nvrtcResult compile(Program& program, int count, const char* const* options) {
    std::vector<std::string> flags;
    for (int i = 0; i < count; ++i) {
        auto translated = translate(options[i]);
        if (!translated) {
            program.log = "nvrtc: error: unrecognized option " + std::string(options[i]) + " found\n";
            return NVRTC_ERROR_INVALID_OPTION;
        }
        flags.insert(flags.end(), translated->begin(), translated->end());
    }
    Compiled compiled = compile_for_host(program.source, program.name, program.expressions, flags);
    program.lowered = compiled.lowered;
    program.image = compiled.image;
    program.log = compiled.log;
    return compiled.is_done ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult give_size(const std::string& text, std::size_t* size) {
    *size = text.size();
    return NVRTC_SUCCESS;
}

nvrtcResult give(const std::string& text, char* to) {
    std::memcpy(to, text.data(), text.size());
    return NVRTC_SUCCESS;
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
    return answer(__func__, [&] {
        *major = 0;
        *minor = STANDIN_VERSION;
        return NVRTC_SUCCESS;
    });
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    return answer(__func__, [&] {
        *count = 1;
        return NVRTC_SUCCESS;
    });
}

nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
    return answer(__func__, [&] {
        *architectures = 90;
        return NVRTC_SUCCESS;
    });
}

const char* nvrtcGetErrorString(nvrtcResult result) {
    static const std::map<nvrtcResult, const char*> known = {
        {NVRTC_SUCCESS, "NVRTC_SUCCESS"},
        {NVRTC_ERROR_OUT_OF_MEMORY, "NVRTC_ERROR_OUT_OF_MEMORY"},
        {NVRTC_ERROR_INVALID_INPUT, "NVRTC_ERROR_INVALID_INPUT"},
        {NVRTC_ERROR_INVALID_PROGRAM, "NVRTC_ERROR_INVALID_PROGRAM"},
        {NVRTC_ERROR_INVALID_OPTION, "NVRTC_ERROR_INVALID_OPTION"},
        {NVRTC_ERROR_COMPILATION, "NVRTC_ERROR_COMPILATION"},
        {NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID"},
    };
    auto found = known.find(result);
    return found == known.end() ? "NVRTC_ERROR_INTERNAL_ERROR" : found->second;
}

nvrtcResult nvrtcCreateProgram(Program** program, const char* source, const char* name, int headers,
                               const char* const*, const char* const*) {
    return answer(__func__, [&] {
        if (program == nullptr || source == nullptr || headers != 0) return NVRTC_ERROR_INVALID_INPUT;
        *program = new Program{source, name == nullptr ? "default_program" : name, {}, {}, {}, {}};
        return NVRTC_SUCCESS;
    });
}

nvrtcResult nvrtcDestroyProgram(Program** program) {
    return answer(__func__, [&] {
        delete *program;
        *program = nullptr;
        return NVRTC_SUCCESS;
    });
}

nvrtcResult nvrtcCompileProgram(Program* program, int count, const char* const* options) {
    return answer_about(__func__, program, [&](Program& p) { return compile(p, count, options); });
}

nvrtcResult nvrtcAddNameExpression(Program* program, const char* expression) {
    return answer_about(__func__, program, [&](Program& p) {
        p.expressions.push_back(expression);
        return NVRTC_SUCCESS;
    });
}

nvrtcResult nvrtcGetLoweredName(Program* program, const char* expression, const char** name) {
    return answer_about(__func__, program, [&](Program& p) {
        auto found = p.lowered.find(expression);
        if (found == p.lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
        *name = found->second.c_str();
        return NVRTC_SUCCESS;
    });
}

nvrtcResult nvrtcGetCUBINSize(Program* program, std::size_t* size) {
    return answer_about(__func__, program, [&](Program& p) { return give_size(p.image, size); });
}

nvrtcResult nvrtcGetCUBIN(Program* program, char* image) {
    return answer_about(__func__, program, [&](Program& p) { return give(p.image, image); });
}

nvrtcResult nvrtcGetPTXSize(Program* program, std::size_t* size) {
    return answer_about(__func__, program, [&](Program& p) { return give_size(p.image, size); });
}

nvrtcResult nvrtcGetPTX(Program* program, char* image) {
    return answer_about(__func__, program, [&](Program& p) { return give(p.image, image); });
}

nvrtcResult nvrtcGetProgramLogSize(Program* program, std::size_t* size) {
    return answer_about(__func__, program, [&](Program& p) {
        *size = p.log.size() + 1;
        return NVRTC_SUCCESS;
    });
}

nvrtcResult nvrtcGetProgramLog(Program* program, char* log) {
    return answer_about(__func__, program, [&](Program& p) {
        std::memcpy(log, p.log.c_str(), p.log.size() + 1);
        return NVRTC_SUCCESS;
    });
}

}  // extern "C"
