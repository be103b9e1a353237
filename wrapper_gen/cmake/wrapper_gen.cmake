# wrapper_gen_add_module(TARGET SPEC [PACKAGE FOLDER] [STABLE_ABI] [FREE_THREADED] [LINK LIBRARY...])
#
# Adds the extension module of the package that SPEC describes, as the target TARGET.
#
#   PACKAGE FOLDER   the folder of the package, which may be committed. It is generated anew when SPEC changes where
#                    find_package(wrapper_gen) came before, and taken as it is where not. Without PACKAGE, it is made
#                    in the build folder, below wrapper_gen/.
#   STABLE_ABI       one extension for CPython 3.11 and all later versions
#   FREE_THREADED    with STABLE_ABI: a Python without the GIL gets an extension of its own; otherwise that is an error
#   LINK             further targets or libraries to link; what SPEC says is linked without it
#
# The property WRAPPER_GEN_PACKAGE of TARGET is the package's folder; the extension is built there, so that Python finds
# the package where that folder lies, except where scikit-build-core builds a wheel. wrapper_gen_install(TARGET
# [DESTINATION FOLDER]) installs the package: its Python and the extension, without C++.

cmake_minimum_required(VERSION 3.26)

function(wrapper_gen_add_module target spec)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "STABLE_ABI;FREE_THREADED" "PACKAGE" "LINK")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "wrapper_gen_add_module: unknown argument ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
  cmake_path(ABSOLUTE_PATH spec BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  if(ARG_PACKAGE)
    cmake_path(ABSOLUTE_PATH ARG_PACKAGE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  endif()
  if(WRAPPER_GEN_COMMAND)
    _wrapper_gen_generate("${spec}" "${ARG_PACKAGE}" package)
  elseif(ARG_PACKAGE)
    set(package "${ARG_PACKAGE}")
  else()
    message(FATAL_ERROR "wrapper_gen_add_module: call find_package(wrapper_gen REQUIRED) first, or name a PACKAGE")
  endif()

  _wrapper_gen_run(described ${CMAKE_COMMAND} -E env ${Python_EXECUTABLE} "${package}/ffi_build.py" --describe)
  foreach(key IN ITEMS sources include library_include include_after define compile_args link_args made_from)
    _wrapper_gen_list("${described}" ${key} ${key})
  endforeach()
  if("${sources}" MATCHES "\\.c(;|$)" AND NOT CMAKE_C_COMPILER)  # CMake would leave these out without a word
    message(FATAL_ERROR "wrapper_gen_add_module: ${spec} has sources in C; write project(... LANGUAGES C CXX)")
  endif()
  string(JSON module GET "${described}" module)
  string(JSON std GET "${described}" std)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${package}/ffi_build.py" ${made_from})

  _wrapper_gen_abi("${ARG_STABLE_ABI}" "${ARG_FREE_THREADED}" abi)
  python_add_library(${target} MODULE WITH_SOABI ${abi} ${sources})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${module} CXX_STANDARD ${std} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden WRAPPER_GEN_PACKAGE "${package}")
  if(NOT SKBUILD)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "$<1:${package}>")
  endif()
  target_include_directories(${target} PRIVATE ${include})
  target_include_directories(${target} SYSTEM PRIVATE ${library_include})
  if(MSVC)  # which has no option for a folder after its own
    target_include_directories(${target} SYSTEM AFTER PRIVATE ${include_after})
  else()
    target_compile_options(${target} PRIVATE -idirafter${include_after})
  endif()
  target_compile_definitions(${target} PRIVATE ${define})
  target_compile_options(${target} PRIVATE ${compile_args})
  target_link_libraries(${target} PRIVATE ${ARG_LINK} ${link_args})
endfunction()

function(wrapper_gen_install target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "DESTINATION" "")
  get_target_property(package ${target} WRAPPER_GEN_PACKAGE)
  cmake_path(GET package FILENAME name)
  cmake_path(APPEND ARG_DESTINATION "${name}" OUTPUT_VARIABLE destination)
  install(TARGETS ${target} DESTINATION "${destination}")
  _wrapper_gen_install_python("${package}" "${destination}")
  cmake_path(REPLACE_FILENAME package wg_runtime OUTPUT_VARIABLE runtime)
  if(NOT EXISTS "${package}/_runtime" AND EXISTS "${runtime}")
    cmake_path(APPEND ARG_DESTINATION wg_runtime OUTPUT_VARIABLE destination)
    _wrapper_gen_install_python("${runtime}" "${destination}")
  endif()
endfunction()

# Installs the Python of a folder, without what only builds need.
function(_wrapper_gen_install_python folder destination)
  install(DIRECTORY "${folder}/" DESTINATION "${destination}" FILES_MATCHING
    PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed"
    PATTERN "ffi_build.py" EXCLUDE PATTERN "_runtime/build.py" EXCLUDE PATTERN "__pycache__" EXCLUDE
    PATTERN "sources" EXCLUDE PATTERN "wg" EXCLUDE)
endfunction()

# Generates the package now, and again before the next build if any of its inputs has changed.
function(_wrapper_gen_generate spec wanted package)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/wrapper_gen")
  if(wanted)
    cmake_path(GET wanted PARENT_PATH output)
  endif()
  _wrapper_gen_run(said ${WRAPPER_GEN_COMMAND} generate "${spec}" -o "${output}")
  _wrapper_gen_run(outputs ${WRAPPER_GEN_COMMAND} outputs "${spec}" -o "${output}" --format json)
  string(JSON name GET "${outputs}" packages 0)
  if(wanted AND NOT "${output}/${name}" STREQUAL "${wanted}")
    message(FATAL_ERROR "wrapper_gen_add_module: ${spec} makes the package ${name}, and PACKAGE is ${wanted}")
  endif()
  _wrapper_gen_list("${outputs}" inputs inputs)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs})
  set(${package} "${output}/${name}" PARENT_SCOPE)
endfunction()

# What python_add_library has to know of the ABI.
function(_wrapper_gen_abi stable free_threaded abi)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(int(not sysconfig.get_config_var('Py_GIL_DISABLED')))"
    OUTPUT_VARIABLE has_gil OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${abi} "" PARENT_SCOPE)
  if(stable AND has_gil)
    if(NOT DEFINED SKBUILD OR SKBUILD_SABI_COMPONENT)  # otherwise the wheel's tag names this Python alone
      find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.SABIModule)
      set(${abi} USE_SABI 3.11 PARENT_SCOPE)
    endif()
  elseif(stable AND NOT free_threaded)
    message(FATAL_ERROR "wrapper_gen_add_module: this Python has no GIL and no stable ABI; add FREE_THREADED")
  endif()
endfunction()

# Runs a command with the compilers of this build, and ends with what it says where it fails.
function(_wrapper_gen_run output)
  set(environment)
  if(NOT MSVC)
    set(environment "CXX=${CMAKE_CXX_COMPILER}" "CC=${CMAKE_C_COMPILER}")
  endif()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env ${environment} ${ARGN}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    OUTPUT_VARIABLE said ERROR_VARIABLE complained RESULT_VARIABLE code)
  if(code)
    message(FATAL_ERROR "${complained}")
  endif()
  set(${output} "${said}" PARENT_SCOPE)
endfunction()

# The strings of a list in a JSON object.
function(_wrapper_gen_list json key list)
  string(JSON count LENGTH "${json}" ${key})
  set(found)
  if(count)
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
      string(JSON each GET "${json}" ${key} ${i})
      list(APPEND found "${each}")
    endforeach()
  endif()
  set(${list} ${found} PARENT_SCOPE)
endfunction()
