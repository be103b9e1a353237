# find_package(wrapper_gen): where this wrapper-gen is installed; defines wrapper_gen_add_module.

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
set(WRAPPER_GEN_COMMAND "${Python_EXECUTABLE}" -m wrapper_gen)
execute_process(
  COMMAND ${WRAPPER_GEN_COMMAND} --version
  OUTPUT_VARIABLE wrapper_gen_VERSION ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _wrapper_gen_code)
string(REGEX REPLACE "^wrapper-gen " "" wrapper_gen_VERSION "${wrapper_gen_VERSION}")
if(_wrapper_gen_code)
  unset(WRAPPER_GEN_COMMAND)
  set(wrapper_gen_NOT_FOUND_MESSAGE "install wrapper-gen for ${Python_EXECUTABLE}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  wrapper_gen
  REQUIRED_VARS WRAPPER_GEN_COMMAND
  VERSION_VAR wrapper_gen_VERSION
  REASON_FAILURE_MESSAGE "${wrapper_gen_NOT_FOUND_MESSAGE}")
include("${CMAKE_CURRENT_LIST_DIR}/wrapper_gen.cmake")
