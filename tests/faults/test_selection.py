# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the selection of cases and faults."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from support.faults import select_pairs

CASES = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), min_size=1, unique=True)
FAULTS = st.lists(st.sampled_from(["lost", "cut", "late", "401", "503"]), min_size=1, unique=True)


def layer(case: tuple[str, int]) -> str:
    return case[0]


def parity(case: tuple[str, int]) -> int:
    return case[1] % 2


@given(CASES, FAULTS)
def test_selection_has_each_case_and_each_fault_of_each_layer(cases: list[tuple[str, int]], faults: list[str]) -> None:
    product = list(itertools.product(cases, faults))
    chosen = select_pairs(product, layer, parity, full=False)
    assert set(chosen) <= set(product)
    assert {case for case, _unused in chosen} == set(cases)
    for function in (layer, parity):
        selected = {(function(case), fault) for case, fault in chosen}
        assert selected == {(function(case), fault) for case, fault in product}


@given(CASES, FAULTS)
def test_selection_is_small(cases: list[tuple[str, int]], faults: list[str]) -> None:
    chosen = select_pairs(itertools.product(cases, faults), layer, full=False)
    assert len(chosen) <= len(cases) + len({layer(case) for case in cases}) * len(faults)


@given(CASES, FAULTS)
def test_selection_has_one_fault_per_case_when_there_are_no_layers(
    cases: list[tuple[str, int]], faults: list[str]
) -> None:
    assert [case for case, _unused in select_pairs(itertools.product(cases, faults), full=False)] == cases


@given(CASES, FAULTS, st.data())
def test_selection_keeps_its_pairs_when_a_case_is_added(
    cases: list[tuple[str, int]], faults: list[str], data: st.DataObject
) -> None:
    product = list(itertools.product(cases, faults))
    added_case = data.draw(st.sampled_from(cases))
    before = select_pairs([pair for pair in product if pair[0] != added_case], layer, full=False)
    after = select_pairs(product, layer, full=False)
    replaceable = {(layer(case), fault) for case, fault in after if case == added_case}
    assert set(after) - set(before) <= {(added_case, fault) for fault in faults}
    assert {(layer(case), fault) for case, fault in set(before) - set(after)} <= replaceable


def test_selection_has_all_pairs_when_all_are_requested() -> None:
    product = list(itertools.product([("a", 1), ("a", 2), ("b", 1)], ["lost", "late"]))
    assert select_pairs(product, layer, full=True) == product
