"""From libclang's cursors and types to declarations."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from wrapper_gen.frozen import replace
from wrapper_gen.headers.clang import Children, Values
from wrapper_gen.headers.declarations import (
    Access,
    Base,
    CFunction,
    CKind,
    CParameter,
    Doc,
    Enum,
    Enumerator,
    Field,
    FunctionKind,
    HeaderPlace,
    Headers,
    LeftOut,
    Record,
    Type,
    Typedef,
)

_FUNCTIONS = {
    "FUNCTION_DECL": FunctionKind.FUNCTION,
    "CXX_METHOD": FunctionKind.METHOD,
    "CONSTRUCTOR": FunctionKind.CONSTRUCTOR,
    "DESTRUCTOR": FunctionKind.DESTRUCTOR,
    "CONVERSION_FUNCTION": FunctionKind.CONVERSION,
}
_RECORDS = {"STRUCT_DECL": "struct", "CLASS_DECL": "class", "UNION_DECL": "union"}
_TAGS = {2: "struct", 3: "union", 4: "class"}  # what clang says a class template is, by the number of its kind
_UNNAMED = re.compile(r"\((?:unnamed|anonymous)(?: \w+)? at [^)]*\)")
_SIGNED = {"SCHAR", "CHAR_S", "SHORT", "INT", "LONG", "LONGLONG", "INT128", "WCHAR"}
_UNSIGNED = {"UCHAR", "CHAR_U", "USHORT", "UINT", "ULONG", "ULONGLONG", "UINT128", "CHAR16", "CHAR32"}
_FLOATS = {"FLOAT", "DOUBLE", "LONGDOUBLE", "HALF", "FLOAT128"}
_KINDS = {
    "VOID": CKind.VOID,
    "BOOL": CKind.BOOL,
    "ENUM": CKind.ENUM,
    "RECORD": CKind.RECORD,
    "POINTER": CKind.POINTER,
    "LVALUEREFERENCE": CKind.REFERENCE,
    "RVALUEREFERENCE": CKind.RVALUE,
    "CONSTANTARRAY": CKind.ARRAY,
    "INCOMPLETEARRAY": CKind.ARRAY,
    "FUNCTIONPROTO": CKind.FUNCTION,
    "FUNCTIONNOPROTO": CKind.FUNCTION,
    **dict.fromkeys(_SIGNED | _UNSIGNED, CKind.INTEGER),
    **dict.fromkeys(_FLOATS, CKind.FLOAT),
}
_NAMED = re.compile(r"[A-Za-z_]\w*( :: \w+)*")
_OF_THE_PREPROCESSOR = ("MACRO_INSTANTIATION", "INCLUSION_DIRECTIVE")
_TARGETS = {CKind.POINTER, CKind.REFERENCE, CKind.RVALUE}
_ATTRIBUTES = {"WARN_UNUSED_RESULT_ATTR": "warn_unused_result", "PURE_ATTR": "pure", "CONST_ATTR": "const"}


class Ours(Protocol):
    """Tells which files are the library's, and how an `#include` names them."""

    def __call__(self, path: str) -> bool: ...

    def shown(self, path: str) -> str: ...


