"""The kinds of statement that memories were reported to get wrong, on lines of our own."""

from __future__ import annotations

import pytest

from tests.unit.test_extraction import SPEAKER, read, said


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("My bike rack is number 7.", ("bike_rack", "7")),
        ("My seat is 14C.", ("seat", "14C")),
        ("My desk is on floor 5.", ("desk_floor", "5")),
        ("My locker is in room 12.", ("locker_room", "12")),
        ("My dentist is on Mill Lane.", ("dentist_street", "Mill Lane")),
        ("My dentist moved to Canal Street.", ("dentist_street", "Canal Street")),
        ("My passport is with Runa.", ("passport_with", "Runa")),
        ("My kayak is green.", ("kayak_color", "green")),
        ("My badge colour is green.", ("badge_color", "green")),
        ("My bike is broken.", ("bike_status", "broken")),
        ("My ticket ends in 77.", ("ticket_ends_in", "77")),
        ("My ferry is line 9.", ("ferry", "line 9")),
        ("My shoe size is 44.", ("shoe_size", "44")),
        ("I moved to desk 9.", ("desk", "9")),
        ("Your time zone is set to UTC+3.", ("timezone", "UTC+3")),
        ("I also joined a rowing club.", ("member_of", "rowing club")),
        ("I take pill Y at night.", ("takes", "pill Y")),
    ],
)
def test_my_x_is_y(text: str, fact: tuple[str, str]) -> None:
    (found,) = read(text)
    assert (found.subject, found.predicate, found.value) == (SPEAKER, *fact)


@pytest.mark.parametrize(
    ("text", "subject", "fact"),
    [
        ("The stand is in hall C.", "stand", ("hall", "C")),
        ("The kettle is in room 9.", "kettle", ("room", "9")),
        ("The balance is 55 credits.", "balance", ("value", "55 credits")),
        ("The meeting room is Ash.", "meeting", ("room", "Ash")),
        ("Ticket state is in review.", "ticket", ("state", "in review")),
        ("The pool opens at 7.", "pool", ("opens", "7")),
        ("The tent sleeps five.", "tent", ("sleeps", "5")),
        ("Correction, the tent sleeps six.", "tent", ("sleeps", "6")),
        ("Exports run at 03:30.", "exports", ("start_time", "03:30")),
        ("The hall printer is on the staff network.", "hall printer", ("network", "staff")),
        ("QRS opened a branch in Oslo.", "QRS", ("branch", "Oslo")),
    ],
)
def test_the_x_is_y(text: str, subject: str, fact: tuple[str, str]) -> None:
    (found,) = read(text)
    assert (found.subject.text.casefold(), found.predicate, found.value) == (subject.casefold(), *fact)


def test_a_product_keeps_a_scope_so_that_a_correction_leaves_its_neighbour() -> None:
    first = read("Service billing runs on Go 1.21 and NATS.")
    then = read("Correction: service billing runs on Go 1.22, NATS stays.")
    assert {(f.scope, f.value) for f in first} == {("go", "Go 1.21"), ("nats", "NATS")}
    assert {(f.scope, f.value) for f in then} == {("go", "Go 1.22")}
    assert {(f.subject.type, f.subject.text, f.predicate) for f in first + then} == {
        ("service", "billing", "runs_on")
    }


def test_a_compound_statement_and_its_parts_are_the_same_facts() -> None:
    whole = read("We run the weekly job on node 5 with six workers.")
    parts = read("The weekly job runs on node 5.") + read("The weekly job has six workers.")
    assert {(f.subject, f.predicate, f.value) for f in whole} == {
        (f.subject, f.predicate, f.value) for f in parts
    }
    assert len(whole) == 2


def test_a_reassignment_ends_the_old_and_opens_the_new() -> None:
    facts = read("Tove was moved from project Alder to project Elm.")
    assert [(f.predicate, f.value, f.ended) for f in facts] == [
        ("assigned_to", "project Alder", True),
        ("assigned_to", "project Elm", False),
    ]
    assert facts[1].value_entity is not None and facts[1].value_entity.type == "project"
    (before,) = read("Tove works on project Alder.")
    assert (before.subject, before.predicate, before.value) == (
        facts[0].subject,
        "assigned_to",
        "project Alder",
    )


def test_a_part_switched_on_and_removed_is_one_slot() -> None:
    (on,) = read("We enabled request logging in the portal.")
    (gone,) = read("We removed request logging from the portal.")
    assert (on.subject, on.predicate, on.value) == (gone.subject, gone.predicate, "on")
    assert gone.ended and gone.value == ""


@pytest.mark.parametrize(
    ("text", "value", "polarity"),
    [("No need to feed the hens, Ada did.", "yes", "-"), ("We need to feed the hens.", "yes", "+")],
)
def test_a_leading_no_is_kept(text: str, value: str, polarity: str) -> None:
    (fact,) = read(text)
    assert (fact.subject.text, fact.predicate, fact.value, fact.polarity) == (
        "feed the hens",
        "needed",
        value,
        polarity,
    )


