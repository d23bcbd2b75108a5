"""The rules, in order: what each kind of value means at each kind of place. A rule knows one thing, and answers or stays silent.

To add one: write the function in the file of its construct, give it its line here, and a case in `tests/cases/` that
fails without it.
"""

from __future__ import annotations

from typing import NamedTuple

from flowmap.solve.hints import fill_hinted
from flowmap.solve.lookup import bind_function
from flowmap.solve.rules import (
    attributes,
    bases,
    borders,
    callbacks,
    calls,
    catching,
    computed,
    container_methods,
    creation,
    descriptors,
    dicts_of_fields,
    elements,
    entering,
    families,
    functional,
    items,
    iterators,
    modules,
    named_tuples,
    narrowing,
    operators,
    outside,
    registered,
    specials,
    spreading,
    stdlib,
    stores,
    supers,
    typed,
)
from flowmap.solve.state import Handler, Table
from flowmap.solve.values import Kind


class Rule(NamedTuple):
    """A rule: the place it speaks of, the kinds of values, and what it does."""

    place: str
    kinds: tuple[Kind, ...]
    apply: Handler

    @property
    def name(self) -> str:
        """The rule is named by its function."""
        return self.apply.__name__


CALLABLE = (Kind.FUNCTION, Kind.BOUND, Kind.CLASS, Kind.PARTIAL)
BOUND_APART = (Kind.FUNCTION, Kind.PARTIAL, Kind.INSTANCE, Kind.PROPERTY, Kind.CLASSMETHOD, Kind.FIELD)
PLAIN_MEMBER = tuple(kind for kind in Kind if kind not in BOUND_APART)
NO_FAMILY = tuple(kind for kind in Kind if kind not in (Kind.FAMILY, Kind.CLASS_FAMILY))
NO_PARTIAL = tuple(kind for kind in Kind if kind != Kind.PARTIAL)
OBJECT = (Kind.INSTANCE, Kind.FAMILY)
ASKED = (*OBJECT, Kind.CLASS)
RECEIVER = (*OBJECT, Kind.CLASS, Kind.CLASS_FAMILY, Kind.VARIANT)
A_CLASS = (Kind.CLASS, Kind.VARIANT)
NOT_OBJECT = tuple(kind for kind in Kind if kind not in ASKED)
NOT_CONTAINER = (*OBJECT, Kind.CLASS, Kind.OUTSIDE, Kind.THING)
BUILTIN = (Kind.THING, Kind.STRING, Kind.CONTAINER)
BUILTIN_OR_OUTSIDE = (*BUILTIN, Kind.OUTSIDE)