class Reader:
    """Reads one translation unit; `extents` has where each declaration stands in its file, in bytes."""

    def __init__(self, cindex: Any, language: str, ours: Ours) -> None:
        self._lib = cindex.conf.lib
        self._children, self._value = Children(cindex), Values(cindex)
        self._is_c = language == "c"
        self._language = language
        self._ours = ours
        self._functions: dict[str, CFunction] = {}
        self._records: dict[str, Record] = {}
        self._enums: dict[str, Enum] = {}
        self._typedefs: dict[str, Typedef] = {}
        self._left_out: list[LeftOut] = []
        self._types: dict[tuple[str, str], Type] = {}
        self._named: defaultdict[str, list[str]] = defaultdict(list)
        self._defined: set[str] = set()
        """The keys of members whose code stands outside of their class."""
        self.macros: dict[str, Any] = {}
        """The cursors of macros without parameters."""
        self.macro_texts: dict[str, str] = {}
        """What macros with parameters are written as."""
        self._others: set[str] = set()
        self._macro_places: dict[str, HeaderPlace] = {}
        self.extents: dict[str, tuple[str, int, int]] = {}

    def read(self, unit: Any) -> Headers:
        with_parameters: dict[str, tuple[str, ...]] = {}
        for cursor in self._children(unit.cursor, _OF_THE_PREPROCESSOR):
            if cursor.kind.name == "MACRO_DEFINITION":
                self._macro(cursor, with_parameters)
            else:
                self._top(cursor)
        return Headers(
            functions=list(self._functions.values()),
            records={k: self._whole(v) for k, v in self._records.items()},
            enums={k: replace(v, typedefs=tuple(self._named[k])) for k, v in self._enums.items()},
            typedefs=self._typedefs,
            constants={},
            macros=with_parameters,
            files=frozenset(each.include.name for each in unit.get_includes()),
            other_functions=frozenset(self._others),
            macro_places=self._macro_places,
            left_out=self._left_out,
            language=self._language,
        )

    def _whole(self, record: Record) -> Record:
        """A record with what stands elsewhere: names that typedefs give it, and code of its members."""
        functions = tuple(replace(f, is_inline=True) if f.key in self._defined else f for f in record.functions)
        return replace(record, typedefs=tuple(self._named[record.qualified]), functions=functions)

    # --- declarations ---

    def _top(self, cursor: Any) -> None:
        kind = cursor.kind.name
        if kind == "NAMESPACE" and self._is_of_system(cursor):
            return
        if kind in ("NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL"):
            for each in self._children(cursor):
                self._top(each)
        elif self._is_ours(cursor):
            self._declaration(cursor)
        elif kind == "FUNCTION_DECL":
            self._others.add(cursor.spelling)

    def _declaration(self, cursor: Any, owner: str = "") -> None:
        kind = cursor.kind.name
        if kind in _FUNCTIONS or kind == "FUNCTION_TEMPLATE":
            made = self._function(cursor, owner)
            if not owner and _is_of_record(cursor.semantic_parent):  # the class has it; here is its code
                self._defined.add(made.key)
            else:
                self._functions.setdefault(made.key, made)
        elif kind in _RECORDS or kind in ("CLASS_TEMPLATE", "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION"):
            self._record(cursor, owner)
        elif kind == "ENUM_DECL":
            self._enum(cursor, owner)
        elif kind in ("TYPEDEF_DECL", "TYPE_ALIAS_DECL"):
            self._typedef(cursor)
        elif kind in ("VAR_DECL", "TYPE_ALIAS_TEMPLATE_DECL", "CONCEPT_DECL"):
            why = "a variable" if kind == "VAR_DECL" else "a template of a type"
            self._left_out.append(LeftOut(_qualified(cursor), self.place(cursor), why))

    def _function(self, cursor: Any, owner: str) -> CFunction:
        kind, template, of = self._function_kind(cursor)
        parameters = tuple(
            CParameter(each.spelling, self.type(each.type), *self._default(each)) for each in self._parameters(cursor)
        )
        key = _qualified(cursor)
        if not self._is_c:
            taken = ", ".join(each.type.canonical for each in parameters)
            key += f"({taken}){' const' * of.is_const_method()}" + f"<{', '.join(template)}>" * bool(template)
        self._at(key, cursor)
        is_variadic = of.type.kind.name == "FUNCTIONPROTO" and of.type.is_function_variadic()
        return CFunction(
            **self._common(cursor, key),
            kind=kind,
            result=self.type(cursor.result_type),
            parameters=parameters,
            owner=owner,
            access=_access(cursor),
            is_variadic=is_variadic,
            is_const=bool(of.is_const_method()),
            is_static=bool(of.is_static_method()),
            is_virtual=bool(of.is_virtual_method()),
            is_pure=bool(of.is_pure_virtual_method()),
            is_deleted=bool(of.is_deleted_method()),
            is_defaulted=bool(of.is_default_method()),
            is_explicit=bool(of.is_explicit_method()),
            is_inline=self._is_inline(cursor),
            is_noexcept=cursor.exception_specification_kind.name in ("BASIC_NOEXCEPT", "COMPUTED_NOEXCEPT", "NOTHROW"),
            is_prototyped=of.type.kind.name != "FUNCTIONNOPROTO",
            symbol=_symbol(cursor),
            template=template,
            attributes=tuple(
                sorted({_ATTRIBUTES[a.kind.name] for a in self._children(cursor) if a.kind.name in _ATTRIBUTES})
            ),
        )

    def _is_inline(self, cursor: Any) -> bool:
        is_template = cursor.kind.name == "FUNCTION_TEMPLATE"
        return is_template or cursor.is_definition() or bool(self._lib.clang_Cursor_isFunctionInlined(cursor))

    def _function_kind(self, cursor: Any) -> tuple[FunctionKind, tuple[str, ...], Any]:
        if cursor.kind.name != "FUNCTION_TEMPLATE":
            return _FUNCTIONS[cursor.kind.name], (), cursor
        kind = FunctionKind.FUNCTION
        if cursor.semantic_parent is not None and cursor.semantic_parent.kind.name in (*_RECORDS, "CLASS_TEMPLATE"):
            is_made = cursor.spelling.partition("<")[0] == cursor.semantic_parent.spelling
            kind = FunctionKind.CONSTRUCTOR if is_made else FunctionKind.METHOD
        return kind, _template_parameters(self._children(cursor)), cursor

    def _parameters(self, cursor: Any) -> Iterator[Any]:
        if cursor.kind.name == "FUNCTION_TEMPLATE":
            return (each for each in self._children(cursor) if each.kind.name == "PARM_DECL")
        return iter(cursor.get_arguments())

    def _default(self, parameter: Any) -> tuple[str, int | None]:
        """The text of a parameter's default, and what it is where that is a name of a number."""
        if self._is_c or not any(each.kind.is_expression() for each in self._children(parameter)):
            return "", None
        words = [token.spelling for token in parameter.get_tokens()]
        text = " ".join(words[words.index("=") + 1 :]) if "=" in words else ""
        text += " )" * (text.count("(") - text.count(")"))  # clang leaves out what ends a macro
        return text, self._value(parameter) if _NAMED.fullmatch(text) else None

    def _record(self, cursor: Any, owner: str) -> None:
        name = self._name(cursor)
        if not name or (name in self._records and not cursor.is_definition()):
            return
        is_defined = bool(cursor.is_definition())
        tag = _RECORDS.get(cursor.kind.name) or _TAGS.get(int(self._lib.clang_getTemplateCursorKind(cursor)), "class")
        key = f"{tag} {name}"
        if is_defined and key in self.extents:  # of a declaration before it
            self.extents[f"{key};"] = self.extents.pop(key)
        self._at(key, cursor)
        size, align = cursor.type.get_size(), cursor.type.get_align()
        made = Record(
            **self._common(cursor, key, name),
            tag=tag,
            is_defined=is_defined,
            size=max(size, 0),
            align=max(align, 0),
            is_abstract=bool(is_defined and cursor.is_abstract_record()),
            template=_template_parameters(self._children(cursor)) if "TEMPLATE" in cursor.kind.name else (),
            outer=owner,
        )
        self._records[name] = made
        if is_defined:
            self._records[name] = self._with_members(cursor, made)

    def _with_members(self, cursor: Any, record: Record) -> Record:
        fields: list[Field] = []
        private: list[tuple[str, Type]] = []
        bases: list[Base] = []
        functions: dict[str, CFunction] = {}
        nameless: list[str] = []
        is_final = is_polymorphic = hides_constructor = False
        for each in self._children(cursor):
            kind, access = each.kind.name, each.access_specifier.name
            if kind == "CXX_BASE_SPECIFIER":
                is_virtual, declared = bool(self._lib.clang_isVirtualBase(each)), each.type.get_declaration()
                place = self.place(declared) if declared.location.file else None
                bases.append(Base(self.type(each.type).name, is_virtual, _access(each), place))
            elif kind == "CXX_FINAL_ATTR":
                is_final = True
            elif kind == "FIELD_DECL":
                if access == "PRIVATE":
                    private.append((each.spelling, self.type(each.type)))
                else:
                    fields.append(self._field(each, record))
            elif kind in _FUNCTIONS or kind == "FUNCTION_TEMPLATE":
                is_virtual = bool(each.is_virtual_method())
                is_polymorphic |= is_virtual
                if _is_usable(each):
                    made = self._function(each, record.qualified)
                    functions.setdefault(made.key, made)
                else:
                    hides_constructor |= kind == "CONSTRUCTOR" or each.spelling.partition("<")[0] == cursor.spelling
            elif access in ("PUBLIC", "INVALID"):
                if kind in _RECORDS and self._lib.clang_Cursor_isAnonymousRecordDecl(each):
                    nameless += [member.spelling for member in each.type.get_fields() if member.spelling]
                self._declaration(each, record.qualified)
        return replace(
            record,
            nameless=tuple(nameless),
            fields=tuple(fields),
            private=tuple(private),
            bases=tuple(bases),
            functions=tuple(functions.values()),
            is_final=is_final,
            is_polymorphic=is_polymorphic,
            hides_constructor=hides_constructor,
        )

    def _field(self, cursor: Any, record: Record) -> Field:
        self._at(f"{record.key}.{cursor.spelling}", cursor)
        bits = cursor.get_bitfield_width() if cursor.is_bitfield() else 0
        words = [] if self._is_c else [token.spelling for token in cursor.get_tokens()]
        default = " ".join(words[words.index("=") + 1 :]) if "=" in words else ""
        return Field(
            cursor.spelling,
            self.type(cursor.type),
            Doc(),
            _access(cursor),
            cursor.get_field_offsetof(),
            bits,
            default,
        )

    def _enum(self, cursor: Any, owner: str) -> None:
        values = []
        name = self._name(cursor)
        constants = [each for each in self._children(cursor) if each.kind.name == "ENUM_CONSTANT_DECL"]
        if not constants and not name:
            return
        key = f"enum {name or constants[0].spelling}"
        if not constants and name in self._enums:
            return
        for each in constants:
            self._at(f"{key}.{each.spelling}", each)
            values.append(Enumerator(each.spelling, each.enum_value, Doc()))
        self._at(key, cursor)
        self._enums[name or key] = Enum(
            **self._common(cursor, key, name),
            values=tuple(values),
            underlying=self.type(cursor.enum_type),
            is_scoped=bool(cursor.is_scoped_enum()),
            owner=owner,
        )

    def _typedef(self, cursor: Any) -> None:
        name = _qualified(cursor)
        to = self.type(cursor.underlying_typedef_type)
        through = to.target if to.kind is CKind.POINTER and to.target else to
        if through.name and through.kind in (CKind.RECORD, CKind.ENUM) and through.name != name:
            self._named[through.name].append(name + " *" * (through is not to))
        key = f"typedef {name}"
        self._at(key, cursor)
        named: tuple[str, ...] = ()
        if through.kind is CKind.FUNCTION:
            named = tuple(each.spelling for each in self._children(cursor) if each.kind.name == "PARM_DECL")
        made = Typedef(**self._common(cursor, key, name), type=to, parameter_names=named if any(named) else ())
        self._typedefs.setdefault(name, made)

    def _macro(self, cursor: Any, with_parameters: dict[str, tuple[str, ...]]) -> None:
        if not self._is_ours(cursor):
            return
        if self._lib.clang_Cursor_isMacroFunctionLike(cursor):
            words = [token.spelling for token in cursor.get_tokens()]
            inside = words[2 : words.index(")")] if ")" in words else []
            with_parameters[cursor.spelling] = tuple(each for each in inside if each != ",")
            self._macro_places[cursor.spelling] = self.place(cursor)
            self.macro_texts[cursor.spelling] = " ".join(words[words.index(")") + 1 :]) if ")" in words else ""
        else:
            self.macros[cursor.spelling] = cursor

    # --- what all have ---

    def _is_of_system(self, cursor: Any) -> bool:
        """Whether a namespace is one of C++'s library: thousands of declarations, of which none is ours."""
        return bool(self._lib.clang_Location_isInSystemHeader(cursor.location)) and not self._is_ours(cursor)

    def _is_ours(self, cursor: Any) -> bool:
        file = cursor.location.file
        return file is not None and self._ours(file.name)

    def _at(self, key: str, cursor: Any) -> None:
        extent = cursor.extent
        if extent.start.file is not None and key not in self.extents:
            self.extents[key] = (extent.start.file.name, extent.start.offset, extent.end.offset)

    def place(self, cursor: Any) -> HeaderPlace:
        """Where a cursor is."""
        at = cursor.location
        return HeaderPlace(self._ours.shown(at.file.name), at.file.name, at.line, at.column)

    def _name(self, cursor: Any) -> str:
        """The qualified name of a record or an enum; a nameless one has that of its typedef, or none."""
        if "(unnamed" in cursor.type.get_canonical().spelling or "(anonymous" in cursor.type.get_canonical().spelling:
            return ""
        if "TEMPLATE" in cursor.kind.name:
            return _qualified(cursor)
        return _bare(cursor.type.get_canonical().spelling)

    def _common(self, cursor: Any, key: str, qualified: str | None = None) -> dict[str, Any]:
        whole = _qualified(cursor) if qualified is None else qualified
        return {
            "key": key,
            "name": cursor.spelling if qualified is None else whole.rpartition("::")[2],
            "qualified": whole,
            "place": self.place(cursor),
            "doc": Doc(),
            "is_deprecated": cursor.availability.name == "DEPRECATED",
        }

    # --- types ---

    def type(self, clang: Any) -> Type:
        """A type; of those that are written alike, one object."""
        canonical = clang.get_canonical()
        key = (clang.spelling, canonical.spelling)
        if key not in self._types:
            self._types[key] = self._type(clang, canonical)
        return self._types[key]

    def _type(self, clang: Any, canonical: Any) -> Type:
        name = canonical.kind.name
        kind = _KINDS.get(name, CKind.OTHER)
        named = _bare(without_place(canonical.spelling)) if kind in (CKind.RECORD, CKind.ENUM) else ""
        target = self._target(clang, canonical, kind)
        parameters: tuple[Type, ...] = ()
        if name == "FUNCTIONPROTO":
            spelled = _function_of(clang, canonical)
            parameters = tuple(map(self.type, spelled.argument_types()))
        template, arguments = self._arguments(canonical) if kind is CKind.RECORD else ("", ())
        return Type(
            kind=kind,
            spelling=without_place(clang.spelling),
            canonical=without_place(canonical.spelling),
            is_const=bool(canonical.is_const_qualified()),
            size=max(canonical.get_size(), 0) if kind is not CKind.FUNCTION else 0,
            is_signed=name in _SIGNED,
            name=named,
            target=target,
            parameters=parameters,
            is_variadic=name == "FUNCTIONPROTO" and bool(canonical.is_function_variadic()),
            length=canonical.element_count if name == "CONSTANTARRAY" else None,
            template=template,
            arguments=arguments,
        )

    def _target(self, clang: Any, canonical: Any, kind: CKind) -> Type | None:
        if kind in _TARGETS:
            return self.type(_through(clang, lambda each: each.get_pointee()) or canonical.get_pointee())
        if kind is CKind.ARRAY:
            return self.type(canonical.element_type)
        if kind is CKind.FUNCTION:
            return self.type(_function_of(clang, canonical).get_result())
        return None

    def _arguments(self, canonical: Any) -> tuple[str, tuple[Type, ...]]:
        count = canonical.get_num_template_arguments()
        if count <= 0:
            return "", ()
        template = _qualified(canonical.get_declaration())
        found = [canonical.get_template_argument_type(at) for at in range(count)]
        return template, tuple(self.type(each) for each in found if each.kind.name != "INVALID")