def test_a_fronted_place_is_the_scope() -> None:
    facts = read("At Quay Bistro I like the pea soup.") + read("At Quay Bistro I like the bean salad.")
    assert {(f.predicate, f.scope, f.value) for f in facts} == {
        ("likes", "quay-bistro", "pea soup"),
        ("likes", "quay-bistro", "bean salad"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Lex Moor is short for Alexis Moor.",
        "Alexis Moor is also known as Lex Moor.",
        "Alexis Moor goes by Lex Moor.",
        "Everyone calls Alexis Moor Lex Moor.",
    ],
)
def test_a_stated_alias(text: str) -> None:
    (fact,) = read(text)
    assert fact.act == "alias"
    if "calls" not in text:
        assert (fact.subject.text, fact.value) == ("Alexis Moor", "Lex Moor")


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "value"),
    [
        ("Delete the kayak note.", "u1", "*", "kayak"),
        ("Please forget about my bike.", "u1", "*", "bike"),
        ("Erase my address.", "u1", "*", "address"),
        ("Please remove my phone number from your memory.", "u1", "*", "phone number"),
        ("Forget that I like tea.", "u1", "likes", "tea"),
        ("My office is not 310, that was wrong.", "u1", "office", "310"),
        ("Forget that.", "u1", "*", "that"),
        ("Scratch that!", "u1", "*", "that"),
    ],
)
def test_hints_to_retract(text: str, subject: str, predicate: str, value: str) -> None:
    (fact,) = read(text)
    assert (fact.act, fact.subject.text, fact.predicate, fact.value, fact.polarity) == (
        "retract",
        subject,
        predicate,
        value,
        "+",
    )


def test_not_true_retracts_and_states_what_is_so() -> None:
    retract, absent = read("Not true, there is no staff network.")
    assert (retract.act, retract.subject.text, retract.value) == ("retract", "u1", "staff network")
    assert (absent.act, absent.subject.text, absent.predicate, absent.polarity) == (
        "assert",
        "staff network",
        "exists",
        "-",
    )


def test_an_order_to_delete_something_else_is_no_hint() -> None:
    assert read("Delete the file on my desktop.") == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Nunca usamos la impresora vieja.", ("uses", "impresora vieja", "-")),
        ("No me gusta el ajo.", ("likes", "ajo", "-")),
        ("Me gusta el ajo.", ("likes", "ajo", "+")),
        ("Vivo en Lugo.", ("lives_in", "Lugo", "+")),
        ("Ya no vivo en Lugo.", ("lives_in", "Lugo", "x")),
        ("Me llamo Inés.", ("name", "Inés", "+")),
        ("Ich verwende die neue Kasse nicht.", ("uses", "neue Kasse", "-")),
        ("Ich wohne in Trier.", ("lives_in", "Trier", "+")),
        ("Ich mag keinen Lauch.", ("likes", "Lauch", "-")),
        ("Ich heiße Jule.", ("name", "Jule", "+")),
        ("海辺の宿が好きです。", ("likes", "海辺の宿", "+")),
        ("納豆が嫌いです。", ("likes", "納豆", "-")),
        ("毎朝七時半に起きます。", ("wake_time", "07:30", "+")),
        ("神戸に住んでいます。", ("lives_in", "神戸", "+")),
        ("古い印刷機は使いません。", ("uses", "古い印刷機", "-")),
    ],
)
def test_plain_lines_in_other_languages(text: str, fact: tuple[str, str, str]) -> None:
    assert said(text) == {fact}


@pytest.mark.parametrize("text", ["¿Vivo en Lugo?", "Wohne ich in Trier?", "神戸に住んでいますか？"])
def test_questions_in_other_languages_state_nothing(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "subject", "fact"),
    [
        ("Debug mode is on in the gateway.", "gateway", ("debug_mode", "on")),
        ("The server room is locked.", "server room", ("status", "locked")),
        ("The server is down.", "server", ("status", "down")),
        ("Order 7 is cancelled.", "7", ("status", "cancelled")),
        ("Contract renews in March.", "contract", ("renews_in", "March")),
        ("The renewal is owned by Sam.", "renewal", ("owner", "Sam")),
        ("The meeting moved from 2 to 3 pm.", "meeting", ("start_time", "3 pm")),
        ("My manager is Tessa.", "u1", ("manager", "Tessa")),
        ("My daughter, Eva, is allergic to milk.", "user:u1's daughter", ("allergic_to", "milk")),
    ],
)
def test_states_owners_and_relations(text: str, subject: str, fact: tuple[str, str]) -> None:
    assert (subject, *fact) in {(f.subject.text, f.predicate, f.value) for f in read(text)}


def test_not_this_but_that_states_both() -> None:
    assert said("My office is not 214, it's 310.") == {("office", "214", "-"), ("office", "310", "+")}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        # What it is not, behind a comma, is no part of the value.
        ("My birthday is on the 9th of June, not the 8th.", {("birthday", "the 9th of June", "+")}),
        # A verb of its own begins another statement, not another member of the list.
        ("I love chess, hate golf.", {("likes", "chess", "+")}),
        ("I like tea, love songs and adore rain.", {("likes", "tea", "+"), ("likes", "love songs", "+")}),
        # Names behind a number of things say which they are.
        ("We have three goats, Pip, Moss and Fern.", {("pet", "three goats", "+")}),
        ("I speak Danish and a little Finnish.", {("speaks", "Danish", "+"), ("speaks", "Finnish", "+")}),
        # A time of day is not a place.
        ("Our stand-up is at 10:15.", {("stand_up_time", "10:15", "+")}),
    ],
)
def test_where_a_value_ends(text: str, facts: set[tuple[str, str, str]]) -> None:
    assert said(text) == facts