RULES: tuple[Rule, ...] = (
    Rule("attribute", (Kind.INSTANCE,), attributes.attribute_of_instance),
    Rule("attribute", A_CLASS, attributes.attribute_of_class),
    Rule("attribute", (Kind.FAMILY,), families.attribute_of_family),
    Rule("attribute", (Kind.CLASS_FAMILY,), families.attribute_of_class_family),
    Rule("attribute", (Kind.MODULE,), attributes.attribute_of_module),
    Rule("attribute", (Kind.PACKAGE,), attributes.attribute_of_package),
    Rule("attribute", (Kind.OUTSIDE,), attributes.attribute_of_outside),
    Rule("attribute", (Kind.THING,), attributes.attribute_of_thing),
    Rule("attribute", (Kind.CONTAINER,), attributes.attribute_of_container),
    Rule("attribute", (Kind.STRING,), attributes.attribute_of_string),
    Rule("attribute", (Kind.SUPER,), supers.attribute_of_super),
    Rule("attribute", (Kind.FUNCTION, Kind.BOUND), attributes.attribute_of_function),
    Rule("attribute", (Kind.PARTIAL,), functional.attribute_of_partial),
    Rule("attribute", (Kind.FUNCTION,), attributes.attribute_of_property),
    Rule("missing", OBJECT, attributes.missing_attribute),
    Rule("names", (Kind.INSTANCE, Kind.CLASS), dicts_of_fields.fields_as_dict),
    Rule("item", (Kind.METHOD,), dicts_of_fields.field_by_key),
    Rule("attribute", (Kind.METHOD,), dicts_of_fields.table_of_fields),
    Rule("method", (Kind.THING,), attributes.method_of_thing),
    Rule("bind", (Kind.FUNCTION,), bind_function),
    Rule("bind", PLAIN_MEMBER, attributes.bind_member),
    Rule("bind", (Kind.INSTANCE,), descriptors.read_by_descriptor),
    Rule("bind", (Kind.PROPERTY,), descriptors.read_by_property_object),
    Rule("bind", (Kind.CLASSMETHOD,), descriptors.read_class_method),
    Rule("bind", (Kind.FIELD,), descriptors.read_field_default),
    Rule("bind", (Kind.PARTIAL,), functional.bind_partial),
    Rule("super", RECEIVER, supers.super_of_receiver),
    Rule("super class", (Kind.CLASS,), outside.super_of_class),
    Rule("store", (Kind.INSTANCE,), stores.store_on_instance),
    Rule("store", (Kind.CONTAINER,), stores.store_on_namespace),
    Rule("store", (Kind.CLASS,), stores.store_on_class),
    Rule("store", (Kind.FAMILY,), families.store_on_family),
    Rule("store", (Kind.CLASS_FAMILY,), families.store_on_class_family),
    Rule("store", (Kind.FUNCTION,), stores.store_on_function),
    Rule("store", (Kind.MODULE,), stores.store_on_module),
    Rule("store", (Kind.OUTSIDE,), stores.store_on_outside),
    Rule("set", (Kind.FUNCTION,), calls.set_by_property),
    Rule("set", (Kind.INSTANCE,), descriptors.write_by_descriptor),
    Rule("set", (Kind.PROPERTY,), descriptors.write_by_property_object),
    Rule("delete", (Kind.INSTANCE,), descriptors.delete_on_instance),
    Rule("delete", (Kind.FAMILY,), families.delete_on_family),
    Rule("unset", (Kind.FUNCTION,), calls.unset_by_property),
    Rule("unset", (Kind.INSTANCE,), descriptors.delete_by_descriptor),
    Rule("unset", (Kind.PROPERTY,), descriptors.delete_by_property_object),
    Rule("create", (Kind.CLASS,), creation.metaclass_makes_class),
    Rule("create", (Kind.CLASS,), creation.subclass_is_announced),
    Rule("create", (Kind.CLASS,), creation.members_are_named),
    Rule("create", (Kind.CLASS,), creation.members_are_made),
    Rule("name set", (Kind.INSTANCE,), creation.descriptor_is_named),
    Rule("call", (Kind.FUNCTION,), calls.call_of_function),
    Rule("call", (Kind.BOUND,), calls.call_of_bound),
    Rule("call", A_CLASS, calls.call_of_class),
    Rule("call", (Kind.CONSTRUCTOR,), calls.call_of_constructor),
    Rule("call", (Kind.ALIAS,), calls.call_of_alias),
    Rule("call", (Kind.TYPED,), calls.call_of_typed),
    Rule("field", (Kind.FIELD,), calls.field_of_default),
    Rule("replace", (Kind.INSTANCE,), calls.replace_fields),
    Rule("construct", (Kind.CLASS,), calls.construct),
    Rule("record", A_CLASS, calls.fill_record),
    Rule("call", (Kind.INSTANCE,), calls.call_of_instance),
    Rule("call", (Kind.FAMILY,), families.call_of_family),
    Rule("call", (Kind.CLASS_FAMILY,), families.call_of_class_family),
    Rule("result", NO_FAMILY, families.result_as_it_is),
    Rule("result", (Kind.FAMILY, Kind.CLASS_FAMILY), families.result_of_family),
    Rule("call", (Kind.OUTSIDE,), calls.call_of_outside),
    Rule("call", (Kind.THING,), calls.call_of_thing),
    Rule("call", (Kind.CONTAINER,), calls.call_of_container),
    Rule("call", (Kind.METHOD,), container_methods.call_of_method),
    Rule("call", (Kind.METHOD,), container_methods.split_string),
    Rule("call", (Kind.METHOD,), bases.method_of_base),
    Rule("call", (Kind.METHOD,), named_tuples.method_of_named_tuple),
    Rule("call", (Kind.METHOD,), functional.call_of_register),
    Rule("call", (Kind.METHOD,), descriptors.property_is_made),
    Rule("call", (Kind.METHOD,), borders.object_is_started),
    Rule("catch", (Kind.CLASS,), catching.catch_class),
    Rule("catch", (Kind.CONTAINER,), catching.catch_any_of),
    Rule("catch", (Kind.OUTSIDE,), catching.catch_outside),
    Rule("wrapped", OBJECT, callbacks.wrapped_is_asked),
    Rule("implementation", (Kind.FUNCTION, Kind.BOUND, Kind.PARTIAL), functional.implementation),
    Rule("dispatched class", (Kind.CLASS, Kind.OUTSIDE, Kind.THING), functional.dispatched_class),
    Rule("call", (Kind.PARTIAL,), functional.call_of_partial),
    Rule("receiver", RECEIVER, calls.receiver_is_first_argument),
    Rule("receiver", (Kind.THING, Kind.OUTSIDE, Kind.CONTAINER, Kind.STRING, Kind.MODULE), calls.receiver_is_unknown),
    Rule("receiver", (Kind.FUNCTION, Kind.BOUND, Kind.PARTIAL), calls.receiver_is_function),
    Rule("decorate", (*CALLABLE, *OBJECT, Kind.METHOD), calls.decorate_by_call),
    Rule("decorated", NO_PARTIAL, calls.decorated),
    Rule("decorated", (Kind.PARTIAL,), calls.decorated_later),
    Rule("decorate", (Kind.OUTSIDE, Kind.THING), calls.decorate_by_outside),
    Rule("decorate", (Kind.CONTAINER,), calls.decorate_by_generator),
    Rule("spread", (Kind.CONTAINER,), spreading.spread_container),
    Rule("spread", OBJECT, spreading.spread_instance),
    Rule("copy", (Kind.CONTAINER,), spreading.copy_container),
    Rule("copy", NOT_CONTAINER, spreading.copy_elements),
    Rule("join", (Kind.CONTAINER,), operators.join_container),
    Rule("compared", BUILTIN, operators.compared_with_builtin),
    Rule("compared with object", OBJECT, operators.compared_with_object),
    Rule("spread arguments", (Kind.CONTAINER,), spreading.spread_into_parameters),
    Rule("spread arguments", OBJECT, spreading.spread_instance_into_parameters),
    Rule("starred", OBJECT, spreading.starred_instance),
    Rule("starred", (Kind.CONTAINER,), spreading.starred_container),
    Rule("factory", (*CALLABLE, Kind.OUTSIDE, Kind.INSTANCE), items.item_by_factory),
    Rule("spread keywords", (Kind.CONTAINER,), spreading.spread_keywords),
    Rule("spread fields", (Kind.CONTAINER,), calls.spread_into_fields),
    Rule("item", (Kind.CONTAINER,), items.item_of_container),
    Rule("item", OBJECT, items.item_of_instance),
    Rule("item", (Kind.CLASS,), items.item_of_class),
    Rule("item", (Kind.FUNCTION, Kind.OUTSIDE, Kind.THING), items.item_is_itself),
    Rule("item", (Kind.OUTSIDE,), modules.loaded_module),
    Rule("store item", (Kind.CONTAINER,), items.store_item_in_container),
    Rule("store item", OBJECT, items.store_item_on_instance),
    Rule("element", (Kind.CONTAINER,), elements.element_of_container),
    Rule("element", OBJECT, elements.element_of_instance),
    Rule("element", (Kind.CLASS,), elements.element_of_class),
    Rule("element", (Kind.OUTSIDE, Kind.THING), elements.element_of_outside),
    Rule("iterator", ASKED, iterators.iterator_of_instance),
    Rule("iterator", BUILTIN_OR_OUTSIDE, iterators.iterator_of_elements),
    Rule("reversed", OBJECT, iterators.reversed_of_instance),
    Rule("reversed", (*BUILTIN_OR_OUTSIDE, Kind.CLASS), iterators.reversed_elements),
    Rule("pair", (Kind.CONTAINER,), elements.element_of_container),
    Rule("pair", (Kind.OUTSIDE, Kind.THING), elements.element_of_outside),
    Rule("next", OBJECT, elements.next_of_instance),
    Rule("next", (Kind.CONTAINER,), elements.next_of_container),
    Rule("next", (Kind.THING,), stdlib.step_object),
    Rule("await", (Kind.CONTAINER,), entering.await_of_container),
    Rule("await", OBJECT, entering.await_of_instance),
    Rule("await", (Kind.OUTSIDE, Kind.THING), entering.await_of_outside),
    Rule("enter", (Kind.CONTAINER,), entering.enter_container),
    Rule("enter", OBJECT, entering.enter_instance),
    Rule("enter", (Kind.OUTSIDE, Kind.THING), entering.enter_of_outside),
    Rule("operator", ASKED, operators.operator_of_instance),
    Rule("operator", (Kind.CONTAINER,), operators.operator_of_container),
    Rule("operator", (Kind.OUTSIDE, Kind.THING), operators.operator_of_outside),
    Rule("reflected", ASKED, operators.reflected_of_instance),
    Rule("reflected", (Kind.CONTAINER,), operators.repeated_on_the_right),
    Rule("filter", (Kind.INSTANCE,), narrowing.filter_instance),
    Rule("filter", (Kind.FAMILY,), families.filter_family),
    Rule("filter", (Kind.CLASS,), narrowing.filter_class),
    Rule("filter", NOT_OBJECT, narrowing.filter_other),
    Rule("filter class", (Kind.CLASS, Kind.OUTSIDE), narrowing.class_admits),
    Rule("filter class", (Kind.CONTAINER,), narrowing.container_admits),
    Rule("bound", NO_FAMILY, narrowing.bounded),
    Rule("bound", (Kind.FAMILY, Kind.CLASS_FAMILY), families.bounded_family),
    Rule("hinted", (Kind.CONTAINER,), fill_hinted),
    Rule("held", (Kind.CONTAINER,), typed.held_by_container),
    Rule("type", (Kind.INSTANCE,), outside.type_of_instance),
    Rule("type", (Kind.FAMILY,), families.type_of_family),
    Rule("instance of", (Kind.CLASS_FAMILY,), families.instances_of_family),
    Rule("instance of", A_CLASS, outside.instance_of_class),
    Rule("classes of", (Kind.CLASS,), outside.classes_of_metaclass),
    Rule("special", ASKED, specials.special_of_object),
    Rule("attribute by name", (Kind.STRING,), computed.attribute_by_name),
    Rule("attributes like", (*OBJECT, Kind.CLASS), computed.attributes_like),
    Rule("attributes like", (Kind.MODULE,), computed.names_like),
    Rule("store by name", (Kind.STRING,), computed.store_by_name),
    Rule("registered name", (Kind.STRING,), registered.name_of_registered),
    Rule("call", (Kind.REGISTRAR,), registered.register_by_decorator),
    Rule("decorate", (Kind.REGISTRAR,), registered.register_by_decorator),
    Rule("task", (Kind.CONTAINER,), borders.task_of_coroutine),
    Rule("text", (Kind.STRING,), computed.text_continued),
    Rule("module by name", (Kind.STRING,), computed.module_by_name),
    Rule("module below", (Kind.STRING,), computed.module_below),
    Rule("first module", (Kind.STRING,), modules.first_module),
    Rule("member by name", (Kind.STRING,), computed.member_by_name),
    Rule("names", (Kind.MODULE,), modules.members_of_module),
    Rule("members", (Kind.MODULE,), modules.pairs_of_module),
    Rule("predicate", (Kind.OUTSIDE,), modules.members_that_fit),
    Rule("member that is a class", (Kind.CLASS,), modules.member_fits),
    Rule("member that is a function", (Kind.FUNCTION,), modules.member_fits),
    Rule("path", (Kind.MODULE,), modules.modules_in),
    Rule("prefix", (Kind.STRING,), modules.modules_with_prefix),
)


def tables_of(rules: tuple[Rule, ...]) -> dict[str, Table]:
    """The rules by place and kind."""
    found: dict[str, dict[int, tuple[Handler, ...]]] = {rule.place: {} for rule in RULES}
    for rule in rules:
        for kind in rule.kinds:
            table = found[rule.place]
            table[kind] = (*table.get(kind, ()), rule.apply)
    found["method"] = found["attribute"] | found["method"]  # a called attribute is an attribute, unless a rule knows better
    return {place: tuple(table.get(kind, ()) for kind in sorted(Kind)) for place, table in found.items()}