def _is_of_record(parent: Any) -> bool:
    return parent is not None and (parent.kind.name in _RECORDS or parent.kind.name.startswith("CLASS_TEMPLATE"))


def _through(clang: Any, step: Callable[[Any], Any]) -> Any:
    """What a pointer is to as it was written, so that names of typedefs are kept; None where a typedef hides it."""
    to = step(clang)
    return None if to.kind.name == "INVALID" else to


def _function_of(clang: Any, canonical: Any) -> Any:
    """A function's type with its types as they were written, where no typedef hides them."""
    return clang if clang.kind.name == "FUNCTIONPROTO" else canonical


def without_place(spelling: str) -> str:
    """A type's spelling without the paths by which clang names those that have no name: they are of this machine."""
    return _UNNAMED.sub("(unnamed)", spelling) if " at " in spelling else spelling


def _bare(spelling: str) -> str:
    for word in ("const ", "volatile ", "struct ", "class ", "union ", "enum "):
        spelling = spelling.removeprefix(word)
    return spelling


def _qualified(cursor: Any) -> str:
    parts = [cursor.spelling]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind.name != "TRANSLATION_UNIT":
        if parent.kind.name not in ("LINKAGE_SPEC", "UNEXPOSED_DECL") and parent.spelling:
            parts.append(parent.spelling)
        parent = parent.semantic_parent
    return "::".join(reversed(parts))


def _access(cursor: Any) -> Access:
    said = cursor.access_specifier.name
    return {"PROTECTED": Access.PROTECTED, "PRIVATE": Access.PRIVATE}.get(said, Access.PUBLIC)


def _is_usable(cursor: Any) -> bool:
    """Whether Python can call or override this member, or its absence from what can be called tells something."""
    access, kind = cursor.access_specifier.name, cursor.kind.name
    if access == "PROTECTED":
        return kind != "CXX_METHOD" or bool(cursor.is_virtual_method())
    return bool(access != "PRIVATE" or kind == "DESTRUCTOR")


def _symbol(cursor: Any) -> str:
    return "" if "TEMPLATE" in cursor.kind.name else cursor.mangled_name or ""


def _template_parameters(children: Iterable[Any]) -> tuple[str, ...]:
    found = []
    for each in children:
        if each.kind.name == "TEMPLATE_TYPE_PARAMETER":
            found.append(each.spelling)
        elif each.kind.name == "TEMPLATE_NON_TYPE_PARAMETER":
            found.append(f"{each.type.spelling} {each.spelling}")
        elif each.kind.name == "TEMPLATE_TEMPLATE_PARAMETER":
            found.append(f"template {each.spelling}")
    return tuple(found)
